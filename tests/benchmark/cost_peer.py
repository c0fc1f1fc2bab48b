#!/usr/bin/env python3
"""Each attention operator of `softscope figure cost` beside its authors' own code, in one run.

    cost_peer.py SOFTSCOPE AUTHORS [--tokens 3136] [--channels 384] [--heads 12] [--pass forward] [--threads 2]
                 [--rounds 3] [--only NAME,...]

SOFTSCOPE is build/release/app/softscope. AUTHORS is a folder of checkouts, named as their repositories are:

    softmax          T2T-ViT               github.com/yitu-opensource/T2T-ViT (as in DeiT)
    soft             SOFT                  github.com/fudan-zvg/SOFT
    nystromformer    Nystromformer         github.com/mlpen/Nystromformer
    linformer        Nystromformer         (as its authors compare themselves with it)
    performer        T2T-ViT               (one head)
    sima             sima                  github.com/UCDvision/sima
    xca_channel      xcit                  github.com/facebookresearch/xcit
    elu              fast-transformers     github.com/idiap/fast-transformers
    efficient        efficient-attention   github.com/cmsflash/efficient-attention
    cosformer        cosFormer             github.com/OpenNLPLab/cosFormer
    nonlocal_scaled  Non-local_pytorch     github.com/AlexHex7/Non-local_pytorch (one head)

The authors' modules are imported and run as they are, but for their linear layers before and after the attention, which
hand over random numbers, so that the operator alone is timed. Both sides run in a process of their own, in the
environment that ./run sets, and are timed alike: the fastest of as many runs as fit into a third of a second, caches cold
before each. Needs timm as forward_peer.py does. Prints milliseconds (medians of the rounds) and the ratio.
"""
import argparse
import csv
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import types

# Of SOFT and Nystromformer, and the rows that Linformer keeps; as in core/analysis/Cost.h.
LANDMARKS = 49
ONE_HEAD = ("performer", "nonlocal_scaled")


def constant(tensor):
    """A layer that gives these numbers, whatever comes in."""
    import torch

    class Constant(torch.nn.Module):
        def forward(self, _):
            return tensor
    return Constant()


def random_numbers(arguments, *shape, scale=1):
    import torch
    return (scale * torch.randn(*shape)).requires_grad_(arguments.run == "training")


def from_tokens(module, arguments):
    """A module of tokens [1, n, C] with `qkv` and `proj`."""
    import torch
    tokens = random_numbers(arguments, 1, arguments.tokens, arguments.channels)
    module.qkv = constant(random_numbers(arguments, 1, arguments.tokens, 3 * arguments.channels))
    module.proj = torch.nn.Identity()
    return lambda: module(tokens)


