#!python
"""The command softscope: the program in the package, which is not imported, as that would import torch."""
import importlib.util
import os
import sys

package = importlib.util.find_spec("softscope")
if package is None:
    sys.exit("softscope: the Python package softscope is not where this command looks; pip install it again")
program = os.path.join(package.submodule_search_locations[0], "program", "softscope")
os.execv(program, [program, *sys.argv[1:]])
