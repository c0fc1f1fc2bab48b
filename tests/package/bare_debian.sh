# Shared by the tests of packages: a bare Debian 12 made for one of them, and checks that are counted. Sourced with
# `screenshots`, the folder for what should be looked at, set. Needs root and debootstrap.
root=$(mktemp -d /var/tmp/bare-debian-XXXXXX)
failed=0
passed=0

leave() {
  umount "$root/proc" 2>/dev/null || true
  rm -rf --one-file-system "$root"
}
trap leave EXIT

check() {
  local what=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
    echo "ok: $what"
  else
    failed=$((failed + 1))
    echo "FAILED: $what"
  fi
}
inside() { chroot "$root" env -i HOME=/home/user PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
contains() { grep -q -e "$1" "$2"; }
differ() { ! cmp -s "$1" "$2"; }
install_in_root() { inside apt-get install -y -q --no-install-recommends "$@" >>"$root/apt.log" 2>&1; }

# The bare system takes its packages from where this one does.
make_bare_debian() {
  local mirror release
  read -r mirror release _ < <(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
    grep -E ' bookworm$' | sort -u)
  echo "Making a bare Debian 12"
  debootstrap --variant=minbase "$release" "$root" "$mirror" >"$screenshots/debootstrap.log"
  rm "$root/etc/apt/sources.list"
  cp -r /etc/apt/. "$root/etc/apt/"
  rm -f "$root"/etc/apt/apt.conf.d/{20packagekit,50appstream,docker-*}
  [ -d /usr/share/keyrings ] && cp -rn /usr/share/keyrings/. "$root/usr/share/keyrings/"
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  mount -t proc proc "$root/proc"
  mkdir -p "$root/home/user"
  inside apt-get update -q >"$root/apt.log"
}
