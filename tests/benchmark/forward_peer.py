#!/usr/bin/env python3
"""A forward pass of Softscope, every layer recorded, beside its authors' own code: alternately, in one run.

    forward_peer.py BENCHMARKS FAMILY AUTHORS [--rounds 5] [--threads 2] [--own-environment]

BENCHMARKS is build/release/tests/benchmark/benchmarks. FAMILY and AUTHORS, a checkout, belong together:

    soft   SOFT-Tiny       github.com/fudan-zvg/SOFT
    deit   DeiT-S          github.com/facebookresearch/deit
    xcit   XCiT-S12/16     github.com/facebookresearch/xcit
    t2t    T2T-ViT-14      github.com/yitu-opensource/T2T-ViT
    cvt    CvT-13          github.com/microsoft/CvT

The network is built by the authors' code with random weights, which both sides then read. Theirs keeps what goes into
each of its attention modules, as a script would that looks into them. Both get the environment that ./run sets, unless
--own-environment says that theirs starts as a plain `python3`. Prints milliseconds of each round, medians and the ratio.
All but SOFT's code imports timm 0.4.12 and einops (`pip install --no-deps --target FOLDER timm==0.4.12 einops`, then
PYTHONPATH=FOLDER) and, with it, Debian's python3-torchvision and python3-scipy.
"""
import argparse
import collections.abc
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZE = 224


def soft(authors):
    from survey_peer import stand_in_for_imports
    stand_in_for_imports()
    sys.path.insert(0, authors)
    from models import softmax_free_transformer as blocks
    from models.softmax_free_vision_transformer import soft_tiny
    from SOFT.kernel.inverse import newton_inv
    # The wrapper around it insists on CUDA.
    blocks.newton_inverse_kernel = newton_inv
    return soft_tiny(kernel_method="torch"), "SoftmaxFreeAttentionKernel"


def deit(authors):
    sys.path.insert(0, authors)
    from models import deit_small_patch16_224
    return deit_small_patch16_224(), "Attention"


def xcit(authors):
    import torch
    # Its twin of many processes insists on CUDA; alone they compute the same.
    torch.nn.SyncBatchNorm = torch.nn.BatchNorm2d
    sys.path.insert(0, authors)
    from xcit import xcit_small_12_p16
    return xcit_small_12_p16(), "XCA"


def t2t(authors):
    sys.path.insert(0, authors)
    from models.t2t_vit import t2t_vit_14
    return t2t_vit_14(), "Attention"


def cvt(authors):
    # Newer versions of torch have none of it.
    sys.modules["torch._six"] = types.SimpleNamespace(container_abcs=collections.abc)
    sys.path.insert(0, str(pathlib.Path(authors) / "lib"))
    from models.cls_cvt import get_cls_model
    import yaml
    sheet = pathlib.Path(authors) / "experiments" / "imagenet" / "cvt" / "cvt-13-224x224.yaml"
    spec = yaml.safe_load(sheet.read_text())["MODEL"]["SPEC"]
    tree = types.SimpleNamespace(MODEL=types.SimpleNamespace(SPEC=spec, NUM_CLASSES=1000, INIT_WEIGHTS=False))
    return get_cls_model(tree), "Attention"


FAMILIES = {"soft": soft, "deit": deit, "xcit": xcit, "t2t": t2t, "cvt": cvt}


def network_of(options):
    import torch
    torch.manual_seed(1)
    network, attention = FAMILIES[options.family](options.authors)
    return network.eval(), attention


def theirs_alone(options):
    """In a process of its own: the median time of their pass, as a line."""
    import torch
    torch.set_num_threads(options.threads)
    network, attention = network_of(options)
    network.load_state_dict(torch.load(options.theirs_alone))
    kept = []
    for module in network.modules():
        if type(module).__name__ == attention:
            module.register_forward_hook(lambda _, inputs, __: kept.append(inputs[0]))
    picture = torch.randn(1, 3, SIZE, SIZE)
    times = []
    with torch.inference_mode():
        until = time.perf_counter() + options.seconds
        while time.perf_counter() < until or len(times) < 5:
            kept.clear()
            begin = time.perf_counter()
            network(picture)
            times.append(1000 * (time.perf_counter() - begin))
    assert kept, "no attention module was met"
    print(statistics.median(times[2:]))


def environment_of_run():
    """What ./run sets before it starts the program, for a BLAS that nobody told a core: an older one slows the peers."""
    calls = "prefer_openmp_blas; name_the_blas_core; keep_memory_in_huge_pages; spin_briefly"
    told = subprocess.run(["bash", "-c", f"unset OPENBLAS_CORETYPE; source cmake/environment.sh; {calls}; env -0"], cwd=ROOT, check=True,
                          capture_output=True).stdout
    return dict(entry.split("=", 1) for entry in told.decode().split("\0") if entry)


def time_theirs(options, checkpoint, environment):
    command = [sys.executable, __file__, options.benchmarks, options.family, options.authors, "--threads",
               str(options.threads), "--seconds", str(options.seconds), "--theirs-alone", checkpoint]
    return float(subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout.split()[-1])


def time_ours(options, checkpoint, environment):
    command = [options.benchmarks, f"--benchmark_filter=^forwardRecorded/{SIZE}/", "--benchmark_format=json",
               f"--benchmark_min_time={options.seconds}"]
    environment = {**environment, "SOFTSCOPE_BENCHMARK_MODEL": checkpoint, "OMP_NUM_THREADS": str(options.threads)}
    told = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return json.loads(told)["benchmarks"][0]["real_time"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmarks")
    parser.add_argument("family", choices=FAMILIES)
    parser.add_argument("authors")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=3, help="of each side in each round")
    parser.add_argument("--own-environment", action="store_true")
    parser.add_argument("--theirs-alone", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.theirs_alone:
        theirs_alone(options)
        return
    import torch
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = os.path.join(folder, "network.pth")
        torch.save(network_of(options)[0].state_dict(), checkpoint)
        of_run = environment_of_run()
        of_theirs = dict(os.environ) if options.own_environment else of_run
        rounds = []
        for _ in range(options.rounds):
            rounds.append((time_ours(options, checkpoint, of_run), time_theirs(options, checkpoint, of_theirs)))
            ours, theirs = rounds[-1]
            print(f"ours {ours:.1f} ms, theirs {theirs:.1f} ms, ratio {ours / theirs:.2f}", flush=True)
    ours, theirs = (statistics.median(side) for side in zip(*rounds))
    ratios = sorted(one / other for one, other in rounds)
    print(f"{options.family}, {SIZE} x {SIZE}, {options.threads} threads: ours {ours:.1f} ms, theirs {theirs:.1f} ms, "
          f"ratio {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")


if __name__ == "__main__":
    main()
