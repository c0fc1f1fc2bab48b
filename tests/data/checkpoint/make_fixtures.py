"""Writes the fixtures of tests/checkpoint beside this file. Needs torch, numpy and safetensors."""

import argparse
import collections
import os
import pickle
import zipfile

import numpy
import torch
from safetensors.torch import save_file

FOLDER = os.path.dirname(os.path.abspath(__file__))


def path(name):
    return os.path.join(FOLDER, name)


def save(value, name, **options):
    torch.save(value, path(name), **options)


def every_type():
    """One tensor per element type, and the ways a tensor can lie in its storage."""
    base = torch.arange(24, dtype=torch.float32)
    state = collections.OrderedDict()
    state["float64"] = torch.tensor([[0.1, -2.5], [1e300, float("inf")]], dtype=torch.float64)
    state["float32"] = torch.tensor([[1.5, -2.25, 3.0]])
    state["float16"] = torch.tensor([1.5, -0.0009765625, float("nan")], dtype=torch.float16)
    state["bfloat16"] = torch.tensor([1.5, -3.0], dtype=torch.bfloat16)
    state["int64"] = torch.tensor([2**40, -7])
    state["int32"] = torch.tensor([2**30, -7], dtype=torch.int32)
    state["int16"] = torch.tensor([30000, -7], dtype=torch.int16)
    state["int8"] = torch.tensor([127, -128], dtype=torch.int8)
    state["uint8"] = torch.tensor([0, 255], dtype=torch.uint8)
    state["bool"] = torch.tensor([True, False, True])
    state["scalar"] = torch.tensor(42.5)
    state["empty"] = torch.zeros(0, 3)
    state["whole"] = base.view(4, 6)
    state["transposed"] = base.view(4, 6).t()
    state["slice"] = base.view(4, 6)[1:3, 2:5]
    state["tail"] = base[20:]
    state["expanded"] = torch.tensor([7.0, 8.0]).view(2, 1).expand(2, 3)
    state["parameter"] = torch.nn.Parameter(torch.tensor([9.0, 10.0]))
    return state


def filled(value, *names):
    return collections.OrderedDict((name, torch.full((2,), float(value))) for name in names)


class Unknown:
    """A class that the reader cannot know."""

    def __init__(self):
        self.inside = [1, 2, {"a": (3, 4)}]


class Shell:
    """What a malicious file would hold."""

    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return os.system, ("touch " + self.marker,)


def main():
    state = every_type()
    save(state, "types.pth")
    save(state, "types_legacy.pth", _use_new_zipfile_serialization=False)
    for protocol in (3, 4, 5):
        save(state, f"types_protocol{protocol}.pth", pickle_protocol=protocol)
    save(state, "types_legacy_protocol4.pth", pickle_protocol=4, _use_new_zipfile_serialization=False)
    save_file({name: value.detach().clone(memory_format=torch.contiguous_format) for name, value in state.items()},
              path("types.safetensors"), metadata={"family": "soft", "note": "größer"})

    args = argparse.Namespace(model="soft_tiny", lr=0.001, epochs=300, amp=True, layers=[1, 2])
    wrapped = {
        "model": filled(1, "a.weight", "a.bias"),
        "model_ema": filled(2, "a.weight", "a.bias"),
        "optimizer": {"state": {0: {"exp_avg": torch.ones(2)}}, "param_groups": [{"lr": 0.1}]},
        "epoch": 299, "max_accuracy": numpy.float64(79.5), "best": 79.25, "args": args,
        "extra": Unknown(),
    }
    save(wrapped, "wrapped.pth")
    save(wrapped, "wrapped_legacy.pth", _use_new_zipfile_serialization=False)
    save({"arch": "t2t_vit_7", "state_dict": filled(1, "a.weight"),
          "state_dict_ema": filled(2, "a.weight"), "metric": 71.5, "version": 2}, "timm.pth")
    save({"model": "cls_cvt", "state_dict": filled(3, "module.a.weight", "module.b"), "epoch": 7},
         "cvt.pth")
    save({"teacher": filled(2, "backbone.a.weight", "head.mlp.weight"),
          "student": filled(1, "module.backbone.a.weight", "module.head.mlp.weight"), "epoch": 3},
         "dino.pth")
    save({"state_dict": filled(4, "backbone.a", "backbone.b", "neck.c", "decode_head.d"),
          "meta": {"CLASSES": ("x", "y")}}, "segmenter.pth")
    save({"net": filled(5, "module.backbone.a", "module.backbone.b")}, "net.pth")
    save({"weights_of_mine": filled(6, "a")}, "other_key.pth")
    save(torch.nn.Linear(2, 2), "pickled_model.pth")
    save({"model": torch.nn.Linear(2, 2), "epoch": 3}, "pickled_model_wrapped.pth")
    save({"network": filled(1, "a.weight", "a.bias"), "best_acc": torch.tensor(0.81)}, "number_beside.pth")
    for average, trained in (("ema_model.module.", "model."), ("teacher.", "student.")):
        copies = {**{trained + name: value for name, value in filled(1, "a.weight", "a.bias").items()},
                  **{average + name: value for name, value in filled(2, "a.weight", "a.bias").items()}}
        save({"state_dict": {**copies, "criterion.weight": torch.full((3,), 7.0)}}, trained + "beside_average.pth")
    save({"model": filled(1, "a"), "run": Shell("softscope_was_here")}, "malicious.pth")
    save({"model": filled(1, "a"), "run": Shell("softscope_was_here")}, "malicious_legacy.pth",
         _use_new_zipfile_serialization=False)
    save({"a": torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8)}, "quantised.pth")
    save({"a": torch.ones(2, 2).to_sparse()}, "sparse.pth")
    save({"a": torch.ones(2, dtype=torch.complex64)}, "complex.pth")
    save({"a": torch.ones(2).to(torch.float8_e4m3fn)}, "float8.pth")
    save({"epoch": 3, "names": ["a", "b"]}, "no_weights.pth")
    save(torch.ones(3), "single_tensor.pth")
    torch.jit.script(torch.nn.Linear(2, 2)).save(path("torchscript.pt"))
    with open(path("plain.pkl"), "wb") as file:
        pickle.dump({"a": [1, 2, 3]}, file, protocol=2)
    with zipfile.ZipFile(path("types.pth")) as source, \
            zipfile.ZipFile(path("types_deflated.pth"), "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            target.writestr(name, source.read(name))
    save_file({"module.a": torch.ones(2), "module.b": torch.zeros(2)}, path("prefixed.safetensors"))


if __name__ == "__main__":
    main()
