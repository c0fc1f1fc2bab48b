#!/usr/bin/env python3
"""Makes the cases of this folder again, or checks them, with the official implementations.

    make_golden.py --soft SOFT --sima sima --xcit xcit ... OUT            writes new random cases into OUT
    make_golden.py --soft SOFT --sima sima --xcit xcit ... --check OUT    runs the cases stored in OUT, where papers.zip
                                                                          and papers_192.zip were unpacked

Each option names a checkout of that repository; cases whose repositories are not given are left out. Needs torch 1.13
or newer, NumPy, einops and timm 0.4.12. README.md says what the files are and which changes the code needs on a CPU.
"""

import argparse
import collections.abc
import contextlib
import importlib
import importlib.util
import json
import math
import os
import sys
import types
from functools import partial
from unittest import mock

REPOSITORIES = {
    "soft": "fudan-zvg/SOFT",
    "sima": "UCDvision/sima",
    "xcit": "facebookresearch/xcit",
    "deit": "facebookresearch/deit",
    "cvt": "microsoft/CvT",
    "t2t": "yitu-opensource/T2T-ViT",
    "nystromformer": "mlpen/Nystromformer",
    "performer": "lucidrains/performer-pytorch",
    "nonlocal": "AlexHex7/Non-local_pytorch",
}

# Largest difference relative to the largest magnitude stored, as the C++ tests allow it.
BOUND = 1e-4
INVERSE_BOUND = 1e-3

# Of more queries than this, only five rows are stored.
MOST_ROWS = 512

# The only layer whose queries are stored whole.
QUERIES = ("soft", "block1.0.att.mha.attn")


class Failure(Exception):
    """What is told in one line."""


