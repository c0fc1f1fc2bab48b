#!/usr/bin/env bash
# ./test package: installs the Debian package with apt in a bare Debian 12 made for it, starts the window there from its
# desktop entry, clicks, draws a figure, tries the manual page and a completion, and removes the package without a trace.
#
#   tests/package/package.sh FILE.deb [FOLDER for the screenshots]
#
# Needs root, debootstrap and lintian. Everything happens inside a folder that is removed at the end.
set -euo pipefail
package=$(readlink -f "$1")
screenshots=$(readlink -f "${2:-.}")
source "$(dirname "$0")/bare_debian.sh"
remove_in_root() { inside apt-get purge -y -q "$@" >>"$root/apt.log" 2>&1; }
left_behind() {
  find "$root" -xdev \( -path "$root/var/lib/apt" -o -path "$root/home" \) -prune -o -iname '*softscope*' -print |
    grep -v -e '/softscope\.deb$' || true
}

lintian --quiet --allow-root "$package" >"$screenshots/lintian.log" 2>&1 || true
check "lintian finds nothing" test -z "$(grep -v "root privileges" "$screenshots/lintian.log")"

make_bare_debian
cp "$package" "$root/softscope.deb"
begun=$SECONDS
check "apt installs it on a bare Debian 12" install_in_root /softscope.deb
echo "installed in $((SECONDS - begun)) s"
check "the program tells its version" test "$(inside softscope --version)" = "softscope $(dpkg-deb -f "$package" Version)"
inside softscope figure heads -m /usr/share/softscope/checkpoints/sima_xcit_everyday10.safetensors \
  /usr/share/softscope/pictures/chelsea.png --layer blocks.3.attn --at 0.375,0.385 -o /home/user/heads.png >/dev/null
check "it draws a figure" test -s "$root/home/user/heads.png"

# What the test itself needs comes after, so that it hides no missing dependency.
check "the test's own tools install" install_in_root xvfb xdotool openbox imagemagick libglib2.0-bin man-db bash-completion \
  desktop-file-utils xdg-utils dbus
inside man softscope >"$screenshots/man.txt" 2>&1
check "the manual page has every section" contains 'SOFTSCOPE figure' "$screenshots/man.txt"
completed=$(inside bash -c 'source /usr/share/bash-completion/bash_completion; _completion_loader softscope
  COMP_WORDS=(softscope insp) COMP_CWORD=1; _softscope; echo "${COMPREPLY[@]}"')
check "bash completes a subcommand" test "$completed" = inspect
check "workspaces have a type" contains x-softscope-workspace "$root/usr/share/mime/globs2"

cat >"$root/window.sh" <<'WINDOW'
set -e
Xvfb :7 -screen 0 1280x800x24 >/dev/null 2>&1 & server=$!
export DISPLAY=:7
sleep 2
openbox & manager=$!
dbus-run-session -- gio launch /usr/share/applications/org.softscope.Softscope.desktop
window=$(timeout 60 xdotool search --sync --onlyvisible --class softscope | head -1)
xdotool windowactivate "$window" windowsize --sync "$window" 1280 800
sleep 12
import -window root /home/user/before.png
xdotool mousemove 640 330 click 1
sleep 3
import -window root /home/user/after.png
xdotool search --onlyvisible --class softscope >/dev/null
echo "outlived the click"
xdotool key ctrl+q
for i in $(seq 50); do xdotool search --onlyvisible --class softscope >/dev/null 2>&1 || break; sleep 0.2; done
if ! xdotool search --onlyvisible --class softscope >/dev/null 2>&1; then echo "closed"; fi
kill $manager $server
WINDOW
inside bash /window.sh >"$screenshots/window.log" 2>&1 || true
cp "$root"/home/user/*.png "$screenshots/"
check "its window opens from the desktop entry" test -s "$root/home/user/before.png"
check "a click changes the window" differ "$root/home/user/before.png" "$root/home/user/after.png"
check "the window outlives the click" contains '^outlived the click$' "$screenshots/window.log"
check "Ctrl+Q closes it" contains '^closed$' "$screenshots/window.log"

check "apt removes it" remove_in_root softscope
rm -f "$root/softscope.deb"
remains=$(left_behind)
check "nothing of it is left" test -z "$remains"
[ -z "$remains" ] || echo "left behind: $remains"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
