#!/usr/bin/env python3
"""Makes every picture of the guide from the program, so that none goes stale.

    docs/guide/make_pictures.py build/release/app/softscope [NAME...]

Runs each command of the guide that writes into docs/guide/pictures, and draws the window on a display of its own (Xvfb,
openbox, xdotool and ImageMagick's import) and the interactive page in a browser (chromium). NAME picks pictures, e.g.
heads or window.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = "docs/guide/pictures"


def commands(text):
    """The command lines in a page's indented blocks, continued lines joined."""
    joined = re.sub(r"\\\n\s*", "", text)
    return [line.strip() for line in joined.splitlines() if re.match(r"    softscope ", line)]


def picture_of(command):
    words = shlex.split(command)
    if "-o" not in words:
        return None
    target = words[words.index("-o") + 1]
    return pathlib.Path(target).stem if target.startswith(PICTURES) else None


def draw(program, command):
    words = shlex.split(command)
    print(command, flush=True)
    subprocess.run([program] + words[1:], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def draw_window(program, target):
    """The window as it opens, after one click."""
    with tempfile.TemporaryDirectory() as home:
        environment = dict(os.environ, HOME=home, DISPLAY=":47")
        display = subprocess.Popen(["Xvfb", ":47", "-screen", "0", "1280x800x24"], stderr=subprocess.DEVNULL)
        time.sleep(2)
        manager = subprocess.Popen(["openbox"], env=environment, stderr=subprocess.DEVNULL)
        time.sleep(1)
        window = subprocess.Popen([program], env=environment, cwd=ROOT)
        try:
            found = subprocess.run(["xdotool", "search", "--sync", "--onlyvisible", "--class", "softscope"],
                                   env=environment, check=True, capture_output=True, text=True).stdout.split()[0]
            subprocess.run(["xdotool", "windowactivate", found, "windowsize", found, "1280", "800"], env=environment)
            time.sleep(10)
            subprocess.run(["xdotool", "mousemove", "250", "180", "click", "1", "mousemove", "640", "780"],
                           env=environment)
            time.sleep(2)
            subprocess.run(["import", "-window", "root", str(ROOT / PICTURES / target)], env=environment, check=True)
        finally:
            for process in (window, manager, display):
                process.terminate()
                process.wait()


def draw_page(program, target):
    """The interactive page of the guide, as a browser shows it."""
    text = (ROOT / "docs/guide/figures.md").read_text()
    command = next(line for line in commands(text) if line.startswith("softscope figure page "))
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page.html")
        draw(program, command.replace("-o cat.html", f"-o {page}"))
        subprocess.run(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}",
                        "--window-size=1200,900", f"--screenshot={ROOT / PICTURES / target}", f"file://{page}"],
                       check=True, stderr=subprocess.DEVNULL)


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    chosen = set(sys.argv[2:])
    (ROOT / PICTURES).mkdir(exist_ok=True)
    for page in sorted(ROOT.glob("docs/guide/*.md")):
        for command in commands(page.read_text()):
            name = picture_of(command)
            if name and (not chosen or name in chosen):
                draw(program, command)
    if not chosen or "window" in chosen:
        draw_window(program, "window.png")
    if not chosen or "page" in chosen:
        draw_page(program, "page.png")


if __name__ == "__main__":
    main()
