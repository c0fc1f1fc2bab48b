#!/usr/bin/env python3
"""What docs/python.md promises of the package: its names, their parameters, and that each says what it is for.

    ContractTest.py [--write]      --write prints the lines of the page
"""
import inspect
import os
import re
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(ROOT, "python"))
import softscope  # noqa: E402

# Classes with what of them is promised, beside the functions of the package.
MEMBERS = {"Recording": ["layers", "entries", "recorded", "refused", "heads", "refusals", "additions", "save", "to_bytes",
                         "figure"],
           "Layer": ["name", "heads", "map", "verified", "beside", "refused"], "Head": ["shape", "row", "matrix"],
           "JacobianRow": ["norms", "error", "directions"], "Live": ["name", "model", "is_open", "wait", "close"]}
CLASSES = {"Layer": softscope.recorded.Layer, "Head": softscope.recorded.Head}


def parameters_of(function):
    """`model, picture, *, size=None, **options` without types."""
    said, after_star = [], False
    for name, parameter in inspect.signature(function).parameters.items():
        if name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not after_star:
            said.append("*")
            after_star = True
        if parameter.kind is parameter.VAR_KEYWORD:
            said.append(f"**{name}")
        elif parameter.default is parameter.empty:
            said.append(name)
        else:
            said.append(f"{name}={parameter.default!r}")
    return ", ".join(said)


def promised():
    """The lines of the page: functions with their parameters, and classes with their members."""
    lines = []
    for name in sorted(softscope.__all__, key=str.lower):
        if not inspect.isclass(getattr(softscope, name)):
            lines.append(f"{name}({parameters_of(getattr(softscope, name))})")
    for name, members in MEMBERS.items():
        class_ = CLASSES.get(name) or getattr(softscope, name)
        for member in members:
            function = getattr(class_, member, None)
            lines.append(f"{name}.{member}" + (f"({parameters_of(function)})" if callable(function) else ""))
    return lines


class ContractTest(unittest.TestCase):
    def test_the_page_lists_what_there_is(self):
        with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as file:
            section = file.read().split("\n## All names\n")[1].split("\n## ")[0]
        listed = re.sub(r"\n {8,}", " ", section)  # long lines go on in the next
        self.assertEqual(re.findall(r"^    (\S.*)$", listed, re.MULTILINE), promised())

    def test_the_package_has_no_other_names(self):
        public = {name for name, value in vars(softscope).items() if not name.startswith("_") and
                  not inspect.ismodule(value)}
        self.assertEqual(public, set(softscope.__all__))
        self.assertEqual({name for name in MEMBERS if name not in CLASSES},
                         {name for name in softscope.__all__ if inspect.isclass(getattr(softscope, name))})

    def test_everything_says_what_it_is_for(self):
        for name in softscope.__all__:
            self.assertTrue((getattr(softscope, name).__doc__ or "").strip(), name)
        for name, members in MEMBERS.items():
            class_ = CLASSES.get(name) or getattr(softscope, name)
            self.assertTrue((class_.__doc__ or "").strip(), name)
            for member in members:
                function = getattr(class_, member, None)
                if callable(function):
                    self.assertTrue((function.__doc__ or "").strip(), f"{name}.{member}")

    def test_parameters_of_functions_are_described(self):
        """Those that a caller has to choose are named in the text of their function, or in that of record()."""
        known = inspect.getdoc(softscope.record)
        for name in ("record", "jacobian", "connect", "log", "show", "silenced", "record_attention"):
            function = getattr(softscope, name)
            for parameter in inspect.signature(function).parameters.values():
                if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL) or parameter.name == "model":
                    continue
                text = f"{inspect.getdoc(function)} {known}"
                self.assertRegex(text, rf"\b{parameter.name}\b", f"{name}(): {parameter.name}")

    def test_members_are_there(self):
        import torch
        layer = softscope.recorded.Layer("a", softscope.maps.Map({"attn": torch.eye(3)[None]}), 0.0, None)
        known = {"Recording": softscope.Recording(), "Layer": layer, "Head": layer.heads[0],
                 "JacobianRow": softscope.JacobianRow(None, None, 1), "Live": softscope.Live(None, "a", {}, "")}
        for name, members in MEMBERS.items():
            for member in members:
                self.assertTrue(hasattr(known[name], member), f"{name}.{member}")


if __name__ == "__main__":
    if "--write" in sys.argv:
        print("\n".join(f"    {line}" for line in promised()))
    else:
        sys.argv = sys.argv[:1]
        unittest.main()