class Stub(types.ModuleType):
    """Stands for a module that is imported but never used: every name in it is an empty class."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def stub_absent(*names):
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            sys.modules[name] = Stub(name)


try:
    import numpy as np
    import torch
    from torch import nn
except ImportError as error:
    sys.exit(f"make_golden.py: {error}; torch and NumPy are needed")


# ---------------------------------------------------------------------------------------------------------------------
# The official code, imported from its checkouts


def prepare_imports():
    """Lets the official files be imported without a GPU, cv2, scipy, torchvision, and an old torch."""
    if importlib.util.find_spec("torchvision") is None:
        sys.modules["timm.data"] = Stub("timm.data")
    stub_absent("cv2", "scipy", "local_attention", "axial_positional_embedding", "torch._six")
    sys.modules["torch._six"].container_abcs = collections.abc


def package(name, *folders):
    """Makes a package of folders without running their __init__.py; the first folder that has a module gives it."""
    for folder in folders:
        if not os.path.isdir(folder):
            raise Failure(f"{folder}: no such folder; is this the right checkout?")
    made = types.ModuleType(name)
    made.__path__ = list(folders)
    sys.modules[name] = made
    return made


def load_soft(checkouts):
    root = checkouts["soft"]
    package("SOFT", os.path.join(root, "SOFT"))._C = Stub("SOFT._C")
    package("golden_soft", os.path.join(root, "models"))
    inverse = importlib.import_module("SOFT.kernel.inverse")
    kernels = importlib.import_module("golden_soft.softmax_free_transformer")
    # The function of this name asks for CUDA and then calls newton_inv.
    kernels.newton_inverse_kernel = inverse.newton_inv
    # The constructor of SOFT++'s kernel calls super() with a name that is defined nowhere.
    kernels.SoftmaxFreeSymNormAttentionKernel = kernels.SoftmaxFreeNormAttentionKernel
    return importlib.import_module("golden_soft.softmax_free_vision_transformer")


def load_file(checkouts, repository, folder, module):
    name = f"golden_{repository}"
    if name not in sys.modules:
        package(name, os.path.join(checkouts[repository], folder))
    return importlib.import_module(f"{name}.{module}")


def load_nystromformer_t2t(checkouts):
    package("golden_nystromformer_t2t", os.path.join(checkouts["nystromformer"], "ImageNet", "T2T-ViT", "models"),
            os.path.join(checkouts["t2t"], "models"))
    return importlib.import_module("golden_nystromformer_t2t.t2t_vit")


def load_performer(checkouts):
    package("performer_pytorch", os.path.join(checkouts["performer"], "performer_pytorch"))
    return importlib.import_module("performer_pytorch.performer_pytorch")


# ---------------------------------------------------------------------------------------------------------------------
# Models


def norm_layer(config):
    return partial(nn.LayerNorm, eps=config["norm_eps"])


def build_soft(checkouts, config, _):
    code = load_soft(checkouts)
    kind = code.SoftmaxFreeNormVisionTransformer if config["norm"] else code.SoftmaxFreeVisionTransformer
    return kind(patch_size=4, num_classes=config["classes"], embed_dims=config["embed_dims"],
                num_heads=config["num_heads"], mlp_ratios=[4, 4, 4, 4], qkv_bias=True, norm_layer=norm_layer(config),
                depths=config["depths"], sr_ratios=config["sr_ratios"], kernel_method="torch")


def build_xcit(checkouts, config, _):
    repository = config["kind"]
    code = load_file(checkouts, repository, "", repository)
    kind = code.SimAVisionTransformer if repository == "sima" else code.XCiT
    # Synchronised batch norms refuse tensors on the CPU; parameters and results of plain ones are the same.
    with mock.patch.object(nn, "SyncBatchNorm", nn.BatchNorm2d):
        return kind(patch_size=config["patch"], num_classes=config["classes"], embed_dim=config["embed_dim"],
                    depth=config["depth"], num_heads=config["num_heads"], norm_layer=norm_layer(config), eta=1.0,
                    tokens_norm=config["tokens_norm"])


def build_deit(checkouts, config, picture):
    code = load_file(checkouts, "deit", "", "models")
    model = code.VisionTransformer(img_size=picture, patch_size=config["patch"], num_classes=config["classes"],
                                   embed_dim=config["embed_dim"], depth=config["depth"], qkv_bias=True,
                                   num_heads=config["num_heads"], norm_layer=norm_layer(config))
    if config["attention"] == "sima":
        attention = load_file(checkouts, "sima", "", "sima").SimA
        for block in model.blocks:
            block.attn = attention(config["embed_dim"], num_heads=config["num_heads"], qkv_bias=True)
    return model


def build_t2t(checkouts, config, _):
    if config["tokens_type"] == "nystromformer":
        code = load_nystromformer_t2t(checkouts)
    else:
        code = load_file(checkouts, "t2t", "models", "t2t_vit")
    return code.T2T_ViT(img_size=config["img"], tokens_type=config["tokens_type"], num_classes=config["classes"],
                        embed_dim=config["embed_dim"], depth=config["depth"], num_heads=config["num_heads"],
                        mlp_ratio=config["mlp_ratio"])


def build_cvt(checkouts, config, _):
    code = load_file(checkouts, "cvt", os.path.join("lib", "models"), "cls_cvt")
    stages = len(config["dims"])
    same = {"MLP_RATIO": 4.0, "QKV_BIAS": True, "DROP_RATE": 0.0, "ATTN_DROP_RATE": 0.0, "DROP_PATH_RATE": 0.0,
            "QKV_PROJ_METHOD": "dw_bn", "KERNEL_QKV": 3, "PADDING_Q": 1, "PADDING_KV": 1, "STRIDE_Q": 1,
            "STRIDE_KV": 2}
    spec = {key: [value] * stages for key, value in same.items()}
    spec.update(NUM_STAGES=stages, PATCH_SIZE=[7, 3, 3], PATCH_STRIDE=[4, 2, 2], PATCH_PADDING=[2, 1, 1],
                DIM_EMBED=config["dims"], NUM_HEADS=config["heads"], DEPTH=config["depth"],
                CLS_TOKEN=[False, False, True])
    return code.ConvolutionalVisionTransformer(num_classes=config["classes"], act_layer=code.QuickGELU,
                                               norm_layer=partial(code.LayerNorm, eps=config["norm_eps"]), spec=spec)


# How each family's checkpoints are wrapped where they are published.
def wrap_training(state):
    return {"model": state, "optimizer": {"state": {}, "param_groups": [{"lr": 0.001, "params": [0, 1]}]},
            "epoch": 299, "args": argparse.Namespace(lr=0.001, model="x", data=None)}


def wrap_model(state):
    return {"model": state}


def wrap_saver(state):
    return {"epoch": 309, "arch": "t2t", "state_dict": state, "state_dict_ema": state, "metric": 81.5, "version": 2}


def wrap_bare(state):
    return state


# build, wrap, gain of the random weights, layers with a class token
FAMILIES = {
    "soft": (build_soft, wrap_training, 1.0, ("block4.",)),
    "sima": (build_xcit, wrap_training, 1.0, ("cls_attn_blocks.",)),
    "xcit": (build_xcit, wrap_model, 1.0, ("cls_attn_blocks.",)),
    "deit": (build_deit, wrap_model, 1.5, ("blocks.",)),
    "t2t": (build_t2t, wrap_saver, 1.0, ("blocks.",)),
    "cvt": (build_cvt, wrap_bare, 1.3, ("stage2.",)),
}


def soft_config(norm):
    return {"embed_dims": [16, 32, 48, 64], "num_heads": [2, 2, 3, 4], "depths": [1, 2, 1, 1],
            "sr_ratios": [8, 4, 2, 1], "norm": norm, "classes": 10, "norm_eps": 1e-6}


def xcit_config(kind, width, depth, tokens_norm, grid):
    return {"embed_dim": width, "num_heads": 4, "depth": depth, "patch": 16, "kind": kind, "classes": 10,
            "norm_eps": 1e-6, "tokens_norm": tokens_norm, "grid": grid, "stored": "float16"}


def deit_config(attention):
    return {"embed_dim": 128, "num_heads": 2, "depth": 2, "patch": 16, "classes": 10, "attention": attention,
            "norm_eps": 1e-6, "legacy_pickle": attention == "softmax", "grid": [4, 6], "stored": "float16"}


def t2t_config(tokens_type):
    return {"tokens_type": tokens_type, "img": 64, "embed_dim": 128, "depth": 2, "num_heads": 2, "mlp_ratio": 3.0,
            "classes": 10, "stored": "float16"}


CVT_CONFIG = {"dims": [64, 128, 128], "depth": [1, 1, 1], "heads": [1, 2, 2], "classes": 10, "norm_eps": 1e-5,
              "stored": "float16"}

# family, repositories needed, height and width of the picture, configuration
CASES = {
    "soft": ("soft", ("soft",), (96, 128), soft_config(False)),
    "soft_norm": ("soft", ("soft",), (96, 128), soft_config(True)),
    "sima": ("sima", ("sima",), (96, 128), xcit_config("sima", 128, 2, False, [6, 8])),
    "sima_192": ("sima", ("sima",), (64, 80), xcit_config("sima", 192, 1, True, [4, 5])),
    "xcit": ("xcit", ("xcit",), (96, 128), xcit_config("xcit", 128, 2, False, [6, 8])),
    "xcit_192": ("xcit", ("xcit",), (80, 64), xcit_config("xcit", 192, 1, True, [5, 4])),
    "deit": ("deit", ("deit",), (64, 96), deit_config("softmax")),
    "deit_sima": ("deit", ("deit", "sima"), (64, 96), deit_config("sima")),
    "t2t_performer": ("t2t", ("t2t",), (64, 64), t2t_config("performer")),
    "t2t_transformer": ("t2t", ("t2t",), (64, 64), t2t_config("transformer")),
    "t2t_nystromformer": ("t2t", ("t2t", "nystromformer"), (64, 64), t2t_config("nystromformer")),
    "cvt": ("cvt", ("cvt",), (64, 96), CVT_CONFIG),
}


# ---------------------------------------------------------------------------------------------------------------------
# Random weights


def randomise(model, gain):
    """Draws every weight so that no layer is near the identity; tables that are never trained stay as built."""
    norms = (nn.LayerNorm, nn.modules.batchnorm._BatchNorm)
    for module in model.modules():
        for name, parameter in module.named_parameters(recurse=False):
            if parameter.requires_grad:
                draw_parameter(name, parameter.data, gain, isinstance(module, norms))
        for name, buffer in module.named_buffers(recurse=False):
            draw_buffer(name, buffer)


def draw_parameter(name, values, gain, of_norm):
    if of_norm:
        values.normal_(*((1, 0.3) if name == "weight" else (0, 0.2)))
    elif name == "weight":
        values.normal_(0, gain / math.sqrt(values[0].numel()))
    elif name.startswith("gamma"):
        values.uniform_(0.2, 1)
    elif name == "temperature":
        values.uniform_(0.5, 3.5)
    else:
        values.normal_(0, 0.1 if name == "bias" else 0.3)


def draw_buffer(name, values):
    if name == "running_mean":
        values.normal_(0, 0.2)
    elif name == "running_var":
        values.uniform_(0.5, 2)
    elif name == "num_batches_tracked":
        values.fill_(1000)


# ---------------------------------------------------------------------------------------------------------------------
# What the official modules multiply their values by


def dropped(module, arguments):
    """The matrix that reaches the module's dropout of attention, [heads, queries, keys]."""
    seen = []
    hook = module.attn_drop.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    module(*arguments)
    hook.remove()
    matrix = seen[0][0]
    return matrix.unsqueeze(1) if matrix.dim() == 2 else matrix


