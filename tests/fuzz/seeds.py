#!/usr/bin/env python3
"""Writes the seeds of every target, made from tests/data, into folders of a folder.

    /usr/bin/python3 seeds.py FOLDER
"""
import glob
import io
import json
import os
import re
import sqlite3
import struct
import sys
import zipfile
import zlib

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = os.path.join(ROOT, "tests/data")
RESOURCES = os.path.join(ROOT, "resources")
LARGEST = 16 * 1024


def small_files(folder, *endings):
    for name in sorted(os.listdir(os.path.join(DATA, folder))):
        path = os.path.join(DATA, folder, name)
        if name.endswith(endings) and os.path.getsize(path) <= LARGEST:
            with open(path, "rb") as file:
                yield name, file.read()


def stored_zip(members):
    """A zip archive whose entries stand in it as they are, so that mutations find them."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content)
    return buffer.getvalue()


HTML = '<img src="file:///dev/zero"><b>x</b>'
DEEP = "[" * 300 + "]" * 300


def pickled_text(text):
    return b"X" + struct.pack("<I", len(text)) + text.encode()


PICKLED_TENSOR = (b"ctorch._utils\n_rebuild_tensor_v2\n((" + pickled_text("storage") + b"ctorch\nFloatStorage\n" +
                  pickled_text("0") + pickled_text("cpu") + b"K\x02tQK\x00K\x02\x85K\x01\x85\x89" +
                  b"ccollections\nOrderedDict\n)RtR")


def quadratic_pickles():
    """Small ones of what takes the square of its size: the fuzzer makes them larger."""
    module = b"cmod\nNet\n)\x81}("
    maps = b"}q\x00(" + b"".join(pickled_text(str(i)) + b"N" for i in range(40)) + b"u0"
    yield "maps", maps + b"}(" + b"".join(pickled_text(f"k{i}") + b"h\x00" for i in range(40)) + b"u"
    leaf = module + pickled_text("_modules") + b"}ubq\x010"
    yield "modules", (pickled_text("a" * 500) + b"q\x000" + leaf + module + pickled_text("_modules") + b"}(" +
                      b"h\x00h\x01" * 40 + b"uub")
    yield "buffers", (pickled_text("a" * 500) + b"q\x000" + PICKLED_TENSOR + b"q\x010" + module + pickled_text("_modules") +
                      b"}" + pickled_text("_non_persistent_buffers_set") + b"\x8f(" + b"h\x00" * 40 + b"\x90" +
                      pickled_text("_buffers") + b"}(" + b"h\x00h\x01" * 40 + b"uub")
    yield "html", b"}" + pickled_text(HTML) + PICKLED_TENSOR + b"s"


def zip_checkpoints():
    for name, pickle in quadratic_pickles():
        yield name, stored_zip([("a/data.pkl", b"\x80\x02" + pickle + b"."), ("a/data/0", bytes(8))])
    yield "deep-json", stored_zip([("m/data/weights/model_weights_config.json", b'{"config":{"a":%s}}' % DEEP.encode())])
    for name, content in small_files("checkpoint", ".pth", ".pt"):
        if content.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                yield name, stored_zip((entry, archive.read(entry)) for entry in archive.namelist())


def legacy_checkpoints():
    start = b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03.\x80\x02}."
    for name, pickle in quadratic_pickles():
        yield name, start + b"\x80\x02" + pickle + b".\x80\x02]" + pickled_text("0") + b"a." + struct.pack("<Q", 2) + bytes(8)
    for name, content in small_files("checkpoint", ".pth", ".pkl"):
        if content.startswith(b"\x80"):
            yield name, content


def safetensors(header, size):
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(size)


def tensor(kind, shape, begin, end):
    return {"dtype": kind, "shape": shape, "data_offsets": [begin, end]}


def safetensors_files():
    yield from small_files("checkpoint", ".safetensors")
    yield "two", safetensors({"__metadata__": {"format": "pt", "weights": "ema"}, "a": tensor("F32", [2], 0, 8),
                              "module.b": tensor("BF16", [1, 2], 8, 12)}, 12)
    yield "empty", safetensors({"a": tensor("F16", [0, 3], 0, 0)}, 0)
    yield "html", safetensors({"__metadata__": {HTML: HTML}, HTML: tensor("F32", [2], 0, 8)}, 8)
    yield "deep-json", struct.pack("<Q", len(DEEP) + 6) + b'{"a":' + DEEP.encode() + b"}"


def shard_indices():
    yield "index", json.dumps({"metadata": {"total_size": 8}, "weight_map": {"a": "one.safetensors", "b": "two.bin"}}).encode()
    yield "deep-json", b'{"weight_map":{"a":%s}}' % DEEP.encode()
    yield "html", json.dumps({"weight_map": {HTML: HTML}}).encode()
    yield "outside", json.dumps({"weight_map": {"a": "../one.safetensors", "b": 1}}).encode()


def npy_bytes(array, version=(1, 0)):
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.asarray(array), version=version)
    return buffer.getvalue()


def npy_files():
    for kind in (np.float16, np.float32, np.float64, np.int64, ">f4"):
        yield np.dtype(kind).name + np.dtype(kind).byteorder.strip("=|"), npy_bytes(np.arange(6).reshape(2, 3).astype(kind))
    yield "fortran", npy_bytes(np.asfortranarray(np.arange(24.0).reshape(2, 3, 4)))
    yield "version2", npy_bytes(np.zeros((1, 3, 2, 2), np.float32), (2, 0))
    yield "scalar", npy_bytes(np.float32(1))
    yield "nothing", npy_bytes(np.zeros((0, 5), np.float32))


def recordings():
    random = np.random.default_rng(1)
    factor = random.random((1, 4, 2), np.float32)
    common = {"logits": np.zeros(2, np.float32), "classes": np.array(["cat", "dog"])}
    layers = {
        "dense": {"a/attn": random.random((1, 4, 4), np.float32), "a/grid": np.array([2, 2])},
        "product": {"a/left": factor, "a/middle": random.random((1, 2, 2), np.float32), "a/right": factor},
        "kernel": {"a/q": factor, "a/k": factor, "a/kernel": np.array("gaussian"), "a/scale": np.array(0.5)},
        "prefix": {"a/attn": random.random((1, 5, 5)), "a/prefix": np.array(1), "a/stage": np.array(2),
                   "a/mechanism": np.array("softmax"), "picture": np.zeros((4, 4, 3), np.uint8)},
        "places": {"a/attn": random.random((1, 4, 4), np.float32), "a/xy": random.random((4, 2))},
        "windows": {"a/blocks": random.random((1, 2, 2, 2), np.float32), "a/rows": np.array([[0, 2], [1, -1]]),
                    "a/cols": np.array([[0, 1], [2, -1]])},
        "html": {HTML + "/attn": random.random((1, 4, 4), np.float32), HTML + "/mechanism": np.array(HTML),
                 "note": np.array(HTML), "variant": np.array(HTML)},
    }
    for name, arrays in layers.items():
        yield name, stored_zip((key + ".npy", npy_bytes(value)) for key, value in {**arrays, **common}.items())


SURVEY_TABLES = """
PRAGMA page_size = 512; PRAGMA application_id = 0x53465356; PRAGMA user_version = 1;
CREATE TABLE survey(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE model(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, path TEXT NOT NULL, fingerprint TEXT NOT NULL,
                   family TEXT NOT NULL, variant TEXT NOT NULL, mechanism TEXT NOT NULL, parameters INTEGER NOT NULL,
                   request TEXT NOT NULL, transform TEXT NOT NULL);
CREATE TABLE layer(id INTEGER PRIMARY KEY, model INTEGER NOT NULL REFERENCES model, name TEXT NOT NULL,
                   position INTEGER NOT NULL, mechanism TEXT NOT NULL, heads INTEGER NOT NULL, UNIQUE(model, name));
CREATE TABLE head(id INTEGER PRIMARY KEY, layer INTEGER NOT NULL REFERENCES layer, head INTEGER NOT NULL,
                  UNIQUE(layer, head));
CREATE TABLE class(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE picture(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, class INTEGER REFERENCES class,
                     unreadable TEXT);
CREATE TABLE measure(name TEXT PRIMARY KEY, scope TEXT NOT NULL, position INTEGER NOT NULL, title TEXT NOT NULL,
                     unit TEXT NOT NULL, source TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE model_value(picture INTEGER NOT NULL, model INTEGER NOT NULL, correct REAL, PRIMARY KEY(picture, model)) WITHOUT ROWID;
CREATE TABLE layer_value(picture INTEGER NOT NULL, layer INTEGER NOT NULL, PRIMARY KEY(picture, layer)) WITHOUT ROWID;
CREATE TABLE head_value(picture INTEGER NOT NULL, head INTEGER NOT NULL, entropy REAL, PRIMARY KEY(picture, head)) WITHOUT ROWID;
"""


def fill_survey(connection, name, pictures):
    for key, value in {"folder": name, "listing": "a", "pictures": str(pictures), "recipe": "{}", "shard": "1/1"}.items():
        connection.execute("INSERT INTO survey VALUES(?, ?)", (key, value))
    connection.execute("INSERT INTO model VALUES(0, ?, ?, '0', 'soft', ?, ?, 1, '{}', '{}')", (name, name, name, name))
    connection.execute("INSERT INTO layer VALUES(0, 0, ?, 0, ?, 1)", (name, name))
    connection.execute("INSERT INTO head VALUES(0, 0, 0)")
    connection.execute("INSERT INTO class VALUES(0, ?)", (name,))
    connection.execute("INSERT INTO measure VALUES('correct', 'model', 0, ?, '', ?)", (name, name))
    connection.execute("INSERT INTO measure VALUES('entropy', 'head', 1, ?, '', ?)", (name, name))
    for picture in range(pictures):
        connection.execute("INSERT INTO picture VALUES(?, ?, 0, NULL)", (picture, f"{name}{picture}"))
        connection.execute("INSERT INTO model_value VALUES(?, 0, 1)", (picture,))
        connection.execute("INSERT INTO head_value VALUES(?, 0, 0.5)", (picture,))


def surveys():
    path = os.path.join(sys.argv[1], "seed.sqlite")
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    for kind, name, pictures, sql in (
            ("small", "a", 2, ""), ("larger", "a", 60, ""), ("html", HTML, 2, ""),
            ("trigger", "a", 2, f"CREATE TRIGGER t AFTER INSERT ON picture BEGIN SELECT ({endless}); END"),
            ("view", "a", 2, f"DROP TABLE class; CREATE VIEW class(id, name) AS {endless}"),
            ("shadow", "a", 2, "CREATE TABLE pragma_table_list(schema, name, type)"),
            ("generated", "a", 2, "ALTER TABLE head_value ADD COLUMN more AS (hex(zeroblob(entropy)))"),
            ("index", "a", 2, "CREATE INDEX i ON picture(length(path)) WHERE class > 0"),
            ("deep-json", "a", 2, f"UPDATE survey SET value = '{DEEP}' WHERE key = 'recipe'"),
            ("log", "a", 2, "PRAGMA journal_mode = WAL")):
        connection = sqlite3.connect(path, isolation_level=None)
        connection.executescript(SURVEY_TABLES)
        fill_survey(connection, name, pictures)
        connection.executescript(sql)
        connection.close()
        with open(path, "rb") as file:
            yield kind, file.read()
        os.remove(path)


def is_of_first_block(key):
    block = re.search(r"blocks?\d*\.(\d+)\.", key)
    return not block or int(block.group(1)) == 0


def text_of(layout, metadata=()):
    return "\n".join([f"{key}={value}" for key, value in dict(metadata).items() if "\n" not in value] +
                     [f"{key} {' '.join(map(str, shape))}" for key, shape in layout.items()]).encode()


def shallow(layout):
    """The same with one block a stage, which takes a tenth of the time."""
    return {key: shape for key, shape in layout.items() if is_of_first_block(key)}


def published_layouts():
    for path in ("golden/layouts.json", "layouts/linear.json", "layouts/softmax_free.json"):
        with open(os.path.join(DATA, path), encoding="utf-8") as file:
            for name, layout in json.load(file).items():
                yield name, layout["state"]


def safetensors_layouts():
    """Names and shapes, and metadata, of the files that are at hand."""
    def layout(file):
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        metadata = header.pop("__metadata__", {})
        return {key: said["shape"] for key, said in header.items()}, metadata

    for path in glob.glob(os.path.join(RESOURCES, "checkpoints/*.safetensors")):
        with open(path, "rb") as file:
            yield os.path.relpath(path, ROOT).replace("/", "_"), *layout(file)
    with zipfile.ZipFile(os.path.join(DATA, "golden/papers.zip")) as archive:
        for name in archive.namelist():
            if name.endswith(".safetensors"):
                with archive.open(name) as file:
                    yield "golden_" + name.replace("/", "_"), *layout(file)


def layouts():
    for name, layout in published_layouts():
        if len(text_of(layout)) <= LARGEST:
            yield name, text_of(layout)
        yield name + "-shallow", text_of(shallow(layout))
    for name, layout, metadata in safetensors_layouts():
        yield name, text_of(shallow(layout), metadata)
    with open(os.path.join(DATA, "layouts/others.json")) as file:
        for name, other in json.load(file).items():
            yield name, text_of(other["state"])


def workspaces():
    query = {"x": 0.25, "y": 0.5, "classToken": False}
    yield "workspace", json.dumps({
        "softscope": 1, "picture": {"path": "/tmp/cat.jpg", "relative": "cat.jpg"},
        "models": [{"path": "a.pth", "attention": "soft++", "heads": 2, "device": "cpu", "inputSize": "224", "layer": "b",
                    "landmarks": "random", "landmarkCount": 49, "landmarkSeed": 1, "fingerprint": "00"}],
        "current": 0, "query": query, "pins": [query, {**query, "prefixToken": 1}], "direction": "columns",
        "view": {"onlyHead": 1, "visible": [0, 0, 1, 1], "opacity": 0.5, "colorMap": "viridis"},
        "comparison": {}, "analysis": {}, "page": "heads"}).encode()
    yield "pasted", json.dumps({"softscope": 1, "picture": {"name": "pasted", "bytes": "iVBORw0KGgo="}, "models": []}).encode()
    yield "later", b'{"softscope": 99}'
    yield "deep-json", b'{"softscope": 1, "models": %s}' % DEEP.encode()
    yield "html", json.dumps({"softscope": 1, "picture": {"name": HTML, "path": HTML}, "page": HTML,
                              "models": [{"path": HTML, "layer": HTML, "attention": HTML}]}).encode()


def live_messages():
    hello = {"type": "hello", "protocol": 1, "token": "0", "name": "vit", "variant": "ViT", "mechanism": "softmax",
             "layers": [{"name": "blocks.0.attn", "mechanism": "softmax", "heads": 3}], "refused": ["a: b"],
             "classes": ["cat", HTML], "picture": True, "series": False}
    streams = {
        "model": [(hello, b""), ({"type": "picture", "width": 2, "height": 1, "name": "cat.jpg"}, b"abcdef"),
                  ({"type": "answer", "id": 1, "region": [0, 0.5, 2, 0.5]}, b"recording"),
                  ({"type": "answer", "id": 2, "error": "out of memory"}, b"")],
        "reach": [({**hello, "note": "a convolution stands beside"}, b""),
                  ({"type": "answer", "id": 1, "reach": [2], "channels": 3, "directions": 3}, bytes(8)),
                  ({"type": "answer", "id": 2, "reach": [1, 2], "channels": 3, "directions": 1}, bytes(8)),
                  ({"type": "answer", "id": 3, "reach": [1048576, 1048576], "channels": 1, "directions": 1}, bytes(4))],
        "added": [(hello, b""), ({"type": "answer", "id": 1, "logits": 1, "added": {
            "attention": 1, "projected": 2.5, "residual": 3, "output": 4, "beside": 5}}, bytes(4))],
        "series": [({**hello, "series": True}, b""), ({"type": "step", "step": 120}, b"recording")],
        "wrong": [({"type": "exec"}, b"")], "short": [({"type": "picture", "width": 9, "height": 9}, b"a")],
    }
    for name, stream in streams.items():
        texts = [(json.dumps(message).encode(), payload) for message, payload in stream]
        yield name, b"".join(b"SSL1" + struct.pack("<IQ", len(text), len(payload)) + text + payload
                             for text, payload in texts)
    yield "deep-json", b"SSL1" + struct.pack("<IQ", len(DEEP), 0) + DEEP.encode()


def command_lines():
    lines = [
        "inspect a.pth --json", "inspect a.pth --attention soft++ --heads 2 --weights ema",
        "dump -m a.pth cat.jpg -o out --layers block1.* --rows 0,5 --map effective",
        "dump -m a.pth cat.jpg -o out --landmarks random --landmark-count 49 --landmark-seed 3 --size 224x448 --exif off",
        "record -m a.pth cat.jpg -o a.npz", "convert a.pth -o a.safetensors --half --set classes=3",
        "figure heads -m a.pth cat.jpg -o a.pdf --at 0.4,0.3 --query 3,4 --colormap viridis --dpi 200",
        "figure compare -m a.pth -m b.pth cat.jpg -o a.svg --theme dark --head mean --layer all",
        "figure spectrum -m a.pth cat.jpg --data a.csv --of bottleneck", "figure cost --over tokens --mechanisms soft --tokens 196,784 --data a.csv",
        "figure norms -m a.pth cat.jpg --sizes 224,512 --data n.csv", "figure --help", "dump",
        "survey -m a.pth val -o a-{shard}.survey --shard 2/4 --measure entropy,distance --workers 2",
        "train soft_nano flowers -o a.safetensors --epochs 3 --batch 4 --resume",
        "evaluate -m a.pth val --split val --limit 9", "merge a.survey b.survey -o c.survey", "table a.survey -o a.csv",
        "linescores -m a.pth val --data a.csv",
    ]
    for number, line in enumerate(lines):
        yield f"line{number:02}", "\n".join(line.split(" ")).encode()


def bmp(header, bits, compression, masks, pixels, palette=b""):
    """A BMP of 2 x 2 pixels."""
    said = struct.pack("<IiiHHIIiiII", header, 2, 2, 1, bits, compression, len(pixels), 0, 0, len(palette) // 4, 0)
    said = (said + masks).ljust(header, b"\0") + palette
    return b"BM" + struct.pack("<IHHI", 14 + len(said) + len(pixels), 0, 0, 14 + len(said)) + said + pixels


def tiff_stack(pages, samples, photometric, description=b""):
    """Pages of one pixel of 16 bits a sample."""
    content, link = b"II*\0" + bytes(4), 4
    for page in range(pages):
        strip = len(content)
        content += struct.pack("<4H", 254 + page, 1000, 2000, 3250) + struct.pack("<4H", *[16] * 4) + description.ljust(24, b"\0")
        tags = {256: (4, 1, 1), 257: (4, 1, 1), 258: (3, samples, strip + 8 if samples > 2 else 16), 259: (3, 1, 1),
                262: (3, 1, photometric), 270: (2, 24, strip + 16), 273: (4, 1, strip), 277: (3, 1, samples), 278: (4, 1, 1),
                279: (4, 1, 2 * samples), 338: (3, 1, 1 if samples == 4 else 0)}
        content = content[:link] + struct.pack("<I", len(content)) + content[link + 4:]
        content += struct.pack("<H", len(tags))
        content += b"".join(struct.pack("<HHII", tag, *said) for tag, said in sorted(tags.items()))
        link = len(content)
        content += bytes(4)
    return content


def pictures():
    yield from small_files("image", ".jpg", ".png", ".webp", ".tif", ".bmp", ".gif")
    masks = struct.pack("<4I", 0xff, 0xff00, 0xff0000, 0xff000000)
    for header in (40, 52, 56, 108, 124):
        yield f"masks_{header}.bmp", bmp(header, 32, 6 if header == 40 else 3, masks, bytes(range(16)))
    yield "masks_565.bmp", bmp(40, 16, 3, struct.pack("<3I", 0xf800, 0x7e0, 0x1f), bytes(range(8)))
    yield "runs_4.bmp", bmp(40, 4, 2, b"", bytes([2, 0x12, 0, 0, 0, 2, 1, 0, 0, 3, 1, 0x21, 0, 1]), bytes(64))
    yield "stack_16.tif", tiff_stack(3, 1, 1)
    yield "stack_imagej.tif", tiff_stack(1, 1, 1, b"ImageJ=1\nimages=9\n\0")
    yield "associated_16.tif", tiff_stack(1, 4, 2)
    yield "negative_16.tif", tiff_stack(1, 1, 0)
    with open(os.path.join(DATA, "image/rgb.png"), "rb") as file:
        png = file.read()
    for kind, content in ((b"acTL", bytes([0, 0, 0, 3, 0, 0, 0, 0])), (b"gAMA", bytes([0, 1, 0x86, 0xa0])),
                          (b"zTXt", b"Raw profile type exif\0\0" + zlib.compress(b"\nexif\n8\n4949")),
                          (b"iTXt", b'XML:com.adobe.xmp\0\0\0\0\0<a tiff:Orientation="6"/>'),
                          (b"iCCP", b"p\0\0" + zlib.compress(bytes(128) + b"\0\0\0\1desc\0\0\0\x90"))):
        chunk = struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        yield kind.decode() + ".png", png[:33] + chunk + png[33:]


TARGETS = {
    "zip_checkpoint": zip_checkpoints, "legacy_checkpoint": legacy_checkpoints, "safetensors": safetensors_files,
    "shard_index": shard_indices, "npy": npy_files, "recording": recordings, "survey": surveys, "identify": layouts,
    "picture": pictures,
    "workspace": workspaces, "command_line": command_lines, "live_message": live_messages,
}


def main():
    for target, seeds in TARGETS.items():
        folder = os.path.join(sys.argv[1], target)
        os.makedirs(folder, exist_ok=True)
        for name, content in seeds():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)


if __name__ == "__main__":
    main()
