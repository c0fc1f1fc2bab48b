#!/usr/bin/env python3
"""Records the window at work for the README, as an animated WebP.

    docs/guide/make_recording.py build/release/app/softscope [FOLDER]

Opens the window on a display of its own (Xvfb), moves the pointer with xdotool, takes frames with ImageMagick's import
and joins them with its convert. The places below are those of controls in a window of SIZE. FOLDER keeps the frames as
PNG files, so that they can be looked at.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = ROOT / "docs/guide/pictures/window.webp"
DISPLAY = ":48"
SIZE = (1120, 700)
WIDTH = 900
MOST_BYTES = 1_500_000

# Where the pointer goes.
REST = (585, 640)
HINT = (824, 654)
RIGHT_EYE, NOSE, LEFT_EYE, FOREHEAD = (215, 148), (180, 212), (117, 134), (160, 90)
LAYERS = {"blocks.0": (902, 306), "blocks.2": (902, 350)}
COMPARE = (404, 96)
ADD_MECHANISM, SOFTMAX, MEANS = (473, 130), (470, 153), (749, 157)

ARROW = ((0, 0), (0, 17), (4, 13.5), (7, 20), (10, 18.7), (7, 12.3), (12.5, 12))


class Recorder:
    """The window's frames, each with the time it is shown."""

    def __init__(self, environment, folder):
        self.environment = environment
        self.folder = folder
        self.frames = []
        self.pointer = REST

    def xdotool(self, *words):
        subprocess.run(["xdotool", *map(str, words)], env=self.environment, check=True)

    def pixels(self):
        return subprocess.run(["import", "-window", "root", "ppm:-"], env=self.environment, check=True,
                              capture_output=True).stdout

    def when_still(self, seconds=0.4):
        """The window's pixels once they stay as they are."""
        deadline = time.monotonic() + 30
        before = self.pixels()
        while time.monotonic() < deadline:
            time.sleep(seconds)
            now = self.pixels()
            if now == before:
                break
            before = now
        return before

    def take(self, pixels, milliseconds, pressed=False):
        x, y = self.pointer
        arrow = " ".join(f"{x + dx},{y + dy}" for dx, dy in ARROW)
        ring = ["-fill", "#2f6fdb55", "-stroke", "#2f6fdb", "-draw", f"circle {x},{y} {x + 13},{y}"] if pressed else []
        frame = self.folder / f"{len(self.frames):03}.png"
        subprocess.run(["convert", "ppm:-", *ring, "-fill", "white", "-stroke", "black", "-strokewidth", "1.2",
                        "-draw", f"polygon {arrow}", "-filter", "Lanczos", "-resize", f"{WIDTH}x", str(frame)],
                       input=pixels, check=True)
        self.frames.append((frame, milliseconds))

    def move(self, to, steps, pressed=False):
        start = self.pointer
        for step in range(1, steps + 1):
            self.pointer = tuple(round(a + (b - a) * step / steps) for a, b in zip(start, to))
            self.xdotool("mousemove", *self.pointer)
            if pressed:
                self.take(self.when_still(0.15), 140, pressed)
            else:
                time.sleep(0.05)
                self.take(self.pixels(), 60)

    def click(self, place, milliseconds):
        self.move(place, 4)
        self.take(self.pixels(), 140, pressed=True)
        self.xdotool("click", "1")
        time.sleep(0.3)
        self.take(self.when_still(), milliseconds)

    def drag(self, place, steps, milliseconds):
        self.xdotool("mousedown", "1")
        self.move(place, steps, pressed=True)
        self.xdotool("mouseup", "1")
        self.take(self.when_still(), milliseconds)


def play(recorder):
    """What is shown: patches, layers, and another mechanism on the same weights."""
    recorder.xdotool("mousemove", *HINT, "click", "1", "mousemove", *REST)
    recorder.take(recorder.when_still(1), 1200)
    recorder.click(RIGHT_EYE, 1200)
    recorder.drag(NOSE, 5, 900)
    recorder.click(LAYERS["blocks.0"], 1100)
    recorder.click(LAYERS["blocks.2"], 1100)
    recorder.click(COMPARE, 900)
    recorder.click(ADD_MECHANISM, 600)
    recorder.click(SOFTMAX, 300)
    time.sleep(3)
    recorder.take(recorder.when_still(1), 1400)
    recorder.click(MEANS, 1200)
    recorder.click(LEFT_EYE, 900)
    recorder.drag(FOREHEAD, 4, 2400)


def record(program, folder):
    with tempfile.TemporaryDirectory() as home:
        environment = dict(os.environ, HOME=home, DISPLAY=DISPLAY)
        display = subprocess.Popen(["Xvfb", DISPLAY, "-screen", "0", "{}x{}x24".format(*SIZE)],
                                   stderr=subprocess.DEVNULL)
        time.sleep(2)
        window = subprocess.Popen([program, "--theme", "light"], env=environment, cwd=ROOT)
        try:
            recorder = Recorder(environment, folder)
            found = subprocess.run(["xdotool", "search", "--sync", "--onlyvisible", "--class", "softscope"],
                                   env=environment, check=True, capture_output=True, text=True).stdout.split()[0]
            recorder.xdotool("windowmove", found, 0, 0, "windowsize", found, *SIZE, "windowfocus", found)
            time.sleep(8)
            play(recorder)
        finally:
            for process in (window, display):
                process.terminate()
                process.wait()
    return recorder.frames


def join(frames, target):
    words = ["convert", "-loop", "0"]
    for frame, milliseconds in frames:
        words += ["-delay", str(milliseconds // 10), str(frame)]
    words += ["-quality", "88", "-define", "webp:method=6", str(target)]
    subprocess.run(words, check=True)


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else temporary)
        folder.mkdir(parents=True, exist_ok=True)
        frames = record(program, folder)
        join(frames, TARGET)
    size = TARGET.stat().st_size
    print(f"{TARGET.relative_to(ROOT)}: {len(frames)} frames, {size} bytes")
    if size > MOST_BYTES:
        sys.exit(f"more than the {MOST_BYTES} bytes that a front page should load")


if __name__ == "__main__":
    main()