def probed(module, arguments, values, result, heads):
    """What the module multiplies its values by, [heads, tokens, tokens], where no line of its code holds that matrix.

    Columns of the identity take the place of the values, which are the last third of what the layer `values` gives.
    What reaches the layer `result` is then that many columns of the matrix. A batch of them makes the whole.
    """
    tokens, channels = arguments[0].shape[1], result.in_features
    width = channels // heads
    slices = -(-tokens // width)
    columns = torch.eye(tokens, slices * width).view(tokens, slices, 1, width).transpose(0, 1)
    identity = columns.expand(-1, -1, heads, -1).reshape(slices, tokens, channels)
    seen = []
    hooks = [values.register_forward_hook(lambda _, __, out: torch.cat([out[..., :-channels], identity], -1)),
             result.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))]
    module(arguments[0].repeat(slices, 1, 1), *arguments[1:])
    for hook in hooks:
        hook.remove()
    product = seen[0].view(slices, tokens, heads, width).permute(2, 1, 0, 3)
    return product.reshape(heads, tokens, slices * width)[..., :tokens]


def with_inverse(owner, name, call):
    """What `call` gives, with the first matrix that the function `name` of `owner` inverted, and the result."""
    seen = []
    official = getattr(owner, name)

    def watched(matrix, *rest):
        result = official(matrix, *rest)
        seen.append((matrix[0], result[0]))
        return result

    with mock.patch.object(owner, name, watched):
        attention = call()
    return {"": attention, "A": seen[0][0], "A_inv": seen[0][1]}


