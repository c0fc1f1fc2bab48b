#!/usr/bin/env bash
# ./test wheel: installs the wheel with pip in a bare Debian 12 that has Python and NumPy, but neither Qt, OpenCV nor
# LibTorch, draws figures of recordings, opens the window on one, clicks, and removes the wheel without a trace.
#
#   tests/package/wheel.sh FILE.whl [FOLDER for the screenshots]
#
# Needs root and debootstrap. Everything happens inside a folder that is removed at the end.
set -euo pipefail
wheel=$(readlink -f "$1")
screenshots=$(readlink -f "${2:-.}")
source "$(dirname "$0")/bare_debian.sh"
python=/home/user/venv/bin/python
fails_with() {
  local said=$1
  shift
  ! inside "$@" >"$screenshots/said.txt" 2>&1 && [ "$(wc -l <"$screenshots/said.txt")" = 1 ] && contains "$said" "$screenshots/said.txt"
}

check "it is under 100 MB" test "$(stat -c %s "$wheel")" -lt 100000000
check "its tag is Debian 12's" test "${wheel##*-py3-none-}" = manylinux_2_36_x86_64.whl
make_bare_debian
check "Python installs" install_in_root python3-venv python3-numpy
inside python3 -m venv --system-site-packages /home/user/venv
cp "$wheel" "$root/home/user/"
begun=$SECONDS
check "pip installs it" inside "$python" -m pip install -q --no-index "/home/user/${wheel##*/}"
echo "installed in $((SECONDS - begun)) s"
check "pip finds nothing wrong" inside "$python" -m pip check
inside find /home/user/venv -name '*.so*' -path '*softscope*' -type f >"$root/libraries.txt"
check "it has libraries of its own" test "$(wc -l <"$root/libraries.txt")" -gt 50
inside sh -c 'cd /home/user/venv/lib/python3*/site-packages/softscope/program &&
  for file in libexec/softscope/* lib/* plugins/*/*; do ldd "$file" 2>&1 | sed "s|^|$file: |"; done' >"$screenshots/needed.txt" || true
missing=$(grep 'not found' "$screenshots/needed.txt" || true)
echo "$missing"
check "it says what it needs" test "$(grep -c '=> /' "$screenshots/needed.txt")" -gt 50
check "every library it needs is there" test -z "$missing"
version=$(inside "$python" -c 'import importlib.metadata; print(importlib.metadata.version("softscope"))')
check "the command tells its version" test "$(inside /home/user/venv/bin/softscope --version)" = "softscope $version"
check "so does python -m softscope" test "$(inside "$python" -m softscope --version)" = "softscope $version"
check "licences of what it brings are there" inside sh -c 'cd /home/user/venv/lib/python3*/site-packages/softscope-*.dist-info/licenses &&
  test -s libqt6gui6/copyright && test -s libopencv-core406/copyright && test -s common-licenses/LGPL-2.1 && test -s LICENSE'

# A recording that NumPy writes, as docs/recordings.md shows.
cat >"$root/home/user/recording.py" <<'RECORDING'
import numpy as np
q, k = np.random.default_rng(0).normal(size=(2, 4, 196, 32)).astype(np.float32)
picture = np.zeros((224, 224, 3), np.uint8)
picture[..., 0] = np.arange(224)
np.savez("/home/user/rec.npz", **{"blocks.0.attn/q": q, "blocks.0.attn/k": k,
                                  "blocks.0.attn/kernel": np.array("softmax"), "picture": picture})
RECORDING
inside "$python" /home/user/recording.py
softscope=/home/user/venv/bin/softscope
for figure in heads.png heads.svg matrix.pdf spectrum.png; do
  inside $softscope figure "${figure%.*}" -m /home/user/rec.npz -o "/home/user/$figure" >/dev/null 2>"$screenshots/$figure.log" || true
  check "it draws $figure of a recording" test -s "$root/home/user/$figure"
done
inside $softscope dump -m /home/user/rec.npz -o /home/user/dump >/dev/null || true
check "the rows are softmax of queries and keys" inside "$python" -c '
import numpy as np
rec = np.load("/home/user/rec.npz")
scores = rec["blocks.0.attn/q"] @ rec["blocks.0.attn/k"].transpose(0, 2, 1) / 32 ** 0.5
rows = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
assert np.abs(np.load("/home/user/dump/blocks_0_attn.npy") - rows).max() < 1e-6'
inside "$python" -c '
import zipfile
with zipfile.ZipFile("/home/user/model.pth", "w") as file: file.writestr("archive/data.pkl", b"\x80\x02}.")'
check "a checkpoint is answered with one line" fails_with 'needs LibTorch' $softscope inspect /home/user/model.pth
check "so is training" fails_with 'needs LibTorch' $softscope train soft_tiny /home/user -o /home/user/model.safetensors
check "without PyTorch, Python says that it lacks" fails_with 'needs PyTorch' "$python" -c '
try:
    import softscope
    softscope.record
except ImportError as error:
    raise SystemExit(str(error))'

check "the test's own tools install" install_in_root xvfb xdotool openbox imagemagick
cat >"$root/window.sh" <<'WINDOW'
set -e
Xvfb :7 -screen 0 1280x800x24 >/dev/null 2>&1 & server=$!
export DISPLAY=:7
sleep 2
openbox & manager=$!
for shown in first recorded; do
  recording=$([ $shown = recorded ] && echo "-m /home/user/rec.npz" || true)
  /home/user/venv/bin/softscope $recording & program=$!
  window=$(timeout 60 xdotool search --sync --onlyvisible --class softscope | head -1)
  xdotool windowactivate "$window" windowsize --sync "$window" 1280 800
  sleep 12
  import -window root /home/user/$shown.png
  xdotool mousemove 640 330 click 1
  sleep 3
  import -window root /home/user/$shown-clicked.png
  if kill -0 $program 2>/dev/null; then echo "$shown outlived the click"; fi
  xdotool key ctrl+q
  for i in $(seq 50); do kill -0 $program 2>/dev/null || break; sleep 0.2; done
  if kill -0 $program 2>/dev/null; then
    kill $program
  elif wait $program; then
    echo "$shown closed"
  fi
done
kill $manager $server
WINDOW
inside bash /window.sh >"$screenshots/wheel-window.log" 2>&1 || true
cp "$root"/home/user/*.png "$screenshots/"
for shown in first recorded; do
  check "its window opens ($shown)" test -s "$root/home/user/$shown.png"
  check "a click changes it ($shown)" differ "$root/home/user/$shown.png" "$root/home/user/$shown-clicked.png"
  check "it outlives the click ($shown)" contains "^$shown outlived the click$" "$screenshots/wheel-window.log"
  check "Ctrl+Q closes it, and it ends well ($shown)" contains "^$shown closed$" "$screenshots/wheel-window.log"
done

check "pip removes it" inside "$python" -m pip uninstall -q -y softscope
remains=$(inside find /home/user/venv -iname '*softscope*')
check "nothing of it is left" test -z "$remains"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