def from_heads(arguments):
    """Queries, keys and values [1, heads, n, d]."""
    return [random_numbers(arguments, 1, arguments.heads, arguments.tokens, arguments.channels // arguments.heads)
            for _ in range(3)]


def side_of(arguments):
    return math.isqrt(arguments.tokens)


def softmax(authors, arguments):
    sys.path.insert(0, str(authors / "T2T-ViT"))
    from models.transformer_block import Attention
    return from_tokens(Attention(arguments.channels, arguments.heads), arguments)


def soft(authors, arguments):
    from survey_peer import stand_in_for_imports
    stand_in_for_imports()
    sys.path.insert(0, str(authors / "SOFT"))
    from models import softmax_free_transformer as blocks
    from SOFT.kernel.inverse import newton_inv
    # The wrapper around it insists on CUDA.
    blocks.newton_inverse_kernel = newton_inv
    side = side_of(arguments)
    kernel = blocks.SoftmaxFreeAttentionKernel(arguments.channels, arguments.heads, side // 7, 0, kernel_method="torch")
    query, _, value = from_heads(arguments)
    return lambda: kernel(query, value, side, side)


def import_long_range_arena(authors):
    sys.path.insert(0, str(authors / "Nystromformer" / "LRA" / "code"))


def of_long_range_arena(kind, arguments, **configuration):
    import torch
    attend = kind({"head_dim": arguments.channels // arguments.heads, "num_head": arguments.heads,
                   "seq_len": arguments.tokens, "max_seq_len": arguments.tokens, **configuration})
    query, key, value = from_heads(arguments)
    mask = torch.ones(1, arguments.tokens)
    return lambda: attend(query, key, value, mask)


def nystromformer(authors, arguments):
    import_long_range_arena(authors)
    from attention_nystrom import NystromAttention
    return of_long_range_arena(NystromAttention, arguments, num_landmarks=LANDMARKS)


def linformer(authors, arguments):
    import_long_range_arena(authors)
    from attention_linformer import LinformerAttention
    return of_long_range_arena(LinformerAttention, arguments, linformer_k=LANDMARKS)


def performer(authors, arguments):
    import torch
    sys.path.insert(0, str(authors / "T2T-ViT"))
    from models.token_performer import Token_performer
    # As many random features as Softscope's operator has; half a feature keeps the ratio's rounding from taking one.
    features = math.floor(arguments.channels * math.log(arguments.channels))
    module = Token_performer(arguments.channels, arguments.channels,
                             kernel_ratio=(features + 0.5) / arguments.channels).eval()
    # Softscope's operator divides queries and keys by the fourth root of their width, T2T's is fed what it is fed, and
    # makes of larger ones numbers so small that some processors take seven times as long.
    module.kqv = constant(random_numbers(arguments, 1, arguments.tokens, 3 * arguments.channels,
                                         scale=arguments.channels ** -0.25))
    module.proj = torch.nn.Identity()
    return lambda: module.single_attn(None)


def sima(authors, arguments):
    sys.path.insert(0, str(authors / "sima"))
    from sima import SimA
    return from_tokens(SimA(arguments.channels, arguments.heads), arguments)


def xca_channel(authors, arguments):
    import torch
    torch.nn.SyncBatchNorm = torch.nn.BatchNorm2d
    sys.path.insert(0, str(authors / "xcit"))
    from xcit import XCA
    return from_tokens(XCA(arguments.channels, arguments.heads), arguments)


def elu(authors, arguments):
    # Compiled parts that other attentions of the package are made of.
    for name in ("causal_product.causal_product_cpu", "local_product.local_product_cpu", "aggregate.aggregate_cpu",
                 "clustering.hamming.cluster_cpu", "hashing.hash_cpu", "sparse_product.sparse_product_cpu",
                 "sparse_product.clustered_sparse_product_cpu"):
        stand_in = types.ModuleType("fast_transformers." + name)
        stand_in.__getattr__ = lambda _: None
        sys.modules[stand_in.__name__] = stand_in
    sys.path.insert(0, str(authors / "fast-transformers"))
    from fast_transformers.attention.linear_attention import LinearAttention
    from fast_transformers.masking import FullMask, LengthMask
    import torch
    attend = LinearAttention(arguments.channels // arguments.heads)
    query, key, value = (part.transpose(1, 2) for part in from_heads(arguments))
    lengths = LengthMask(torch.tensor([arguments.tokens]))
    return lambda: attend(query, key, value, FullMask(arguments.tokens), lengths, lengths)


def efficient(authors, arguments):
    import torch
    sys.path.insert(0, str(authors / "efficient-attention"))
    from efficient_attention import EfficientAttention
    side = side_of(arguments)
    module = EfficientAttention(arguments.channels, arguments.channels, arguments.heads, arguments.channels)
    for name in ("keys", "queries", "values"):
        setattr(module, name, constant(random_numbers(arguments, 1, arguments.channels, side, side)))
    module.reprojection = torch.nn.Identity()
    map_before = random_numbers(arguments, 1, arguments.channels, side, side)
    return lambda: module(map_before)


def cosformer(authors, arguments):
    import torch
    sys.path.insert(0, str(authors / "cosFormer"))
    from cosformer import CosformerAttention
    module = CosformerAttention(arguments.channels, arguments.heads, has_outproj=False, causal=False)
    for name in ("q_proj", "k_proj", "v_proj"):
        setattr(module, name, torch.nn.Identity())
    query, key, value = (random_numbers(arguments, arguments.tokens, 1, arguments.channels) for _ in range(3))
    return lambda: module(query, key, value)


def nonlocal_scaled(authors, arguments):
    import torch
    sys.path.insert(0, str(authors / "Non-local_pytorch" / "lib"))
    from non_local_dot_product import NONLocalBlock2D
    side = side_of(arguments)
    module = NONLocalBlock2D(arguments.channels, arguments.channels, sub_sample=False, bn_layer=False)
    for name in ("g", "theta", "phi"):
        setattr(module, name, constant(random_numbers(arguments, 1, arguments.channels, side, side)))
    module.W = torch.nn.Identity()
    map_before = random_numbers(arguments, 1, arguments.channels, side, side)
    return lambda: module(map_before)


PEERS = {peer.__name__: peer for peer in (softmax, soft, nystromformer, linformer, performer, sima, xca_channel, elu,
                                          efficient, cosformer, nonlocal_scaled)}


def fastest(run, arguments):
    """As models/attention/cost/AttentionCost.cpp times ours."""
    import torch
    other = torch.zeros(32 << 20)
    best = math.inf
    start = time.perf_counter()
    count = 0
    while count < (2 if best > 1000 else 5) or time.perf_counter() - start < 0.35:
        other.fill_(count)
        begin = time.perf_counter()
        if arguments.run == "training":
            result = run()
            result.backward(torch.ones_like(result))
        else:
            with torch.inference_mode():
                run()
        best = min(best, 1000 * (time.perf_counter() - begin))
        count += 1
    return best


def time_peer(name, arguments):
    """Milliseconds; in this process, which is for it alone."""
    import torch
    torch.set_num_threads(arguments.threads)
    run = PEERS[name](arguments.authors.resolve(), arguments)
    return fastest(run, arguments)


def heads_of(name, arguments):
    return 1 if name in ONE_HEAD else arguments.heads


def options_of(name, arguments):
    return ["--tokens", str(arguments.tokens), "--channels", str(arguments.channels), "--heads",
            str(heads_of(name, arguments)), "--threads", str(arguments.threads), "--pass", arguments.run]


def ours(name, arguments, environment):
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "cost.csv")
        subprocess.run([arguments.softscope, "figure", "cost", "--mechanisms", name, *options_of(name, arguments), "-o",
                        os.path.join(folder, "cost.svg"), "--data", table], check=True, stdout=subprocess.DEVNULL, env=environment)
        with open(table, encoding="utf-8") as file:
            return float(next(csv.DictReader(file))["milliseconds"])


def theirs(name, arguments, environment):
    done = subprocess.run([sys.executable, __file__, arguments.softscope, arguments.authors, "--one", name,
                           *options_of(name, arguments)], check=True, stdout=subprocess.PIPE, text=True, env=environment)
    return float(done.stdout.split()[-1])


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("softscope")
    parser.add_argument("authors", type=pathlib.Path)
    parser.add_argument("--tokens", type=int, default=3136)
    parser.add_argument("--channels", type=int, default=384)
    parser.add_argument("--heads", type=int, default=12)
    parser.add_argument("--pass", dest="run", choices=("forward", "training"), default="forward")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", help="names, separated by commas")
    parser.add_argument("--one", choices=PEERS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    arguments.names = arguments.only.split(",") if arguments.only else list(PEERS)
    unknown = sorted(set(arguments.names) - set(PEERS))
    if unknown:
        parser.error(f"there is no peer of {', '.join(unknown)}; there are {', '.join(PEERS)}")
    if not os.access(arguments.softscope, os.X_OK) or os.path.isdir(arguments.softscope):
        parser.error(f"{arguments.softscope} cannot be run")
    if not arguments.authors.is_dir():
        parser.error(f"{arguments.authors} is no folder of checkouts")
    side = side_of(arguments)
    if side * side != arguments.tokens or side % 7 != 0:
        parser.error("--tokens is the square of a multiple of 7: SOFT's landmarks are 7 x 7 windows of a square")
    return arguments


def main():
    arguments = parse_arguments()
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    if arguments.one:
        print(time_peer(arguments.one, arguments))
        return
    from forward_peer import environment_of_run
    environment = environment_of_run()
    for name in arguments.names:
        rounds = [(ours(name, arguments, environment), theirs(name, arguments, environment))
                  for _ in range(arguments.rounds)]
        mine, peer = (statistics.median(side) for side in zip(*rounds))
        ratios = [a / b for a, b in rounds]
        print(f"{name:16} {arguments.run}, {arguments.tokens} tokens: ours {mine:.2f} ms, theirs {peer:.2f} ms, "
              f"ratio {mine / peer:.2f} ({min(ratios):.2f} to {max(ratios):.2f})", flush=True)


if __name__ == "__main__":
    main()