def soft_arrays(kernel, arguments):
    query, _, height, width = arguments
    identity = torch.eye(query.shape[2]).repeat(1, query.shape[1], 1, 1)
    code = sys.modules[type(kernel).__module__]
    normalised = hasattr(kernel, "newton_inv")
    owner, name = (kernel, "newton_inv") if normalised else (code, "newton_inverse_kernel")
    # Without the convolution of the values, which is added beside the attention.
    with mock.patch.object(kernel, "use_conv", 0):
        arrays = with_inverse(owner, name, lambda: kernel(query, identity, height, width)[0])
    return {**arrays, "q": query[0]}


def sima_arrays(module, arguments):
    seen = []
    official = nn.functional.normalize

    def watched(*inputs, **options):
        seen.append(official(*inputs, **options))
        return seen[-1]

    with mock.patch.object(nn.functional, "normalize", watched):
        module(*arguments)
    key, query = (values[0].abs().sum(-1) for values in seen)
    matrix = probed(module, arguments, module.qkv, module.proj, module.num_heads)
    return {"": matrix, "q_l1": query, "k_l1": key}


def deit_arrays(module, arguments):
    query, key, _ = module.qkv(arguments[0])[0].chunk(3, -1)
    sums = [values.view(len(values), module.num_heads, -1).abs().sum(-1).T for values in (query, key)]
    return {"": dropped(module, arguments), "q_l1": sums[0], "k_l1": sums[1]}


