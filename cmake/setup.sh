# Shared by ./run and ./test: installs what is missing from Debian's packages, and builds.
set -euo pipefail
source cmake/environment.sh

packages=(
  g++ cmake ninja-build ccache pkg-config
  libtorch-dev libopenblas0-openmp libdnnl-dev libeigen3-dev libspectra-dev
  libopencv-dev qt6-base-dev qt6-svg-dev libqcustomplot-dev
  libtiff-dev libwebp-dev libcgif-dev libimagequant-dev
  nlohmann-json3-dev libcli11-dev libzip-dev zlib1g-dev libsqlite3-dev libssl-dev
  fonts-dejavu-core
)
test_packages=(
  libgtest-dev libgmock-dev python3 python3-numpy python3-pil python3-torch
  chromium chromium-driver python3-selenium
)

say() { printf '%s\n' "$*" >&2; }

# install_missing PACKAGE...: those that dpkg does not know as installed.
install_missing() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      say "These packages are missing, and neither root nor sudo is at hand to install them: ${missing[*]}"
      exit 1
    fi
    as_root=(sudo)
  fi
  say "Installing: ${missing[*]}"
  "${as_root[@]}" apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
}

# folder_of PRESET: where it is built. With SOFTSCOPE_TORCH=FOLDER, another LibTorch, beside the build with Debian's.
folder_of() {
  printf 'build/%s%s\n' "$1" "${SOFTSCOPE_TORCH:+-torch}"
}

# build PRESET [CMAKE OPTION...]: configures it and builds all of it.
build() {
  local preset=$1 folder log
  shift
  folder=$(folder_of "$preset")
  log=build-$preset.log
  cmake --preset "$preset" -B "$folder" -DSOFTSCOPE_TORCH="${SOFTSCOPE_TORCH:+$(realpath -m "$SOFTSCOPE_TORCH")}" "$@" \
    >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
  rm "$log"
  # A library in one batch takes a gigabyte or two, so no more at a time than there are cores.
  cmake --build "$folder" --parallel "$(nproc)"
}
