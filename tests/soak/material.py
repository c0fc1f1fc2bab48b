"""What a soak opens: a model of every family, pictures small and large, and workspaces of both."""
import json
import pathlib
import subprocess
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECKPOINTS = ROOT / "resources" / "checkpoints"
PICTURES = ROOT / "resources" / "pictures"
# The small networks whose outputs the tests compare with the official code: each family, and each way to save one.
GOLDEN = ROOT / "tests" / "data" / "golden"
CHECKPOINT_SUFFIXES = (".pth", ".pt", ".pt2", ".ckpt", ".safetensors")

# From 24 megapixels to a strip.
LARGE_PICTURES = {"large.jpg": "6000x4000", "large.png": "5000x3000", "tall.png": "700x9000", "wide.jpg": "12000x800"}
PAGES = ["heads", "compare", "overview", "saliency", "rollout", "reach", "class", "tokens", "matrix", "spectrum", "sinks", "bottleneck",
         "convergence", "norms", "share", "deletion", "cost", "survey", "models"]
# The published size twice; the last makes 36 864 tokens in the first stage of SOFT.
INPUT_SIZES = ["", "", "224", "320", "448x224", "512", "768"]


def bundled_models():
    return sorted(CHECKPOINTS.glob("*.safetensors"))


def golden_models(folder):
    """Unpacks the cases of the papers' code into a folder; gives the paths of their checkpoints."""
    for name in ("papers.zip", "papers_192.zip"):
        with zipfile.ZipFile(GOLDEN / name) as archive:
            archive.extractall(folder)
    return sorted(path for path in folder.rglob("*") if path.suffix in CHECKPOINT_SUFFIXES)


def write_large_pictures(folder):
    """A photograph, enlarged to each of LARGE_PICTURES; gives their paths."""
    folder.mkdir()
    for name, size in LARGE_PICTURES.items():
        subprocess.run(["convert", str(PICTURES / "chelsea.png"), "-resize", size + "!", str(folder / name)], check=True)
    return [folder / name for name in LARGE_PICTURES]


def write_standard_workspace(path):
    """Two models on a picture, always the same: memory is read with nothing else open."""
    models = [{"path": str(CHECKPOINTS / f"{name}_everyday10.safetensors"), "layer": "block2.0.att.mha.attn"}
              for name in ("soft_norm", "sima")]
    state = {"softscope": 1, "picture": {"path": str(PICTURES / "chelsea.png")}, "models": models, "page": "heads"}
    path.write_text(json.dumps(state))


class Material:
    """The files of one soak; what has to be made is made in its folder `out`."""

    def __init__(self, out):
        self.checkpoints = bundled_models() + golden_models(out / "golden")
        small = [path for path in sorted(PICTURES.iterdir()) if path.suffix in (".png", ".jpg")]
        self.pictures = small + write_large_pictures(out / "pictures")
        self.workspace = out / "random.softscope"

    def write_workspace(self, random):
        """Up to three models on a picture, at any size; gives its path."""
        models = [{"path": str(path), "inputSize": random.choice(INPUT_SIZES)}
                  for path in random.sample(self.checkpoints, random.randint(1, 3))]
        state = {"softscope": 1, "picture": {"path": str(random.choice(self.pictures))}, "models": models,
                 "page": random.choice(PAGES)}
        self.workspace.write_text(json.dumps(state))
        return self.workspace
