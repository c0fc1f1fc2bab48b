# Shared by ./run, ./test and ./package: installs what is missing from Debian's packages, and builds. Sourced where the
# user is; functions are called in the folder of the sources.
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/environment.sh"
[ -z "${SOFTSCOPE_TORCH:-}" ] || SOFTSCOPE_TORCH=$(realpath -m -- "$SOFTSCOPE_TORCH")

packages=(
  g++ cmake ninja-build ccache pkg-config
  libtorch-dev libopenblas0-openmp libdnnl-dev libeigen3-dev libspectra-dev
  libopencv-dev qt6-base-dev qt6-svg-dev qt6-wayland libqcustomplot-dev
  libtiff-dev libwebp-dev libcgif-dev libimagequant-dev
  nlohmann-json3-dev libcli11-dev libzip-dev zlib1g-dev libsqlite3-dev libssl-dev
  fonts-dejavu-core
)
test_packages=(
  libgtest-dev libgmock-dev python3 python3-numpy python3-pil python3-torch
  chromium chromium-driver python3-selenium locales
)

say() { printf '%s\n' "$*" >&2; }

# install_missing PACKAGE...: those that dpkg does not know as installed.
install_missing() {
  local missing=() package
  for package in "$@"; do
    # Held packages are installed, too; one of two architectures is enough.
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -x installed >/dev/null || missing+=("$package")
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

# ccache compiles nothing without a folder of its own, and a home may be read-only or missing.
find_room_for_ccache() {
  local folder
  command -v ccache >/dev/null || return 0
  if folder=$(ccache --get-config cache_dir 2>/dev/null) && mkdir -p -- "$folder" 2>/dev/null && [ -w "$folder" ]; then
    return
  fi
  export CCACHE_DIR=$PWD/build/ccache
}

# made_elsewhere FOLDER: whether it was configured for sources in another place, before they were moved or copied.
made_elsewhere() {
  local sources
  sources=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$1/CMakeCache.txt" 2>/dev/null) || return 1
  [ -n "$sources" ] && ! [ "$sources" -ef "$PWD" ]
}

# build PRESET [CMAKE OPTION...]: configures it and builds all of it, one build at a time.
build() {
  local preset=$1 folder log lock options=()
  shift
  folder=$(folder_of "$preset")
  if ! mkdir -p "$folder" 2>/dev/null || ! [ -w "$folder" ]; then
    say "$PWD/$folder cannot be written; copy the sources to a folder of your own, and build there"
    exit 1
  fi
  exec {lock}>"$folder/build.lock"
  if ! flock --nonblock "$lock"; then
    say "Waiting for another build in $PWD/$folder"
    flock "$lock" || true
  fi
  find_room_for_ccache
  made_elsewhere "$folder" && options=(--fresh)
  log=$folder/configure.log
  cmake --preset "$preset" -B "$folder" "${options[@]}" -DSOFTSCOPE_TORCH="${SOFTSCOPE_TORCH:-}" "$@" >"$log" 2>&1 ||
    { cat "$log" >&2; exit 1; }
  # A library in one batch takes a gigabyte or two, so no more at a time than there are cores.
  cmake --build "$folder" --parallel "$(nproc)"
  exec {lock}>&-
}
