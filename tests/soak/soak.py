#!/usr/bin/env python3
"""Uses the window as nobody would, for hours: random clicks, keys, drags, wheel turns, dialogs and resizes.

    tests/soak/soak.py build/asan/app/softscope OUT [--minutes 120] [--seed 1]

OUT gets memory.csv (resident memory every few minutes, always in the same workspace), a screenshot beside each of its
lines, actions.log, and what the program and its sanitizers said (program.log). README.md beside this file says what is
opened, and what came of it. It needs Xvfb, openbox, xdotool and ImageMagick (import, convert), and a user that may not
harm anything: started as root, it runs the program as `nobody`.

The run is valid if hardly a line of memory.csv has more missed actions than the one before, and the screenshots show a
window. Where a random key asks the program to quit, it is started again. Exit code: 0 if every start left with 0, the
last by the menu, else 1.
"""
import argparse
import collections
import contextlib
import os
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import time

from material import PICTURES, Material, write_standard_workspace

SUPPRESSIONS = pathlib.Path(__file__).resolve().parent / "leaks.supp"

# One desktop and no bindings: what the program does not take must not reach a window manager that hides the window.
OPENBOX = """<?xml version="1.0"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <focus><focusNew>yes</focusNew><focusLast>yes</focusLast></focus>
  <desktops><number>1</number></desktops>
  <keyboard></keyboard>
  <mouse><context name="Client"><mousebind button="Left" action="Press">
    <action name="Focus"/><action name="Raise"/></mousebind></context></mouse>
  <applications><application type="normal"><decor>no</decor></application></applications>
</openbox_config>
"""

PAGES = [f"ctrl+{n}" for n in range(1, 7)] + [f"alt+{n}" for n in range(10)]
KEYS = PAGES + [
    "ctrl+z", "ctrl+shift+z", "ctrl+y", "p", "shift+p", "r", "c", "bracketleft", "bracketright", "comma", "period", "a",
    "plus", "equal", "minus", "s", "ctrl+plus", "ctrl+minus", "ctrl+0", "Escape", "Escape", "F1", "Tab", "shift+Tab",
    "space", "Return", "Left", "Right", "Up", "Down", "shift+Left", "shift+Right", "shift+Up", "shift+Down", "Home",
    "End", "Prior", "Next", "Delete", "BackSpace", "ctrl+Prior", "ctrl+Next", "ctrl+c", "ctrl+shift+c", "ctrl+alt+c",
    "ctrl+v", "ctrl+a", "ctrl+e", "ctrl+shift+e", "ctrl+s", "ctrl+shift+s", "alt+e", "alt+v", "alt+h",
]


