#!/usr/bin/env python3
"""Softscope beside the PyTorch of this machine, on its CPU and GPU: networks of real size, training, and what is too large.

    measure.py DEVICE [SECTION...]      # in the folder that tests/device/pack made; ours.sh starts its programs

Sections: networks, training, survey, memory. Weights are random, of timm's networks, and both sides read the same.
Prints one line for each figure. Ends with 1 if something failed, or differs by more than 1e-4.
"""
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

import numpy
import torch

FOLDER = pathlib.Path(__file__).resolve().parent
WORK = pathlib.Path(os.environ.get("WORK", "/tmp/softscope-measure"))
DEVICE = sys.argv[1] if len(sys.argv) > 1 else "cuda"
NETWORKS = ["deit_small_patch16_224", "vit_small_patch14_dinov2", "vit_base_patch16_224"]


LARGEST_DIFFERENCE = 1e-4
failures = []


def require(is_so, what):
    if not is_so:
        failures.append(what)
        print(f"FAILED: {what}")


def ours(*words, environment=None, limit=120):
    """Runs one of Softscope's programs; its outcome and seconds."""
    begin = time.perf_counter()
    outcome = subprocess.run([str(FOLDER / "ours.sh"), *map(str, words)], capture_output=True, text=True, cwd=FOLDER,
                             timeout=limit, env=os.environ | (environment or {}))
    outcome.seconds = time.perf_counter() - begin
    return outcome


def last_line(outcome):
    return (outcome.stdout + outcome.stderr).strip().splitlines()[-1:] or ["nothing"]


def milliseconds(call, seconds=2.0):
    """The median time of a call, which waits for the device itself."""
    for _ in range(5):
        call()
    times = []
    until = time.perf_counter() + seconds
    while time.perf_counter() < until or len(times) < 5:
        begin = time.perf_counter()
        call()
        times.append(1000 * (time.perf_counter() - begin))
    return statistics.median(times)


def benchmark(checkpoint, device, size):
    """Softscope's forward pass in milliseconds: every layer recorded, and with nobody recording."""
    outcome = ours("benchmarks", f"--benchmark_filter=forward.*/{size}", "--benchmark_format=json", "--benchmark_min_time=1",
                   environment={"SOFTSCOPE_BENCHMARK_MODEL": str(checkpoint), "SOFTSCOPE_BENCHMARK_DEVICE": device})
    try:
        runs = json.loads(outcome.stdout)["benchmarks"]
        return [run["real_time"] for run in runs]
    except (ValueError, KeyError):
        require(False, f"forward passes of {checkpoint} on {device}")
        return f"failed: {last_line(outcome)[0]}"


def networks():
    bundled()
    import timm
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    for name in NETWORKS:
        torch.manual_seed(1)
        network = timm.create_model(name, **({"img_size": 224} if "dinov2" in name else {})).eval()
        if "dinov2" in name:
            # Scales of 1e-5, with which they begin, would hide every branch.
            for key, value in network.named_parameters():
                if "gamma" in key:
                    value.data.fill_(0.1)
        checkpoint = WORK / f"{name}.pth"
        torch.save(network.state_dict(), checkpoint)
        picture = torch.randn(1, 3, 224, 224)
        numpy.save(WORK / "picture.npy", picture.numpy())
        # A backbone's result is all of its tokens.
        forward = network if network.num_classes else network.forward_features
        with torch.inference_mode():
            network.double()
            exact = forward(picture.double()).numpy()
            network.float()
        for device in dict.fromkeys(["cpu", DEVICE]):
            with torch.inference_mode():
                network.to(device)
                seen = picture.to(device)
                theirs = milliseconds(lambda: forward(seen).cpu())
                theirs_off = numpy.abs(forward(seen).cpu().numpy() - exact).max() / numpy.abs(exact).max()
            output = WORK / f"{name}-{device.replace(':', '-')}"
            outcome = ours("softscope", "dump", "-m", checkpoint, WORK / "picture.npy", "-o", output, "--rows", "0", "--device",
                           device)
            require(outcome.returncode == 0, f"{name} on {device}: {last_line(outcome)[0]}")
            if outcome.returncode:
                continue
            file = output / ("logits.npy" if (output / "logits.npy").exists() else "features.npy")
            logits = numpy.load(file)
            if logits.size == exact.size:
                share = numpy.abs(logits.reshape(exact.shape) - exact).max() / numpy.abs(exact).max()
                off = f"{share:.2e}"
                require(share <= LARGEST_DIFFERENCE, f"{name} on {device} differs from float64 by {off}")
            else:
                require(False, f"{name} on {device} has another shape")
                off = f"of another shape, {logits.shape} for {exact.shape}"
            print(f"{name} on {device}: off float64 by {off} (PyTorch {theirs_off:.2e}); PyTorch eager {theirs:.2f} ms, "
                  f"Softscope recorded and alone {benchmark(checkpoint, device, 224)} ms")
            sys.stdout.flush()


def bundled():
    for name in ["soft_norm", "sima"]:
        for device in ["cpu", DEVICE]:
            checkpoint = FOLDER / f"resources/checkpoints/{name}_everyday10.safetensors"
            print(f"{name}_everyday10 on {device}: Softscope recorded and alone {benchmark(checkpoint, device, 224)} ms")


def pictures():
    """Pictures of ten classes, each with a colour of its own under noise."""
    from PIL import Image
    folder = WORK / "pictures"
    random = numpy.random.default_rng(1)
    for split, count in [("train", 200), ("val", 40)]:
        for label in range(10):
            place = folder / split / f"class{label}"
            place.mkdir(parents=True, exist_ok=True)
            colour = numpy.random.default_rng(label).integers(40, 216, 3)
            for index in range(count):
                noise = random.normal(0, 30, (80, 80, 3)) + colour
                Image.fromarray(noise.clip(0, 255).astype(numpy.uint8)).save(place / f"{index}.png", compress_level=1)
    return folder