def nystromformer_arrays(module, arguments):
    return with_inverse(module, "iterative_inv",
                        lambda: probed(module, arguments, module.qkv, module.proj, module.num_heads))


def performer_arrays(module, arguments):
    return {"": probed(module, arguments, module.kqv, module.proj, 1)}


def softmax_arrays(module, arguments):
    return {"": dropped(module, arguments)}


# By the name of the official class: the mechanism, and what to compute.
MECHANISMS = {
    "SoftmaxFreeAttentionKernel": ("soft", soft_arrays),
    "SoftmaxFreeNormAttentionKernel": ("soft_norm", soft_arrays),
    "SimA": ("sima", sima_arrays),
    "XCA": ("xca_channel", softmax_arrays),
    "ClassAttention": ("softmax_class", softmax_arrays),
    "Attention": ("softmax", softmax_arrays),
    "NysAttention": ("nystromformer", nystromformer_arrays),
    "Token_performer": ("performer", performer_arrays),
}


def mechanism_of(module, family):
    mechanism, compute = MECHANISMS[type(module).__name__]
    if family == "sima" and mechanism == "softmax_class":
        mechanism = "sima_class"
    if family == "deit" and mechanism == "softmax":
        compute = deit_arrays
    return mechanism, compute


# ---------------------------------------------------------------------------------------------------------------------
# A case


def run(model, picture):
    """The logits, and the attention modules' names with the arguments of their calls."""
    calls = {}

    def remember(name):
        return lambda _, inputs: calls.update({name: [x.clone() if torch.is_tensor(x) else x for x in inputs]})

    hooks = [module.register_forward_pre_hook(remember(name)) for name, module in model.named_modules()
             if type(module).__name__ in MECHANISMS]
    logits = model(picture).reshape(1, -1)
    for hook in hooks:
        hook.remove()
    return logits, calls


def evaluate(model, picture, case):
    """Every array of a case by the name of its file, and meta.json's layers."""
    family = CASES[case][0]
    logits, calls = run(model, picture)
    files, layers = {"logits.npy": logits}, []
    for name, arguments in calls.items():
        mechanism, compute = mechanism_of(model.get_submodule(name), family)
        arrays = compute(model.get_submodule(name), arguments)
        matrix = arrays.pop("")
        if (case, name) != QUERIES:
            arrays.pop("q", None)
        stem = name.replace(".", "_")
        layer = {"name": name, "mechanism": mechanism, "shape": list(matrix.shape)}
        if name.startswith(FAMILIES[family][3]):
            layer["cls"] = True
        if isinstance(arguments[-1], int):
            layer["grid"] = list(arguments[-2:])
        layer.update(rows=stored_rows(matrix.shape[1]), file=stem + ".npy")
        layers.append(layer)
        files[layer["file"]] = matrix if layer["rows"] == "all" else matrix[:, layer["rows"]]
        files.update({f"{stem}.{suffix}.npy": array for suffix, array in arrays.items()})
    return {name: array.float().contiguous().numpy() for name, array in files.items()}, layers


