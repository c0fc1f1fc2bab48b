#!/usr/bin/env python3
"""Makes the wheel: the Python package, the program in it, and what the program needs.

    make_wheel.py INSTALLED RECORDING DIST

INSTALLED is where `cmake --install` has put the program, RECORDING the one that the window opens first. Prints the
wheel's path. ./package wheel calls this.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

from libraries import ABSENT, FOLDER, build_absent, copy_libraries, libraries_of, look_in
from licences import write_licences

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
PLUGINS = ("iconengines/libqsvgicon.so", "imageformats/libqjpeg.so", "imageformats/libqsvg.so",
           "platforminputcontexts/libcomposeplatforminputcontextplugin.so",
           "platforminputcontexts/libibusplatforminputcontextplugin.so",
           "platforms/libqminimal.so", "platforms/libqoffscreen.so", "platforms/libqxcb.so")
FONTS = "/usr/share/fonts/truetype/dejavu"
# Checkpoints need LibTorch, and the recorder of one file is in the Python package.
LEFT_OUT = ("checkpoints", "python")


def metadata(folder):
    """Puts the package and its .dist-info into a folder, as its pyproject.toml describes both."""
    with tempfile.TemporaryDirectory() as copied:
        sources = os.path.join(copied, "python")
        shutil.copytree(os.path.join(SOURCE, "python"), sources,
                        ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
        shutil.copytree(os.path.join(sources, "softscope"), os.path.join(folder, "softscope"))
        code = f"from setuptools import build_meta; print(build_meta.prepare_metadata_for_build_wheel({folder!r}))"
        told = subprocess.run([sys.executable, "-c", code], cwd=sources, capture_output=True, text=True, check=True)
    return os.path.join(folder, told.stdout.splitlines()[-1])


def tag():
    libc = os.confstr("CS_GNU_LIBC_VERSION").split()[1].replace(".", "_")
    return f"py3-none-manylinux_{libc}_x86_64"


def describe(info):
    with open(os.path.join(info, "WHEEL"), "w", encoding="utf-8") as file:
        file.write(f"Wheel-Version: 1.0\nGenerator: softscope\nRoot-Is-Purelib: false\nTag: {tag()}\n")


def copy_program(installed, recording, program):
    shutil.copytree(os.path.join(installed, "libexec"), os.path.join(program, "libexec"),
                    ignore=shutil.ignore_patterns("environment.sh"))
    shutil.copytree(os.path.join(installed, "share", "softscope"), os.path.join(program, "share", "softscope"),
                    ignore=shutil.ignore_patterns(*LEFT_OUT))
    os.makedirs(os.path.join(program, "share", "softscope", "recordings"))
    shutil.copy(recording, os.path.join(program, "share", "softscope", "recordings"))
    for plugin in PLUGINS:
        target = os.path.join(program, "plugins", plugin)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(os.path.join(FOLDER, "qt6/plugins", plugin), target)
    shutil.copytree(FONTS, os.path.join(program, "fonts"), ignore=shutil.ignore_patterns("*Serif*", "*Condensed*",
                    "*ExtraLight*", "*Oblique*", "*Math*"))
    shutil.copy(os.path.join(HERE, "softscope.sh"), os.path.join(program, "softscope"))
    shutil.copy(os.path.join(HERE, "fonts.conf"), program)
    with open(os.path.join(program, "libexec/softscope/qt.conf"), "w", encoding="utf-8") as file:
        file.write("[Paths]\nPrefix = ../..\nPlugins = plugins\n")


def bring_libraries(program):
    """Copies what the program needs. Returns the files of the system that were copied."""
    library = os.path.join(program, "lib")
    programs = glob.glob(os.path.join(program, "libexec/softscope/*softscope*"))
    plugins = [os.path.join(program, "plugins", plugin) for plugin in PLUGINS]
    found = libraries_of(programs + plugins)
    copy_libraries(found, library)
    look_in(glob.glob(os.path.join(library, "*")), "")
    build_absent(os.path.join(HERE, "absent_decoders.c"), library)
    look_in(programs + plugins, "../../lib")
    return sorted(found.values()) + [os.path.join(FOLDER, "qt6/plugins", plugin) for plugin in PLUGINS] + \
        [os.path.join(FONTS, name) for name in os.listdir(os.path.join(program, "fonts"))]


def main():
    installed, recording, dist = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        info = metadata(folder)
        describe(info)
        program = os.path.join(folder, "softscope", "program")
        copy_program(installed, recording, program)
        files = bring_libraries(program)
        licences = os.path.join(info, "licenses")
        write_licences(files, licences)
        scripts = os.path.join(folder, os.path.basename(info).replace(".dist-info", ".data"), "scripts")
        os.makedirs(scripts)
        shutil.copy(os.path.join(HERE, "command.py"), os.path.join(scripts, "softscope"))
        shutil.copy(os.path.join(SOURCE, "LICENSE"), licences)
        shutil.copy(os.path.join(SOURCE, "cmake/debian/copyright"), os.path.join(licences, "SOFTSCOPE.txt"))
        os.makedirs(dist, exist_ok=True)
        subprocess.run([sys.executable, "-m", "wheel", "pack", folder, "-d", dist], check=True, stdout=subprocess.DEVNULL)
    print(max(glob.glob(os.path.join(dist, "softscope-*.whl")), key=os.path.getmtime))


if __name__ == "__main__":
    main()
