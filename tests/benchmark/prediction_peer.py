#!/usr/bin/env python3
"""A survey of predictions alone beside OpenVINO, set for throughput, with pictures that two workers of PyTorch decode.

    prediction_peer.py SOFTSCOPE FAMILY AUTHORS PICTURES [--limit 400] [--size 224] [--rounds 3] [--workers 2]

SOFTSCOPE is build/release/app/softscope; FAMILY and AUTHORS are forward_peer.py's. Both sides read the same pictures,
prepare them as published evaluations do, run the network on all cores, and write a line for each picture: pictures a
second, from the first that is read to the last that is written, without the start of a program or the conversion of the
network. A third number is OpenVINO's alone, on pictures that are in memory already. Ours takes the start along.
"""
import argparse
import csv
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import types

from forward_peer import FAMILIES, environment_of_run, network_of

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def pictures_in(folder, limit):
    files = sorted(path for path in pathlib.Path(folder).rglob("*") if path.suffix.lower() in (".jpg", ".jpeg", ".png"))
    return [files[i * len(files) // limit] for i in range(limit)] if limit < len(files) else files


class Pictures:
    """A data set of PyTorch."""

    def __init__(self, files, size):
        from torchvision import transforms
        self.files = files
        self.prepare = transforms.Compose([
            transforms.Resize(size * 8 // 7, interpolation=transforms.InterpolationMode.BICUBIC),
            transforms.CenterCrop(size), transforms.ToTensor(), transforms.Normalize(MEAN, STD)])

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        from PIL import Image
        return self.prepare(Image.open(self.files[index]).convert("RGB")), index


def compiled(network, options):
    import openvino
    import torch
    with torch.no_grad():
        converted = openvino.convert_model(network, example_input=torch.randn(8, 3, options.size, options.size))
    converted.reshape([-1, 3, options.size, options.size])
    return openvino.Core().compile_model(converted, "CPU", {
        "PERFORMANCE_HINT": "THROUGHPUT", "INFERENCE_PRECISION_HINT": "f32"})


def run_theirs(model, batches, output):
    """Pictures a second, written to a table."""
    import openvino
    queue, rows = openvino.AsyncInferQueue(model), []

    def keep(request, indices):
        logits = request.get_output_tensor(0).data
        rows.extend(zip(indices, logits.argmax(1).tolist(), logits.max(1).tolist()))
    queue.set_callback(keep)
    begin, count = time.perf_counter(), 0
    for pictures, indices in batches:
        queue.start_async([pictures.numpy()], indices.tolist())
        count += len(indices)
    queue.wait_all()
    with open(output, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(sorted(rows))
    return count / (time.perf_counter() - begin)


def run_ours(options, checkpoint, listing, folder, environment):
    output = os.path.join(folder, "ours.survey")
    if os.path.exists(output):
        os.remove(output)
    begin = time.perf_counter()
    subprocess.run([options.softscope, "survey", "-m", checkpoint, listing, "--measure", "prediction", "--size",
                    str(options.size), "--workers", str(options.workers), "-o", output], env=environment, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(listing, encoding="utf-8") as file:
        return sum(1 for _ in file) / (time.perf_counter() - begin)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("softscope")
    parser.add_argument("family", choices=FAMILIES)
    parser.add_argument("authors")
    parser.add_argument("pictures")
    parser.add_argument("--limit", type=int, default=400)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    import torch
    from torch.utils.data import DataLoader
    network, _ = network_of(types.SimpleNamespace(**vars(options)))
    files = pictures_in(options.pictures, options.limit)
    if not files:
        sys.exit(f"{options.pictures} holds no pictures")
    model = compiled(network, options)
    loader = DataLoader(Pictures(files, options.size), batch_size=8, num_workers=options.workers)
    kept = list(loader)
    rates = {"ours": [], "decoded by PyTorch, run by OpenVINO": [], "OpenVINO alone": []}
    with tempfile.TemporaryDirectory() as folder:
        checkpoint, listing = os.path.join(folder, "network.pth"), os.path.join(folder, "pictures.txt")
        torch.save(network.state_dict(), checkpoint)
        pathlib.Path(listing).write_text("".join(f"{path.resolve()}\n" for path in files), encoding="utf-8")
        for _ in range(options.rounds):
            rates["ours"].append(run_ours(options, checkpoint, listing, folder, environment_of_run()))
            rates["decoded by PyTorch, run by OpenVINO"].append(run_theirs(model, loader, os.path.join(folder, "theirs.csv")))
            rates["OpenVINO alone"].append(run_theirs(model, kept, os.path.join(folder, "alone.csv")))
            print(", ".join(f"{name} {values[-1]:.1f}" for name, values in rates.items()) + " pictures/s", flush=True)
    medians = {name: statistics.median(values) for name, values in rates.items()}
    print(f"{options.family}, {len(files)} pictures, {options.size} x {options.size}: " +
          ", ".join(f"{name} {value:.1f}" for name, value in medians.items()) + " pictures/s; ratios " +
          ", ".join(f"{medians['ours'] / value:.2f}" for name, value in medians.items() if name != "ours"))


if __name__ == "__main__":
    main()
