#!/usr/bin/env python3
"""A forward pass of Softscope, every layer recorded, beside others who run the same network: alternately, in one run.

    forward_peer.py BENCHMARKS FAMILY AUTHORS [--peer authors ...] [--size 224] [--rounds 5] [--threads 2]

BENCHMARKS is build/release/tests/benchmark/benchmarks. FAMILY and AUTHORS, a checkout, belong together:

    soft     SOFT-Tiny       github.com/fudan-zvg/SOFT
    deit     DeiT-S          github.com/facebookresearch/deit
    xcit     XCiT-S12/16     github.com/facebookresearch/xcit
    sima     SimA-S12/16     github.com/UCDvision/sima
    t2t      T2T-ViT-14      github.com/yitu-opensource/T2T-ViT
    cvt      CvT-13          github.com/microsoft/CvT
    dinov2   DINOv2-S/14     timm (1.0 or later): its name in place of a checkout

The network is built by the authors' code with random weights, which all sides then read. The peers:

    authors      that code, which keeps what goes into each of its attention modules, as a script would that looks into
                 them; in the environment that ./run sets, unless --own-environment says that it starts as a plain `python3`
    torch        the same by PyTorch alone, nothing kept
    inductor     torch.compile with frozen weights
    onnxruntime, openvino    as engines.py sets them for the shortest answer

The last four record nothing, and start as a plain `python3`. `pip install torch openvino onnxruntime onnx onnxscript`
brings them; each but `authors` is checked against the network's own logits first. Prints milliseconds of each round,
medians, the range of the ratios, and the fastest peer. Both sides are held to as many cores as there are threads.
All but SOFT's and timm's code imports timm 0.4.12 and einops (`pip install --no-deps --target FOLDER timm==0.4.12 einops`,
then PYTHONPATH=FOLDER) and, with it, torchvision and scipy.
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

from engines import ENGINES

ROOT = pathlib.Path(__file__).resolve().parents[2]

def soft(authors, size):
    from survey_peer import stand_in_for_imports
    stand_in_for_imports()
    sys.path.insert(0, authors)
    from models import softmax_free_transformer as blocks
    from models.softmax_free_vision_transformer import soft_tiny
    from SOFT.kernel.inverse import newton_inv
    # The wrapper around it insists on CUDA.
    blocks.newton_inverse_kernel = newton_inv
    return soft_tiny(kernel_method="torch", img_size=size), "SoftmaxFreeAttentionKernel"


def deit(authors, size):
    sys.path.insert(0, authors)
    from models import deit_small_patch16_224
    return deit_small_patch16_224(img_size=size), "Attention"


def xcit(authors, size):
    import torch
    # Its twin of many processes insists on CUDA; alone they compute the same.
    torch.nn.SyncBatchNorm = torch.nn.BatchNorm2d
    sys.path.insert(0, authors)
    from xcit import xcit_small_12_p16
    return xcit_small_12_p16(img_size=size), "XCA"


def sima(authors, size):
    sys.path.insert(0, authors)
    from sima import sima_small_12_p16
    return sima_small_12_p16(img_size=size), "SimA"


def dinov2(_, size):
    import timm
    return timm.create_model("vit_small_patch14_dinov2", img_size=size), "Attention"


def t2t(authors, size):
    sys.path.insert(0, authors)
    from models.t2t_vit import t2t_vit_14
    return t2t_vit_14(img_size=size), "Attention"


def cvt(authors, _):
    # Newer versions of torch have none of it.
    sys.modules["torch._six"] = types.SimpleNamespace(container_abcs=collections.abc)
    sys.path.insert(0, str(pathlib.Path(authors) / "lib"))
    from models.cls_cvt import get_cls_model
    import yaml
    sheet = pathlib.Path(authors) / "experiments" / "imagenet" / "cvt" / "cvt-13-224x224.yaml"
    spec = yaml.safe_load(sheet.read_text())["MODEL"]["SPEC"]
    tree = types.SimpleNamespace(MODEL=types.SimpleNamespace(SPEC=spec, NUM_CLASSES=1000, INIT_WEIGHTS=False))
    return get_cls_model(tree), "Attention"


FAMILIES = {"soft": soft, "deit": deit, "xcit": xcit, "sima": sima, "t2t": t2t, "cvt": cvt, "dinov2": dinov2}
PEERS = ("authors", *ENGINES)


def network_of(options):
    import torch
    torch.manual_seed(1)
    network, attention = FAMILIES[options.family](options.authors, options.size)
    return network.eval(), attention


def peer_alone(options):
    """In a process of its own: says when it is ready; then, for each line that comes, the median time of its passes."""
    import torch
    torch.set_num_threads(options.threads)
    network, attention = network_of(options)
    network.load_state_dict(torch.load(options.alone))
    picture = torch.randn(1, 3, options.size, options.size)
    kept = []
    with torch.inference_mode():
        if options.peer[0] == "authors":
            for module in network.modules():
                if type(module).__name__ == attention:
                    module.register_forward_hook(lambda _, inputs, __: kept.append(inputs[0]))
            run = network
        else:
            run = ENGINES[options.peer[0]](network, picture, options.threads)
            check_same(network(picture), run(picture))
        run(picture)
        assert kept or options.peer[0] != "authors", "no attention module was met"
        print("ready", flush=True)
        for _ in sys.stdin:
            run(picture)
            times = []
            until = time.perf_counter() + options.seconds
            while time.perf_counter() < until or len(times) < 5:
                kept.clear()
                begin = time.perf_counter()
                run(picture)
                times.append(1000 * (time.perf_counter() - begin))
            print(statistics.median(times), flush=True)


def check_same(expected, found):
    """Throws unless a peer's output is the network's."""
    import torch
    found = torch.as_tensor(found)
    error = float((expected - found).abs().max() / expected.abs().max())
    if not error < 1e-3:
        raise RuntimeError(f"its output is off by {error:.1e} of the largest")


def environment_of_run():
    """What ./run sets before it starts the program, for a BLAS that nobody told a core: an older one slows the peers."""
    calls = "prefer_openmp_blas; name_the_blas_core; keep_memory_in_huge_pages; spin_briefly"
    told = subprocess.run(["bash", "-c", f"unset OPENBLAS_CORETYPE; source cmake/environment.sh; {calls}; env -0"], cwd=ROOT, check=True,
                          capture_output=True).stdout
    return dict(entry.split("=", 1) for entry in told.decode().split("\0") if entry)


def on_cores(options, command):
    return ["taskset", "--cpu-list", f"0-{options.threads - 1}", *command]


class Peer:
    """A peer's process, which waits between rounds."""

    def __init__(self, options, peer, checkpoint, environment):
        command = [sys.executable, __file__, options.benchmarks, options.family, options.authors, "--threads",
                   str(options.threads), "--seconds", str(options.seconds), "--size", str(options.size), "--peer", peer,
                   "--alone", checkpoint]
        self.name = peer
        self.process = subprocess.Popen(on_cores(options, command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        stderr=None if options.loud else subprocess.DEVNULL,
                                        env={**environment, "OMP_NUM_THREADS": str(options.threads)})
        while (line := self.process.stdout.readline().strip()) != "ready":
            if not line and self.process.poll() is not None:
                raise RuntimeError(f"{peer} could not be run; --loud says why")

    def time(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def time_ours(options, checkpoint, environment):
    command = [options.benchmarks, f"--benchmark_filter=^forwardRecorded/{options.size}/", "--benchmark_format=json",
               f"--benchmark_min_time={options.seconds / 5}", "--benchmark_repetitions=5"]
    environment = {**environment, "SOFTSCOPE_BENCHMARK_MODEL": checkpoint, "OMP_NUM_THREADS": str(options.threads)}
    told = subprocess.run(on_cores(options, command), env=environment, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout
    return statistics.median(each["real_time"] for each in json.loads(told)["benchmarks"]
                             if each["run_type"] == "iteration")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmarks")
    parser.add_argument("family", choices=FAMILIES)
    parser.add_argument("authors")
    parser.add_argument("--peer", nargs="+", choices=PEERS, default=["authors"])
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=3, help="of each side in each round")
    parser.add_argument("--own-environment", action="store_true")
    parser.add_argument("--loud", action="store_true", help="show what the peers say")
    parser.add_argument("--alone", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        peer_alone(options)
        return
    import torch
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = os.path.join(folder, "network.pth")
        torch.save(network_of(options)[0].state_dict(), checkpoint)
        of_run = environment_of_run()
        ours, theirs = [], {peer: [] for peer in options.peer}
        peers = [Peer(options, peer, checkpoint,
                      of_run if peer == "authors" and not options.own_environment else dict(os.environ))
                 for peer in options.peer]
        for _ in range(options.rounds):
            ours.append(time_ours(options, checkpoint, of_run))
            for peer in peers:
                theirs[peer.name].append(peer.time())
            print(f"ours {ours[-1]:.1f} ms; " + ", ".join(f"{peer} {times[-1]:.1f}" for peer, times in theirs.items()),
                  flush=True)
        for peer in peers:
            peer.end()
    medians = {peer: statistics.median(times) for peer, times in theirs.items()}
    for peer, times in theirs.items():
        ratios = sorted(one / other for one, other in zip(ours, times))
        print(f"{options.family}, {options.size} x {options.size}, {options.threads} threads: ours "
              f"{statistics.median(ours):.1f} ms, {peer} {medians[peer]:.1f} ms, ratio {statistics.median(ratios):.2f} "
              f"({ratios[0]:.2f} to {ratios[-1]:.2f})")
    fastest = min(medians, key=medians.get)
    print(f"fastest peer: {fastest}, ratio to it {statistics.median(ours) / medians[fastest]:.2f}")


if __name__ == "__main__":
    main()
