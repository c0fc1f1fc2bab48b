#!/usr/bin/env python3
"""Runs every Python example of the pages as it stands there, each in a process of its own.

    SnippetsTest.py SOFTSCOPE

EXAMPLES says what an example takes for granted, such as a model or a window that listens, and what has to hold after it.
Where timm is not installed, a small ViT under its names stands for it (standins/), and one for open_clip always, whose
weights an example would fetch. An example of pandas runs where that is installed.
"""
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.path.abspath(sys.argv.pop())

# Before every example: as at a prompt, where show() returns at once. Weights of timm's models are not fetched.
START = f"""
import os, re, subprocess, sys
sys.path[:0] = [{str(ROOT / "python")!r}, {str(ROOT / "resources" / "python")!r}]
sys.path.append({str(ROOT / "tests" / "python" / "standins")!r})
sys.ps1 = ""
windows = []
import timm
create = timm.create_model
timm.create_model = lambda name, pretrained=False: create(name)
"""
MODEL = """
import softscope, torch
from timm.data import create_transform, resolve_data_config
torch.manual_seed(0)
model = timm.create_model("vit_tiny_patch16_224").eval()
transform = create_transform(**resolve_data_config(model.pretrained_cfg))
picture = torch.randn(1, 3, 224, 224)
"""
PIXELS = MODEL + """
import numpy
x, picture = picture, numpy.zeros((224, 224, 3), numpy.uint8)
"""
RECORDING = MODEL + """
recording = softscope.record(model, picture)
recording.save("rec.npz")
"""
# The address that it prints stands where the page has one of its kind.
LISTENING = MODEL + """
from softscope import live
windows.append(subprocess.Popen([PROGRAM, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True))
address = None
while address is None:
    address = re.search(r'connect\\("([^"]+)"', windows[0].stdout.readline())
reached = live.connect_to
live.connect_to = lambda asked: reached(address[1] if asked == "127.0.0.1:8765/0f3a…" else asked)
"""
TRAINING = LISTENING + """
batches = range(101)
sent = []
log = softscope.log
softscope.log = lambda *arguments, **options: sent.append(log(*arguments, **options))
def train(model, batch): model.train()
"""
FORWARD = MODEL + """
def my_kernel(q, k, v): return (q @ k.transpose(-2, -1) / 8 ** 0.5).softmax(-1) @ v
"""
FORWARD_RUNS = """
class Kernel(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.last = torch.nn.Linear(16, 48), torch.nn.Linear(16, 16)
    def project(self, x): return self.qkv(x).reshape(1, 49, 3, 2, 8).permute(2, 0, 3, 1, 4)
    def proj(self, output): return self.last(output.transpose(1, 2).reshape(1, 49, 16))
Kernel.forward = forward
layer = softscope.record(Kernel(), torch.randn(1, 49, 16)).layers[0]
assert layer.refused is None and layer.verified < 1e-4, layer
"""
TEXTS = f"sys.path.insert(0, {str(ROOT / 'tests' / 'python' / 'standins')!r})"
SHOWN = "assert len(softscope.live._windows) == 1"
SAVED = "assert os.path.getsize('rec.npz') > 0"

# By page and the example's first line: what stands before it, and what has to hold after it.
EXAMPLES = {
    ("README.md", "import numpy as np"): ("", SAVED),
    ("README.md", "import softscope"): (MODEL, SHOWN),
    ("docs/guide/your-own-model.md", "import softscope"): (MODEL, SHOWN),
    ("docs/guide/your-own-model.md", "# record.py"): ("", "assert os.path.getsize('mixer.npz') > 0"),
    ("docs/guide/your-own-model.md", "# rec.py"): ("", SAVED),
    ("docs/guide/command-line.md", "import numpy, open_clip"):
        (TEXTS, "assert numpy.load('words.npy').shape == (2, 512)"),
    ("docs/live.md", "import softscope, timm"): ("", SHOWN),
    ("docs/live.md", "for step, batch in enumerate(batches):"):
        (TRAINING, "assert sent == [True, True] and model.training, sent"),
    ("docs/live.md", 'softscope.connect("127.0.0.1:8765/0f3a…", model, "cat.jpg", transform=transform)'): (LISTENING, ""),
    ("docs/python.md", "import softscope, timm"):
        ("", SAVED + "\nassert recording.layers and recording.recorded() == recording.layers, recording"),
    ("docs/python.md", "recording"): (RECORDING, "assert recording._repr_png_().startswith(b'\\x89PNG')"),
    ("docs/python.md", 'png = softscope.figure(model, "cat.jpg", "blocks.3.attn", mean=[0.5] * 3, std=[0.5] * 3, size=224)'):
        (MODEL + f"\nimport shutil; shutil.copy({str(ROOT / 'resources/checkpoints/soft_everyday10.safetensors')!r}, 'soft.safetensors')",
         "assert png.startswith(b'\\x89PNG') and pdf.startswith(b'%PDF')"),
    ("docs/python.md", "recording = softscope.record(model, picture)"):
        (MODEL, "assert not torch.equal(logits, model(picture))"),
    ("docs/python.md", "def forward(self, x):"): (FORWARD, FORWARD_RUNS),
    ("docs/python.md", 'row = softscope.jacobian(model, picture, 100, "blocks.3", transform=transform)'):
        (MODEL + "picture = 'cat.jpg'", "assert len(row.norms) == len(row.error) == 197"),
    ("docs/recordings.md", "import numpy as np"): ("", SAVED),
    ("docs/recordings.md", "from softscope_record import recording"): (PIXELS, SAVED),
    ("docs/survey.md", "import pandas, sqlite3"): ("", ""),
}
NEEDED = {("docs/survey.md", "import pandas, sqlite3"): "pandas"}


def snippets():
    """(page, first line without its comment, text) of every block of Python."""
    for page in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("resources/*/README.md")]):
        for text in re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
            yield str(page.relative_to(ROOT)), re.sub(r"(?<=\S) {2,}#.*", "", text.splitlines()[0]), text


class SnippetsTest(unittest.TestCase):
    def test_every_example_runs(self):
        found = {(page, first): text for page, first, text in snippets()}
        self.assertEqual(set(found), set(EXAMPLES))
        for example, text in found.items():
            needed = NEEDED.get(example)
            with self.subTest(example=example):
                if needed is not None and importlib.util.find_spec(needed) is None:
                    self.skipTest(f"{needed} is not installed")
                before, after = EXAMPLES[example]
                self.run_example(before, text, after)

    def run_example(self, before, text, after):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o700)
            shutil.copy(ROOT / "resources/pictures/astronaut.jpg", os.path.join(folder, "cat.jpg"))
            script = f"{START}\nPROGRAM = {PROGRAM!r}\n{before}\ntry:\n    exec({text!r})\n    exec({after!r})\n" + \
                "finally:\n    if 'softscope' in sys.modules:\n        windows += sys.modules['softscope'].live._windows\n" \
                "    for window in windows: window.kill()\n"
            environment = {**os.environ, "XDG_RUNTIME_DIR": folder, "HOME": folder, "QT_QPA_PLATFORM": "offscreen",
                           "SOFTSCOPE": PROGRAM, "DISPLAY": "none", "PYTHONDONTWRITEBYTECODE": "1"}
            outcome = subprocess.run([sys.executable, "-c", script], cwd=folder, env=environment, capture_output=True,
                                     text=True, check=False, timeout=600)
            self.assertEqual(outcome.returncode, 0, outcome.stderr)


if __name__ == "__main__":
    unittest.main()