class Display:
    """An X server of our own with a window manager, and hands on its mouse and keyboard."""

    def __init__(self, out):
        reader, writer = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1600x1000x24", "-nolisten", "tcp"],
            pass_fds=[writer], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writer)
        with os.fdopen(reader) as numbers:
            self.name = ":" + numbers.readline().strip()
        configuration = out / "openbox.xml"
        configuration.write_text(OPENBOX)
        self.environment = {**os.environ, "DISPLAY": self.name}
        self.manager = subprocess.Popen(["openbox", "--config-file", str(configuration)], env=self.environment,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(1)

    def do(self, *arguments):
        done = subprocess.run(["xdotool", *map(str, arguments)], env=self.environment, capture_output=True, text=True,
                              timeout=600)
        return done.stdout.split()

    def photograph(self, path):
        subprocess.run(["import", "-window", "root", str(path)], env=self.environment, timeout=600, check=False)

    def close(self):
        for process in (self.manager, self.server):
            process.terminate()
            process.wait()


class Program:
    """The program under test, in an empty home."""

    def __init__(self, executable, display, out):
        # Each start has a home of its own: random keys get as far as the shortcuts, where they make one of Quit.
        home = out / f"home{len(list(out.glob('home*')))}"
        runtime = out / "runtime"
        for folder in (home, runtime):
            folder.mkdir(mode=0o700, exist_ok=True)
        environment = {**display.environment, "HOME": str(home), "XDG_RUNTIME_DIR": str(runtime)}
        environment.pop("DBUS_SESSION_BUS_ADDRESS", None)
        # What is freed is kept but for a while, or resident memory would tell of nothing else.
        environment["ASAN_OPTIONS"] = ("detect_container_overflow=0:detect_leaks=1:quarantine_size_mb=16:"
                                       "allocator_may_return_null=1")
        environment["LSAN_OPTIONS"] = f"suppressions={SUPPRESSIONS}:print_suppressions=0"
        environment["UBSAN_OPTIONS"] = "print_stacktrace=1"
        user = {}
        if os.getuid() == 0:
            user = {"user": "nobody", "group": "nogroup", "extra_groups": []}
            for folder in (home, runtime):
                shutil.chown(folder, "nobody", "nogroup")
        self.log = open(out / "program.log", "a", encoding="utf-8")
        try:
            self.process = subprocess.Popen([str(executable), str(PICTURES / "chelsea.png")], env=environment, cwd=home,
                                            stdout=self.log, stderr=subprocess.STDOUT, **user)
        except OSError as error:
            sys.exit(f"{executable} cannot be run: {error.strerror}")

    def close(self):
        if self.lives():
            self.process.kill()

    def lives(self):
        return self.process.poll() is None

    def resident(self):
        """MiB; 0 where it has ended."""
        if not self.lives():
            return 0.0
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        return 0.0

    def seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def wait_until_idle(self, longest=120):
        end = time.monotonic() + longest
        quiet = 0
        before = 0.0
        while quiet < 3 and time.monotonic() < end and self.lives():
            now = self.seconds()
            quiet = quiet + 1 if now - before < 0.05 else 0
            before = now
            time.sleep(1)


class Hands:
    """Random actions. Each first makes sure that a window of the program is in front."""

    def __init__(self, display, material, seed, log):
        self.display = display
        self.program = None
        self.random = random.Random(seed)
        self.log = log
        self.material = material
        self.starts = 0
        self.count = 0
        self.missed = 0
        self.opened = collections.Counter()
        self.main = None

    def take(self, program):
        """A program that has just been started, when its window is there."""
        self.program = program
        self.starts += 1
        self.wait_for_window()

    def windows(self):
        return self.display.do("search", "--onlyvisible", "--pid", self.program.process.pid)

    def wait_for_window(self):
        for _ in range(600):
            if not self.program.lives():
                break
            found = self.display.do("search", "--onlyvisible", "--name", "Softscope$")
            if found:
                self.main = found[-1]
                return
            time.sleep(0.5)
        sys.exit("no window appeared; program.log says why")

    def front(self):
        """The window that keys go to, or None where it is not the program's."""
        active = self.display.do("getactivewindow")
        return active[0] if active and active[0] in self.windows() else None

    def size(self, window):
        place = dict(line.split("=") for line in self.display.do("getwindowgeometry", "--shell", window) if "=" in line)
        return tuple(int(place.get(key, 0)) for key in ("X", "Y", "WIDTH", "HEIGHT"))

    def place(self):
        x, y, width, height = self.size(self.front() or self.main)
        # Not on the File menu's title: its Quit is kept for the end. A window that has just been closed has no size.
        at = (0, 0)
        while at[0] <= 45 and at[1] <= 30:
            at = (self.random.randrange(max(width, 100)), self.random.randrange(max(height, 100)))
        return min(max(x + at[0], 0), 1599), min(max(y + at[1], 0), 999)

    def click(self):
        button = self.random.choices([1, 2, 3], [14, 1, 2])[0]
        keys = self.random.choices([[], ["shift"], ["ctrl"]], [12, 3, 1])[0]
        repeat = self.random.choices([1, 2], [8, 1])[0]
        self.display.do("mousemove", *self.place(), *sum((["keydown", key] for key in keys), []), "click", "--repeat",
                        repeat, "--delay", 60, button, *sum((["keyup", key] for key in keys), []))

    def drag(self):
        button = self.random.choices([1, 2, 3], [6, 1, 1])[0]
        (x, y), (to_x, to_y) = self.place(), self.place()
        steps = self.random.randint(3, 12)
        self.display.do("mousemove", x, y, "mousedown", button)
        for step in range(1, steps + 1):
            self.display.do("mousemove", x + (to_x - x) * step // steps, y + (to_y - y) * step // steps)
            time.sleep(0.02)
        self.display.do("mouseup", button)

    def wheel(self):
        self.display.do("mousemove", *self.place(), "click", "--repeat", self.random.randint(1, 5), "--delay", 30,
                        self.random.choice([4, 5]))

    def key(self):
        self.display.do("key", self.random.choice(KEYS))

    def menu_entry(self):
        entries = self.random.randint(1, 12)
        self.display.do("key", self.random.choice(["alt+e", "alt+v"]), *(["Down"] * entries), "Return")

    def write(self):
        text = self.random.choice(["50", "-3", "224", "0", "1e9", "abc", "full", "128x160", "~/x.png", "é"])
        self.display.do("type", "--delay", 15, text)

    def resize(self):
        self.display.do("windowsize", self.main, self.random.randint(640, 1600), self.random.randint(480, 1000))

    def open_by_dialog(self, keys, path):
        before = self.front()
        self.display.do("key", keys)
        for _ in range(50):
            time.sleep(0.2)
            if self.front() not in (None, before):
                break
        self.display.do("key", "ctrl+a")
        self.display.do("type", "--delay", 8, str(path))
        self.display.do("key", "Return")
        time.sleep(1)
        # Completes to a longer name now and then; then the dialog is still there.
        if self.front() not in (None, self.main):
            self.display.do("key", "Escape")

    def open_file(self, keys, path):
        self.opened[path] += 1
        self.log.write(f"  {path}\n")
        self.open_by_dialog(keys, path)

    def open_picture(self):
        self.open_file("ctrl+o", self.random.choice(self.material.pictures))

    def open_model(self):
        self.open_file(self.random.choice(["ctrl+m", "ctrl+shift+m"]), self.random.choice(self.material.checkpoints))

    def open_workspace(self):
        self.open_file("ctrl+shift+o", self.material.write_workspace(self.random))

    def close_model(self):
        self.display.do("key", "ctrl+w")

    def act(self):
        self.count += 1
        if self.front() is None:
            # A menu or a list that is open has no focus of its own; Esc closes it, and the window has it again.
            self.display.do("key", "Escape", "windowactivate", self.main)
            time.sleep(0.1)
            if self.front() is None:
                self.missed += 1
        names = ["click", "drag", "wheel", "key", "menu_entry", "write", "resize", "open_picture", "open_model",
                 "open_workspace", "close_model"]
        name = self.random.choices(names, [40, 12, 8, 40, 3, 3, 3, 1, 2, 0.5, 1])[0]
        self.log.write(f"{time.strftime('%H:%M:%S')} {self.count} {name}\n")
        self.log.flush()
        getattr(self, name)()

    def settle(self):
        """Back from menus, dialogs and work to the window."""
        for _ in range(6):
            self.display.do("key", "Escape")
            time.sleep(0.3)
        self.display.do("windowactivate", self.main)
        self.display.do("windowsize", self.main, 1280, 800)
        time.sleep(1)


class Readings:
    """memory.csv and its screenshots."""

    def __init__(self, display, out):
        self.display, self.out = display, out
        self.program = self.hands = None
        self.start = time.monotonic()
        self.table = open(out / "memory.csv", "w", encoding="utf-8")
        self.table.write("start,minutes,actions,missed,MiB\n")
        self.resident = []  # since the last start
        self.starts = []

    def follow(self, program, hands):
        """Another start, whose memory is its own."""
        self.program, self.hands = program, hands
        self.resident = []
        self.starts.append(self.resident)

    def minutes(self):
        return (time.monotonic() - self.start) / 60

    def take(self):
        workspace = self.out / "standard.softscope"
        self.hands.settle()
        write_standard_workspace(workspace)
        self.hands.open_by_dialog("ctrl+shift+o", workspace)
        self.program.wait_until_idle()
        minutes = self.minutes()
        self.resident.append(self.program.resident())
        self.table.write(f"{self.hands.starts},{minutes:.1f},{self.hands.count},{self.hands.missed},{self.resident[-1]:.0f}\n")
        self.table.flush()
        self.display.photograph(self.out / f"at_{int(minutes):03d}.png")

    def growth(self):
        """In words: medians of the second and of the last quarter of the readings, for the first one warms up."""
        resident = max(self.starts, key=len)
        quarter = len(resident) // 4
        if quarter == 0:
            return "too few readings of memory"
        second, last = resident[quarter:2 * quarter], resident[-quarter:]
        return f"{statistics.median(second):.0f} MiB in the second quarter, {statistics.median(last):.0f} in the last"


def leave(display, program, hands):
    """By the menu, since Ctrl+Q may be another's by now; gives the exit code."""
    hands.settle()
    display.do("key", "alt+f", "Up", "Return")
    try:
        return program.process.wait(timeout=600)
    except subprocess.TimeoutExpired:
        program.process.send_signal(signal.SIGABRT)
        return program.process.wait()


def soak(display, program, hands, readings, arguments):
    """Until the time is over or the program has left; gives the exit code."""
    due = readings.minutes()
    while readings.minutes() < arguments.minutes and program.lives():
        if readings.minutes() >= due:
            readings.take()
            due += arguments.every
        hands.act()
        time.sleep(hands.random.choice([0.02, 0.05, 0.1, 0.3]))
    if not program.lives():
        return program.process.returncode
    readings.take()
    return leave(display, program, hands)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("executable", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path, help="a folder that is not there yet")
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=float, default=5.5, help="minutes between two readings of memory")
    arguments = parser.parse_args()
    missing = [tool for tool in ("Xvfb", "openbox", "xdotool", "import", "convert") if not shutil.which(tool)]
    if missing:
        parser.error(f"not installed: {', '.join(missing)}")
    if not os.access(arguments.executable, os.X_OK) or arguments.executable.is_dir():
        parser.error(f"{arguments.executable} cannot be run")
    if arguments.out.exists():
        parser.error(f"{arguments.out} is there already; name another folder")
    return arguments


def main():
    arguments = parse_arguments()
    out = arguments.out.resolve()
    out.mkdir(parents=True)
    code = 0
    with contextlib.closing(Display(out)) as display, open(out / "actions.log", "w", encoding="utf-8") as actions:
        hands = Hands(display, Material(out), arguments.seed, actions)
        readings = Readings(display, out)
        while code == 0 and readings.minutes() < arguments.minutes:
            with contextlib.closing(Program(arguments.executable.resolve(), display, out)) as program:
                hands.take(program)
                readings.follow(program, hands)
                code = soak(display, program, hands, readings, arguments)
    print(f"{readings.minutes() / 60:.1f} hours, {hands.starts} starts, {hands.count} actions, {hands.missed} missed, "
          f"{len(hands.opened)} files opened {hands.opened.total()} times; in the longest start {readings.growth()}; "
          f"exit code {code}")
    return 0 if code == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