def training():
    folder = pictures()
    for architecture in ["soft_norm_nano", "pyramid_softmax_nano", "pyramid_sima_nano"]:
        for device, more in [("cpu", []), (DEVICE, []), (DEVICE, ["--bfloat16"])]:
            log = WORK / "log.csv"
            outcome = ours("softscope", "train", architecture, folder, "-o", WORK / "trained.safetensors", "--epochs", 2, "--batch",
                           100, "--size", 64, "--device", device, "--seed", 1, "--log", log, *more)
            lines = log.read_text().strip().splitlines() if log.exists() else []
            require(outcome.returncode == 0, f"train {architecture} on {device} {' '.join(more)}")
            told = "; ".join(lines[-2:]) if outcome.returncode == 0 else last_line(outcome)[0]
            print(f"train {architecture} on {device} {' '.join(more)}: {outcome.seconds:.1f} s for two epochs of 2000: {told}")
            for left in [log, *WORK.glob("trained.safetensors*")]:
                left.unlink(missing_ok=True)
            sys.stdout.flush()


def survey():
    folder = WORK / "pictures"
    files = []
    for device in ["cpu", DEVICE]:
        file = WORK / f"{device.replace(':', '-')}-{len(files)}.survey"
        file.unlink(missing_ok=True)
        outcome = ours("softscope", "survey", "-m", "resources/checkpoints/soft_norm_everyday10.safetensors", folder / "val", "-o",
                       file, "--device", device)
        print(f"survey on {device}: {outcome.seconds:.1f} s for 400 pictures: {last_line(outcome)[0]}")
        require(outcome.returncode == 0, f"survey on {device}")
        files.append(file)
    import sqlite3
    first, second = (sqlite3.connect(file) for file in files)
    for (table,) in first.execute("select name from sqlite_master where type = 'table'").fetchall():
        rows = [numpy.array(base.execute(f'select * from "{table}"').fetchall(), dtype=object) for base in (first, second)]
        if rows[0].shape != rows[1].shape:
            require(False, f"survey table {table}: {rows[0].shape} and {rows[1].shape}")
            continue
        for column in range(rows[0].shape[1] if rows[0].ndim == 2 else 0):
            pair = [row[:, column] for row in rows]
            if all(isinstance(value, float) for value in pair[0]) and all(isinstance(value, float) for value in pair[1]):
                a, b = (values.astype(float) for values in pair)
                print(f"survey table {table}, column {column}: {len(a)} values differ by {numpy.abs(a - b).max():.2e} "
                      f"of {numpy.abs(a).max():.2e}")
                require(numpy.abs(a - b).max() <= LARGEST_DIFFERENCE * max(1, numpy.abs(a).max()),
                        f"survey table {table}, column {column}")


def memory():
    checkpoint = WORK / "deit_small_patch16_224.pth"
    picture = WORK / "large.npy"
    for side in [896, 2048, 4096]:
        numpy.save(picture, numpy.zeros((1, 3, side, side), numpy.float32))
        outcome = ours("softscope", "dump", "-m", checkpoint, picture, "-o", WORK / "large", "--rows", "0", "--layers",
                       "blocks.0.*", "--device", DEVICE)
        told(f"DeiT-S at {side} x {side}", outcome)
    # 206 GB, more than any of these machines has.
    told("softmax at 65536 tokens", ours("softscope", "figure", "cost", "--mechanisms", "softmax,sima", "--over", "tokens", "--tokens",
                                         65536, "--device", DEVICE, "--data", WORK / "large.csv"))
    told("training with batches of 2000 at 512 x 512",
         ours("softscope", "train", "pyramid_softmax_nano", pictures(), "-o", WORK / "large.safetensors", "--epochs", 1, "--batch",
              2000, "--size", 512, "--device", DEVICE))
    left = int(torch.cuda.mem_get_info()[0] / 2**20) if DEVICE.startswith("cuda") else 0
    if left:
        # With nearly all of the GPU's memory taken by another, as on a shared machine.
        taken = torch.empty((left - 1200) << 20, dtype=torch.uint8, device=DEVICE)
        numpy.save(picture, numpy.zeros((1, 3, 4096, 4096), numpy.float32))
        told("DeiT-S at 4096 x 4096 with 1.2 GB left",
             ours("softscope", "dump", "-m", checkpoint, picture, "-o", WORK / "large", "--rows", "0", "--device", DEVICE))
        del taken


def told(what, outcome):
    print(f"{what} on {DEVICE}: exit {outcome.returncode}, {outcome.seconds:.1f} s, {len(outcome.stderr.splitlines())} lines of "
          f"errors: {last_line(outcome)[0][:400]}")
    require(outcome.returncode in (0, 1), f"{what} on {DEVICE}")
    sys.stdout.flush()


if __name__ == "__main__":
    WORK.mkdir(parents=True, exist_ok=True)
    for section in sys.argv[2:] or ["networks", "training", "survey", "memory"]:
        begin = time.perf_counter()
        try:
            globals()[section]()
        except Exception as problem:  # The other sections are still wanted.
            require(False, f"{section}: {type(problem).__name__}: {str(problem)[:600]}")
        print(f"({section}: {time.perf_counter() - begin:.0f} s)")
        sys.stdout.flush()
    sys.exit(1 if failures else 0)
