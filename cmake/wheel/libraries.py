"""The shared libraries that programs need, found by what they name, and copied into one folder."""
import os
import re
import shutil
import subprocess

FOLDER = "/usr/lib/x86_64-linux-gnu"
# Libraries of the system, which PEP 600 lets a wheel expect.
OF_THE_SYSTEM = re.compile(r"ld-linux-x86-64\.so|lib(c|m|dl|rt|pthread|resolv|stdc\+\+|gcc_s)\.so")
# Nothing in the wheel computes with these, but OpenCV is linked to them: the small ones, whichever the system prefers.
SMALL = {"libblas.so.3": f"{FOLDER}/blas/libblas.so.3", "liblapack.so.3": f"{FOLDER}/lapack/liblapack.so.3"}
# absent_decoders.c stands for these.
ABSENT = ("libgdal.so.32", "libgdcmMSFF.so.3.0", "libgdcmDSED.so.3.0")


def needed_by(path):
    """The libraries that a file names."""
    text = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.+)\]", text)


def library_file(name):
    path = SMALL.get(name, os.path.join(FOLDER, name))
    if not os.path.exists(path):
        raise SystemExit(f"{name} is not in {FOLDER}; which package of Debian has it?")
    return os.path.realpath(path)


def libraries_of(files):
    """{name: file of the system} of all that the files need, directly or not; those in `files` themselves left out."""
    found = {}
    waiting = list(files)
    own = {os.path.basename(path) for path in files}
    while waiting:
        for name in needed_by(waiting.pop()):
            if name in found or name in own or name in ABSENT or OF_THE_SYSTEM.match(name):
                continue
            found[name] = library_file(name)
            waiting.append(found[name])
    return found


def copy_libraries(found, folder):
    os.makedirs(folder, exist_ok=True)
    for name, path in found.items():
        shutil.copyfile(path, os.path.join(folder, name))


def build_absent(source, folder):
    for name in ABSENT:
        subprocess.run(["cc", "-shared", "-O1", "-s", "-nostdlib", f"-Wl,-soname,{name}", "-o",
                        os.path.join(folder, name), source], check=True)


def look_in(files, where):
    """Makes files find libraries in a folder relative to their own."""
    for path in files:
        subprocess.run(["patchelf", "--force-rpath", "--set-rpath", f"$ORIGIN/{where}".rstrip("/"), path], check=True)
