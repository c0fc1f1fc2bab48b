#!/usr/bin/env python3
"""A library in the place of one that is loaded and not needed.

    stub_library.py REAL OUTPUT USER...

OpenCV pulls in GDAL, GDCM and LAPACK, 150 MB of libraries, for files and decompositions that nothing here needs. OUTPUT has
the name and those symbols of REAL that the libraries USER... ask for; each function does nothing and returns 0: a decoder that recognises no file.
"""
import pathlib
import subprocess
import sys


def symbols(library, which):
    """Name and size of each dynamic symbol of the library that is (`which`) defined or undefined."""
    told = subprocess.run(["readelf", "--dyn-syms", "--wide", library], check=True, capture_output=True, text=True).stdout
    found = {}
    for words in map(str.split, told.splitlines()):
        if len(words) < 8 or not words[0].rstrip(":").isdigit():
            continue
        if (words[6] == "UND") == (which == "undefined"):
            found[words[7].split("@")[0]] = (words[3], int(words[2], 0))
    return found


def main(real, output, *users):
    wanted = {name for user in users for name in symbols(user, "undefined")}
    lines = []
    for name, (kind, size) in sorted(symbols(real, "defined").items()):
        if name not in wanted:
            continue
        if kind == "OBJECT":
            lines.append(f'.data\n.globl "{name}"\n.type "{name}",@object\n.size "{name}",{size}\n"{name}": .zero {max(size, 8)}')
        else:
            lines.append(f'.text\n.globl "{name}"\n.type "{name}",@function\n"{name}": xorl %eax, %eax\nret')
    lines.append('.section .note.GNU-stack,"",@progbits\n')
    name = pathlib.Path(output).name
    subprocess.run(["gcc", "-shared", "-nostdlib", "-x", "assembler", "-", f"-Wl,-soname,{name}", "-o", output],
                   input="\n".join(lines), text=True, check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