def stored_rows(count):
    return "all" if count <= MOST_ROWS else [0, 1, count // 3, count // 2, count - 1]


def build(case, checkouts):
    family, _, picture, config = CASES[case]
    with mock.patch("builtins.print"):
        return FAMILIES[family][0](checkouts, config, picture).eval()


def state_of(checkpoint):
    for key in ("state_dict_ema", "model", "state_dict"):
        if key in checkpoint:
            return checkpoint[key]
    return checkpoint


def rounded(model, config):
    """The state as it is stored; the model goes on with exactly these values."""
    state = {name: value.half() if config.get("stored") == "float16" and value.is_floating_point() else value
             for name, value in model.state_dict().items()}
    model.load_state_dict(state)
    return state


def make_case(case, checkouts, out, seed):
    family, _, size, config = CASES[case]
    torch.manual_seed(seed)
    model = build(case, checkouts)
    randomise(model, FAMILIES[family][2])
    checkpoint = FAMILIES[family][1](rounded(model, config))
    picture = torch.randn(1, 3, *size)
    files, layers = evaluate(model, picture, case)
    folder = new_folder(out, case)
    torch.save(checkpoint, os.path.join(folder, "checkpoint.pth"),
               _use_new_zipfile_serialization=not config.get("legacy_pickle", False))
    for name, array in {"input.npy": picture.numpy(), **files}.items():
        np.save(os.path.join(folder, name), array)
    with open(os.path.join(folder, "meta.json"), "w", encoding="utf-8") as file:
        json.dump({"config": config, "layers": layers}, file, indent=1)
    print(f"{case}: {len(layers)} layers, {len(files) + 3} files")


def new_folder(out, name):
    folder = os.path.join(out, name)
    if os.path.exists(folder):
        raise Failure(f"{folder} exists already")
    os.makedirs(folder)
    return folder


def check_case(case, checkouts, out):
    """The difference of every stored array, by file."""
    folder = os.path.join(out, case)
    model = build(case, checkouts)
    checkpoint = torch.load(os.path.join(folder, "checkpoint.pth"), map_location="cpu", weights_only=False)
    model.load_state_dict(state_of(checkpoint))
    files, _ = evaluate(model, torch.from_numpy(np.load(os.path.join(folder, "input.npy"))), case)
    stored = sorted(name for name in os.listdir(folder) if name.endswith(".npy") and name != "input.npy")
    return {name: difference(files.get(name), np.load(os.path.join(folder, name))) for name in stored}


def difference(actual, expected):
    if actual is None or actual.shape != expected.shape or not np.isfinite(actual).all():
        return math.inf
    return float(np.abs(actual.astype(np.float64) - expected).max() / np.abs(expected).max())


# ---------------------------------------------------------------------------------------------------------------------
# Single blocks: functions of q, k, v, [1, 4, 60, 32]

HEADS, TOKENS, WIDTH, LANDMARKS = 4, 60, 32, 12


def lra(checkouts, file, kind, extra):
    code = load_file(checkouts, "nystromformer", os.path.join("LRA", "code"), file)
    config = {"num_head": HEADS, "head_dim": WIDTH, "seq_len": TOKENS, "max_seq_len": TOKENS, **extra}
    module = getattr(code, kind)(config)
    return module, lambda query, key, value: module(query, key, value, torch.ones(1, TOKENS))


def elu_block(checkouts, _):
    return lra(checkouts, "attention_linear", "LinearAttention", {})[1]


def linformer_block(checkouts, arrays):
    module, call = lra(checkouts, "attention_linformer", "LinformerAttention", {"linformer_k": 16})
    arrays.setdefault("E", 0.2 * torch.randn(module.E.shape))
    module.E.data = arrays["E"]
    return call


def nystromformer_block(checkouts, arrays, start):
    arrays["landmarks"] = torch.tensor(LANDMARKS)
    # The code looks whether there is the one name, and reads the other.
    start = {} if start == "original" else {"inv_coeff_init_option": start, "inv_init_coeff_option": start}
    return lra(checkouts, "attention_nystrom", "NystromAttention", {"num_landmarks": LANDMARKS, **start})[1]


def performer_block(checkouts, arrays):
    module = load_performer(checkouts).FastAttention(WIDTH)
    arrays.setdefault("projection", module.projection_matrix.clone())
    module.projection_matrix.copy_(arrays["projection"])
    return module


# repository, how to make the function, whether its attention is stored
BLOCKS = {
    "linear_elu_unnormalised": ("nystromformer", elu_block, True),
    "linformer": ("nystromformer", linformer_block, False),
    "nystromformer_exact": ("nystromformer", partial(nystromformer_block, start="exact"), True),
    "nystromformer_original": ("nystromformer", partial(nystromformer_block, start="original"), True),
    "performer_favor_plus": ("performer", performer_block, True),
}


def evaluate_block(block, checkouts, arrays):
    """Adds to the arrays what the block makes of q, k, v and its own weights."""
    _, prepare, attends = BLOCKS[block]
    call = prepare(checkouts, arrays)
    arrays["output"] = call(arrays["q"], arrays["k"], arrays["v"])
    if attends:
        arrays["attention"] = call(arrays["q"], arrays["k"], torch.eye(TOKENS).repeat(1, HEADS, 1, 1))
    return {name: array.numpy() for name, array in arrays.items()}


def make_block(block, checkouts, folder, seed):
    torch.manual_seed(seed)
    arrays = {name: torch.randn(1, HEADS, TOKENS, WIDTH) for name in "qkv"}
    np.savez(os.path.join(folder, block + ".npz"), **evaluate_block(block, checkouts, arrays))
    print(f"blocks/{block}")


def check_block(block, checkouts, folder):
    stored = np.load(os.path.join(folder, block + ".npz"))
    inputs = {name: torch.from_numpy(stored[name]) for name in stored if name in ("q", "k", "v", "E", "projection")}
    made = evaluate_block(block, checkouts, inputs)
    return {name: difference(made.get(name), stored[name]) for name in ("output", "attention") if name in stored}


NONLOCAL = ("nonlocal_embedded_gaussian", "nonlocal_dot_product")


def build_nonlocal(block, checkouts):
    code = load_file(checkouts, "nonlocal", "lib", block.replace("nonlocal", "non_local"))
    return code.NONLocalBlock2D(32, sub_sample=False, bn_layer=True).eval()


def evaluate_nonlocal(model, picture):
    output, attention = model(picture, return_nl_map=True)
    return {"output": output.numpy(), "attention": attention.numpy()}


def make_nonlocal(block, checkouts, folder, seed):
    torch.manual_seed(seed)
    model = build_nonlocal(block, checkouts)
    randomise(model, 1.0)
    picture = torch.randn(1, 32, 8, 12)
    torch.save(model.state_dict(), os.path.join(folder, block + ".pth"))
    for name, array in {"input": picture.numpy(), **evaluate_nonlocal(model, picture)}.items():
        np.save(os.path.join(folder, f"{block}.{name}.npy"), array)
    print(f"blocks/{block}")


def check_nonlocal(block, checkouts, folder):
    path = os.path.join(folder, block)
    model = build_nonlocal(block, checkouts)
    model.load_state_dict(torch.load(path + ".pth", map_location="cpu", weights_only=False))
    made = evaluate_nonlocal(model, torch.from_numpy(np.load(path + ".input.npy")))
    return {name: difference(array, np.load(f"{path}.{name}.npy")) for name, array in made.items()}


# ---------------------------------------------------------------------------------------------------------------------
# layouts.json: names and shapes of the published sizes

LAYOUTS = ("soft", "sima", "xcit", "deit", "t2t")
XCIT_SIZES = ("nano_12", "tiny_12", "small_12", "tiny_24", "small_24", "medium_24", "large_24")


def published(checkouts):
    """Name, repository and constructor of every published size."""
    names = [kind + size for size in ("tiny", "small", "medium", "large", "huge") for kind in ("soft_", "soft_norm_")]
    groups = [("soft", load_soft(checkouts), names)]
    for kind in ("sima", "xcit"):
        names = [f"{kind}_{size}_p{patch}" for size in XCIT_SIZES for patch in (16, 8)]
        groups.append((kind, load_file(checkouts, kind, "", kind), names))
    names = [f"deit_{size}_patch16_224" for size in ("tiny", "small", "base")]
    groups.append(("deit", load_file(checkouts, "deit", "", "models"), names))
    names = [f"t2t_vit_{size}" for size in ("7", "10", "12", "14", "19", "24", "t_14", "t_19", "t_24")]
    groups.append(("t2t", load_file(checkouts, "t2t", "models", "t2t_vit"), names))
    return [(name, REPOSITORIES[option], getattr(code, name)) for option, code, names in groups for name in names]


def layouts(checkouts):
    made = {}
    with contextlib.ExitStack() as stack:
        # No weight of these models is looked at, so none is drawn.
        for name in ("normal_", "uniform_", "erfinv_"):
            stack.enter_context(mock.patch.object(torch.Tensor, name, lambda tensor, *_, **__: tensor))
        stack.enter_context(mock.patch.object(nn.init, "orthogonal_", lambda tensor: tensor))
        stack.enter_context(mock.patch("builtins.print"))
        for name, repository, construct in published(checkouts):
            model = construct()
            count = sum(parameter.numel() for parameter in model.parameters())
            shapes = {key: list(value.shape) for key, value in model.state_dict().items()}
            made[name] = {"repo": repository, "parameters": count, "state": shapes}
    return made


def make_layouts(checkouts, out):
    path = os.path.join(out, "layouts.json")
    if os.path.exists(path):
        raise Failure(f"{path} exists already")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(layouts(checkouts), file, separators=(",", ":"))
    print("layouts.json")


def check_layouts(checkouts, out):
    """Zero for each model that is stored as it is built, else infinite."""
    with open(os.path.join(out, "layouts.json"), encoding="utf-8") as file:
        stored = json.load(file)
    made = layouts(checkouts)
    return {name: 0.0 if stored[name] == made.get(name) else math.inf for name in stored}


# ---------------------------------------------------------------------------------------------------------------------
# The command


def parse_arguments():
    parser = argparse.ArgumentParser(description="Makes or checks the golden cases with the official implementations.")
    for option, repository in REPOSITORIES.items():
        parser.add_argument("--" + option, metavar="PATH", help=f"a checkout of {repository}")
    parser.add_argument("--only", metavar="CASE,...", type=lambda names: names.split(","),
                        help="these cases and blocks alone")
    parser.add_argument("--seed", type=int, default=1, help="of the random weights and pictures (1)")
    parser.add_argument("--check", action="store_true", help="compare the cases in OUT instead of writing new ones")
    parser.add_argument("out", metavar="OUT", help="the folder of the cases")
    return parser.parse_args()


def chosen(arguments, checkouts):
    """The names of the cases and blocks asked for, of those whose repositories are given."""
    needs = {case: entry[1] for case, entry in CASES.items()}
    needs.update({block: (entry[0],) for block, entry in BLOCKS.items()})
    needs.update({block: ("nonlocal",) for block in NONLOCAL})
    needs["layouts"] = LAYOUTS
    wanted = arguments.only or [name for name, names in needs.items() if all(need in checkouts for need in names)]
    for name in wanted:
        if name not in needs:
            raise Failure(f"{name}: no such case; there are {', '.join(needs)}")
        missing = [f"--{need}" for need in needs[name] if need not in checkouts]
        if missing:
            raise Failure(f"{name} needs {' and '.join(missing)}")
    if not wanted:
        raise Failure("name the checkout of at least one repository")
    return wanted


def make_one(name, checkouts, out, seed):
    if name in CASES:
        make_case(name, checkouts, out, seed)
    elif name == "layouts":
        make_layouts(checkouts, out)
    else:
        folder = os.path.join(out, "blocks")
        os.makedirs(folder, exist_ok=True)
        (make_block if name in BLOCKS else make_nonlocal)(name, checkouts, folder, seed)


def check_one(name, checkouts, out):
    """The difference of every stored array, by file."""
    if name in CASES:
        return check_case(name, checkouts, out)
    if name == "layouts":
        return check_layouts(checkouts, out)
    return (check_block if name in BLOCKS else check_nonlocal)(name, checkouts, os.path.join(out, "blocks"))


def check_all(names, checkouts, out):
    """Prints every difference; returns how many exceed their bounds."""
    exceeded = 0
    for name in names:
        for file, value in check_one(name, checkouts, out).items():
            bad = not value < (INVERSE_BOUND if file.endswith(".A_inv.npy") else BOUND)
            exceeded += bad
            print(f"{name:26} {file:44} {value:.1e}{'  exceeds its bound' if bad else ''}")
    return exceeded


def main():
    arguments = parse_arguments()
    checkouts = {name: getattr(arguments, name) for name in REPOSITORIES if getattr(arguments, name)}
    names = chosen(arguments, checkouts)
    prepare_imports()
    # SOFT's torch kernel moves its ones to the GPU.
    torch.Tensor.cuda = lambda tensor, *_, **__: tensor
    with torch.no_grad():
        if arguments.check:
            return 1 if check_all(names, checkouts, arguments.out) else 0
        for name in names:
            make_one(name, checkouts, arguments.out, arguments.seed)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, AttributeError, ImportError, OSError, RuntimeError) as error:
        sys.exit(f"make_golden.py: {(str(error) or type(error).__name__).splitlines()[0]}")
