#!/usr/bin/env python3
"""Fills the guide's pages and the README from the program: its options, the networks that open, and what the examples
print.

    docs/guide/make_examples.py build/release/app/softscope [--print PAGE]

Between `<!-- options of SUBCOMMAND -->` and `<!-- end of options -->` stands what the program says of its options, and
between `<!-- networks -->` and `<!-- end of networks -->` the table that it makes of its families. In
blocks of `console`, lines behind `$` are run by bash, all of a page in one folder, and what they print stands below
them. A block of `python` whose first line is `# NAME.py` is a file in that folder. The folder has `resources/`,
`cat.png` (a bundled picture) and `photos/`, a data set of two pictures.
"""
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

GUIDE = pathlib.Path(__file__).resolve().parent
RESOURCES = GUIDE.parents[1] / "resources"
OPTIONS = re.compile(r"^<!-- options of (\w+) -->$.*?^<!-- end of options -->$", re.MULTILINE | re.DOTALL)
NETWORKS = re.compile(r"(?<=^<!-- networks -->\n).*?(?=^<!-- end of networks -->$)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BEHIND_A_COMMAND = "\x1e"


@functools.cache
def options(program):
    """{subcommand: its tables}, the window's under `softscope`."""
    text = subprocess.run([program, "documentation", "markdown"], capture_output=True, text=True, check=True).stdout
    parts = re.split(r"^## (\w+)\n", text, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], (part.strip() for part in parts[1::2])))


def networks(program):
    """The table of networks that open."""
    return subprocess.run([program, "documentation", "networks"], capture_output=True, text=True, encoding="utf-8",
                          check=True).stdout


def commands_of(block):
    """The lines behind `$`, each with those that it goes on over."""
    commands = []
    goes_on = False
    for line in block.splitlines():
        if goes_on:
            commands[-1] += "\n" + line
        elif line.startswith("$ "):
            commands.append(line[2:])
        else:
            continue
        goes_on = line.endswith("\\")
    return commands


def outputs_of(commands, folder):
    """What each prints, run by one bash, so that `$?` is that of the one before."""
    script = "".join(f"{command}\nstatus=$?; printf '\\036'; (exit $status)\n" for command in commands)
    environment = dict(os.environ, HOME=str(folder / "home"), LC_ALL="C.UTF-8",
                       PATH=f"{folder / 'bin'}:{os.environ['PATH']}",
                       PYTHONPATH=str(RESOURCES / "python"), PYTHONDONTWRITEBYTECODE="1")
    printed = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8").stdout
    outputs = printed.split(BEHIND_A_COMMAND)[:-1]
    if len(outputs) != len(commands):
        raise RuntimeError("bash stopped before the end of\n" + "\n".join(commands) + "\n" + printed)
    return outputs


def run_block(block, folder):
    commands = commands_of(block)
    text = "```console\n"
    for command, output in zip(commands, outputs_of(commands, folder)):
        text += f"$ {command}\n" + "".join(line.rstrip() + "\n" for line in output.splitlines())
    return text + "```"


def furnish(folder, program):
    """What examples need."""
    (folder / "home").mkdir()
    (folder / "bin").mkdir()
    (folder / "bin" / "softscope").symlink_to(program)
    (folder / "bin" / "python3").symlink_to(sys.executable)
    (folder / "resources").symlink_to(RESOURCES)
    cat, person = RESOURCES / "pictures" / "chelsea.png", RESOURCES / "pictures" / "astronaut.jpg"
    shutil.copy(cat, folder / "cat.png")
    for part in ("train", "val"):
        for name, picture in (("cat", cat), ("person", person)):
            target = folder / "photos" / part / name
            target.mkdir(parents=True)
            shutil.copy(picture, target)


def folded_options(subcommand, tables):
    name = subcommand if subcommand == "softscope" else f"softscope {subcommand}"
    return (f"<!-- options of {subcommand} -->\n<details><summary>Options of <code>{name}</code></summary>\n\n{tables}\n\n"
            "</details>\n<!-- end of options -->")


def filled(text, program):
    """The page with options and outputs as the program has them."""
    text = NETWORKS.sub(lambda _: networks(program), text)
    text = OPTIONS.sub(lambda found: folded_options(found[1], options(program)[found[1]]), text)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        furnish(folder, program)

        def replaced(found):
            kind, block = found.groups()
            if kind == "console":
                return run_block(block, folder)
            file = re.match(r"# (\w+\.py)\n", block)
            if file:
                (folder / file[1]).write_text(block, encoding="utf-8")
            return found[0]

        return BLOCK.sub(replaced, text)


def pages():
    """Those with something to fill."""
    return [page for page in (GUIDE.parents[1] / "README.md", *sorted(GUIDE.glob("*.md")))
            if re.search(r"^(```console|<!-- (options of|networks) )", page.read_text(encoding="utf-8"), re.MULTILINE)]


if __name__ == "__main__":
    softscope = pathlib.Path(sys.argv[1]).resolve()
    if sys.argv[2:3] == ["--print"]:
        print(filled(pathlib.Path(sys.argv[3]).read_text(encoding="utf-8"), softscope), end="")
    else:
        for page in pages():
            page.write_text(filled(page.read_text(encoding="utf-8"), softscope), encoding="utf-8")
