"""python -m softscope is the program."""

import os
import sys

from .program import find_program

try:
    program = find_program()
except FileNotFoundError as error:
    sys.exit(f"softscope: {error}")
os.execv(program, [program, *sys.argv[1:]])
