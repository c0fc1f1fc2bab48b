"""Files that strangers could send: small, and asking for much."""
import json
import os
import struct
import zipfile
import zlib

from measured import DATA


def zip_of(path, members):
    """A zip archive of {name: bytes}, deflated."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def pickled_text(text):
    return b"X" + struct.pack("<I", len(text)) + text


def checkpoint(path, pickle):
    zip_of(path, {"archive/data.pkl": b"\x80\x04" + pickle + b"."})


def class_names(path):
    """A long name, used four million times and thrown away."""
    checkpoint(path, pickled_text(b"m" * 120) + b"q\x00" + pickled_text(b"n" * 120) + b"q\x01" +
               b"h\x00h\x01\x930" * 3_900_000 + b"}")


def kept_class_names(path):
    checkpoint(path, pickled_text(b"m" * 120) + b"q\x00" + pickled_text(b"n" * 120) + b"q\x01" + b"(" +
               b"h\x00h\x01\x93" * 2_000_000 + b"l")


def distinct_class_names(path):
    names = b"".join(pickled_text(bytes([65 + i % 26, 65 + i // 26]) * 60) + b"q" + bytes([i]) + b"0" for i in range(200))
    pairs = b"".join(b"h" + bytes([i]) + b"h" + bytes([j]) + b"\x93" for i in range(200) for j in range(200))
    checkpoint(path, names + b"(" + pairs * 1 + b"l")


TENSOR = (b"ctorch._utils\n_rebuild_tensor_v2\n(" + b"(" + pickled_text(b"storage") + b"ctorch\nFloatStorage\n" +
          pickled_text(b"0") + pickled_text(b"cpu") + b"K\x02tQ" + b"K\x00K\x02\x85K\x01\x85\x89" +
          b"ccollections\nOrderedDict\n)RtR")


def long_name(path):
    """A tensor's name of ten megabytes, used 300 000 times."""
    checkpoint(path, pickled_text(b"a" * 10_000_000) + b"q\x00" + b"0" + TENSOR + b"q\x010" + b"}(" +
               b"h\x00h\x01" * 300_000 + b"u")


def many_lists(path):
    checkpoint(path, b"(" + b"]" * 3_000_000 + b"l")


def filled_list(path):
    checkpoint(path, b"]q\x00(" + b"N" * 900_000 + b"e" + (b"(" + b"N" * 900_000 + b"e") * 15)


def nested_modules(path):
    """Modules that share what they hold, sixty deep and two wide."""
    module = b"cmod\nNet\n)\x81}("
    pickle = module + pickled_text(b"_modules") + b"}ub"
    for level in range(60):
        pickle += b"q\x010" + module + pickled_text(b"_modules") + b"}(" + pickled_text(b"a") + b"h\x01"
        pickle += pickled_text(b"b") + b"h\x01uub"
    checkpoint(path, pickle)


def deflated_storage(path):
    zip_of(path, {"archive/data.pkl": b"\x80\x02}" + pickled_text(b"a") + TENSOR + b"s.",
                  "archive/data/0": bytes(200 << 20)})


def safetensors(path, header, data=0, sparse=0):
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header + bytes(data))
        if sparse:
            file.truncate(8 + len(header) + sparse)


def long_header(path):
    entry = b'"%07d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}'
    safetensors(path, b"{" + b",".join(entry % i for i in range(1_600_000)) + b"}")


def header_of_lists(path):
    safetensors(path, b'{"a":[' + b"0," * 47_000_000 + b"0]}")


def long_header_of_a_large_file(path):
    """As long as one is still read, and refused at its very end."""
    entry = b'"%07d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}'
    safetensors(path, b"{" + b",".join(entry % i for i in range(130_000)) + b"}", sparse=64 << 20)


def many_entries(path, count=300_000, repeated=0):
    """A zip archive of entries that share the bytes of one, and whose directory has as many ends as are asked for."""
    local = b"PK\3\4" + struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 33, 0, 0, 0, 1, 0) + b"a"
    directory = b"".join(
        b"PK\1\2" + struct.pack("<HHHHHHIIIHHHHHII", 20, 20, 0, 0, 0, 33, 0, 0, 0, len(name), 0, 0, 0, 0, 0, 0) + name
        for name in (b"%x" % number for number in range(count)))
    end = b""
    if count > 0xffff:
        at = len(local) + len(directory)
        end = (b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, count, count, len(directory), len(local)) +
               b"PK\6\7" + struct.pack("<IQI", 0, at, 1))
    last = b"PK\5\6" + struct.pack("<HHHHII", 0, 0, min(count, 0xffff), min(count, 0xffff), len(directory), len(local))
    comment = (last + b"\0\0") * repeated
    with open(path, "wb") as file:
        file.write(local + directory + end + last + struct.pack("<H", len(comment)) + comment)


def shard_index(path):
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"weight_map": {f"{i:07d}": "a.safetensors" for i in range(1_500_000)}}, file)


def named_with_escapes(path):
    name = "\x1b[31m\n\r\u202e" + "x" * 1_000_000
    header = json.dumps({name: {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
    safetensors(path, header, 4)


def sparse(path, size=5 << 30, start=b""):
    with open(path, "wb") as file:
        file.write(start)
        file.truncate(size)


def npy(path, shape, order="False", kind="<f4", size=0):
    header = f"{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()
    sparse(path, size or 10 + len(header), b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)


def zeros_npz(path):
    zip_of(path, {"a/attn.npy": b"\x93NUMPY\x01\x00" + struct.pack("<H", 60) +
                  b"{'descr': '<f4', 'fortran_order': False, 'shape': (67108864,)}".ljust(60)[:60] + bytes(256 << 20)})


def many_texts(path):
    header = b"{'descr': '<U0', 'fortran_order': False, 'shape': (20000000,), }\n"
    zip_of(path, {"classes.npy": b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(20_000_000)})


def fixture(name):
    with open(os.path.join(DATA, "image", name), "rb") as file:
        return file.read()


def jpeg_of_scans(path, scans, side):
    """progressive.jpg with its last scan repeated, and sides that are not its own."""
    whole = fixture("progressive.jpg")
    frame, last = whole.index(b"\xff\xc2"), whole.rindex(b"\xff\xda")
    start = whole[:frame + 5] + struct.pack(">HH", side, side) + whole[frame + 9:last]
    with open(path, "wb") as file:
        file.write(start + whole[last:-2] * scans + b"\xff\xd9")


def tiff_of_tiles(path, side):
    tags = {256: 64, 257: 64, 258: 8, 259: 8, 262: 1, 277: 1, 322: side, 323: side, 324: 200, 325: 12}
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in sorted(tags.items()))
    content = b"II*\0" + struct.pack("<IH", 8, len(tags)) + entries + bytes(4)
    with open(path, "wb") as file:
        file.write(content.ljust(200, b"\0") + zlib.compress(bytes(20)).ljust(64, b"\0"))


def png(path, chunks):
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for kind, content in chunks:
            file.write(struct.pack(">I", len(content)) + kind + content +
                       struct.pack(">I", zlib.crc32(kind + content)))


def write_png(path, color):
    """A picture of one colour, 32 by 32."""
    rows = (b"\0" + bytes(color) * 32) * 32
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", 32, 32, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    png(path, chunks)


def png_of_noise(path):
    """Every checksum is right, and the deflated data is not deflated at all."""
    png(path, [(b"IHDR", struct.pack(">IIBBBBB", 64, 64, 8, 2, 0, 0, 0)), (b"IDAT", b"no deflated data" * 9),
               (b"IEND", b"")])


def jpeg_of_noise(path):
    whole = bytearray(fixture("rgb.jpg"))
    begin = whole.index(b"\xff\xda") + 20
    for i in range(begin, len(whole) - 2, 3):
        whole[i] = (whole[i] * 7 + 13) % 251
    with open(path, "wb") as file:
        file.write(whole)


def tiff_of_noise(path):
    whole = bytearray(fixture("rgb_lzw.tif"))
    whole[-40:-8] = bytes(range(90, 122))
    with open(path, "wb") as file:
        file.write(whole)


def nested_lists(depth):
    return b"[" * depth + b"]" * depth


DEEP = 95_000
DEEP_JSON = b'{"a":' + nested_lists(DEEP) + b"}"


def deep_index(path):
    with open(path, "wb") as file:
        file.write(b'{"weight_map":{"a":' + nested_lists(DEEP) + b"}}")


def deep_header(path):
    safetensors(path, b'{"a":' + nested_lists(DEEP) + b"}")


def deep_metadata(path):
    """A recording whose list of classes is nested instead."""
    header = {"__metadata__": {"classes": nested_lists(DEEP).decode()},
              "l/attn": {"dtype": "F32", "shape": [1, 1, 1], "data_offsets": [0, 4]}}
    safetensors(path, json.dumps(header).encode(), 4)


def deep_exported_program(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("m/data/weights/model_weights_config.json", b'{"config":{"a":' + nested_lists(DEEP) + b"}}")


def deep_class_names(path):
    header = {"__metadata__": {"classes": nested_lists(DEEP).decode()},
              "patch_embed.proj.weight": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}
    safetensors(path, json.dumps(header).encode(), 4)


def maps_of_maps(path):
    """A hundred thousand maps that are one map of a hundred thousand entries, none of which has a name."""
    inner = b"}q\x00(" + b"NN" * 100_000 + b"u0"
    checkpoint(path, inner + b"}(" + b"".join(pickled_text(b"k%d" % i) + b"h\x00" for i in range(100_000)) + b"u")


def modules_with_long_names(path):
    """Modules side by side whose names take 800 KB each, and are one name."""
    module = b"cmod\nNet\n)\x81}("
    leaf = module + pickled_text(b"_modules") + b"}ubq\x010"
    checkpoint(path, pickled_text(b"a" * 800_000) + b"q\x000" + leaf + module + pickled_text(b"_modules") + b"}(" +
               b"h\x00h\x01" * 300_000 + b"uub")


def temporary_buffers(path, names=100_000, size=1 << 20):
    """Buffers of long names, each looked for among a hundred thousand that are as long."""
    text = pickled_text(b"a" * size)
    other = pickled_text(b"a" * (size - 1) + b"b")
    checkpoint(path, text + b"q\x000" + other + b"q\x020" + TENSOR + b"q\x010" + b"cmod\nNet\n)\x81}(" +
               pickled_text(b"_modules") + b"}" + pickled_text(b"_non_persistent_buffers_set") +
               b"\x8f(" + b"h\x02" * names + b"\x90" +
               pickled_text(b"_buffers") + b"}(" + b"h\x00h\x01" * 30 + b"uub")


def shared_temporary_set(path):
    """Many modules that share one long set of names."""
    module = b"cmod\nNet\n)\x81}("
    names = b"\x8f(" + b"".join(pickled_text(b"%d" % i) for i in range(20_000)) + b"\x90q\x000"
    leaf = module + pickled_text(b"_modules") + b"}" + pickled_text(b"_non_persistent_buffers_set") + b"h\x00ubq\x010"
    checkpoint(path, names + leaf + module + pickled_text(b"_modules") + b"}(" +
               b"".join(pickled_text(b"%d" % i) + b"h\x01" for i in range(20_000)) + b"uub")


def shared_tensors(path):
    """A tensor of two numbers under a hundred thousand names."""
    zip_of(path, {"archive/data.pkl": b"\x80\x02" + TENSOR + b"q\x000}(" +
                  b"".join(pickled_text(b"blocks.%d.a" % i) + b"h\x00" for i in range(100_000)) + b"u.",
                  "archive/data/0": bytes(8)})


def full_stack(path):
    checkpoint(path, b"(" * 900_000 + b"N" * 900_000 + b"1" * 900_000 + b"}")


def full_memo(path):
    checkpoint(path, b"N" + b"\x94" * 3_900_000 + b"}")


def filled_dictionary(path):
    checkpoint(path, b"}(" + b"K\x01" * 900_000 + b"u")


def legacy_storage_keys(path):
    """In the older format, storages whose keys are a megabyte long and differ in their last byte."""
    tensor = TENSOR.replace(pickled_text(b"0") + pickled_text(b"cpu"), b"h\x00" + pickled_text(b"cpu"))
    pickle = (b"\x80\x02" + pickled_text(b"k" * (1 << 20)) + b"q\x000}(" +
              b"".join(pickled_text(b"t%d" % i) + tensor for i in range(10_000)) + b"u.")
    with open(path, "wb") as file:
        file.write(b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19." + b"\x80\x02M\xe9\x03." +
                   b"\x80\x02}" + pickled_text(b"little_endian") + b"\x88s." + pickle + b"\x80\x02]" +
                   pickled_text(b"k" * (1 << 20)) + b"a.")


def many_blocks(path, begin="backbone.stages.%d.op_list.%d.main.depth_conv.conv.weight", blocks=15_000):
    """An EfficientViT of fifteen thousand blocks."""
    entry = '"%s":{"dtype":"F32","shape":[1,0],"data_offsets":[0,0]}'
    names = [begin % (stage, block) for stage in range(blocks // 1000) for block in range(1000)]
    names += ["backbone.stages.0.op_list.1.context_module.main.aggreg.0.1.weight", "backbone.input_stem.op_list.0.conv.weight",
              "backbone.stages.0.op_list.1.local_module.main.depth_conv.conv.weight"]
    names += ["backbone.stages.%d.op_list.0.main.point_conv.conv.weight" % stage for stage in range(blocks // 1000)]
    safetensors(path, ("{" + ",".join(entry % name for name in names) + "}").encode())


def chunked_blocks(path):
    """A vision transformer of twenty thousand blocks, in a chunk."""
    entry = '"%s":{"dtype":"F32","shape":[1,5,0,16],"data_offsets":[0,0]}'
    names = ["blocks.0.%d.attn.qkv.weight" % block for block in range(20_000)] + ["patch_embed.proj.weight", "pos_embed"]
    safetensors(path, ("{" + ",".join(entry % name for name in names) + "}").encode())


def npy_bytes(kind, shape, values):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + values


ONE_MAP = {"l/attn.npy": npy_bytes("<f4", "(1, 1, 1)", bytes(4))}


def recording_with(name, kind, shape, size, **others):
    def write(path):
        zip_of(path, {**ONE_MAP, **others, name + ".npy": npy_bytes(kind, shape, bytes(size))})

    return write


def tokens(count, kind="<f2", size=2):
    return {part + ".npy": npy_bytes(kind, f"(1, {count}, 1)", bytes(size * count)) for part in ("l/q", "l/k")}


def many_layers(path, layers=20_000):
    zip_of(path, {f"blocks.{i}.attn/attn.npy": ONE_MAP["l/attn.npy"] for i in range(layers)})


def places(path, count=300_000, layers=1):
    members = {}
    for layer in range(layers):
        for name, content in tokens(count).items():
            members[name.replace("l/", f"{layer}/")] = content
        members[f"{layer}/xy.npy"] = npy_bytes("<f2", f"({count}, 2)", bytes(4 * count))
    zip_of(path, members)


def places_of_many_layers(path):
    places(path, 60_000, 40)


def sheet(path, count=1 << 18):
    zip_of(path, tokens(count))


def gaussian(path, count=2_900_000, channels=1):
    """Queries and keys whose kernel scales them: norms and scaled ones come beside what the file holds."""
    parts = {name: npy_bytes("<f4", f"(1, {count}, {channels})", bytes(4 * channels * count)) for name in ("l/q.npy", "l/k.npy")}
    zip_of(path, {**parts, "l/kernel.npy": npy_bytes("<U8", "()", "gaussian".encode("utf-32-le")),
                  "l/scale.npy": npy_bytes("<f8", "()", struct.pack("<d", 0.5))})


RECORDINGS = {
    "grid.npz": recording_with("l/grid", "|u1", "(23000000,)", 23_000_000),
    "stage.npz": recording_with("l/stage", "<i2", "(11000000,)", 22_000_000),
    "landmark_tokens.npz": recording_with("l/landmark_tokens", "|i1", "(1, 23000000)", 23_000_000),
    "region.npz": recording_with("region", "<f2", "(6000000,)", 12_000_000),
    "picture.npz": recording_with("picture", "|u1", "(3000, 3600, 3)", 3000 * 3600 * 3),
    "input.npz": recording_with("input", "<f2", "(3, 2200, 2200)", 3 * 2200 * 2200 * 2,
                                **{"mean.npy": npy_bytes("<f4", "(3,)", bytes(12)), "std.npy": npy_bytes("<f4", "(3,)", bytes(12))}),
    "halves.npz": lambda path: zip_of(path, {"l/attn.npy": npy_bytes("<f2", "(1, 2048, 8000)", bytes(2 * 2048 * 8000))}),
    "doubles.npz": lambda path: zip_of(path, {"l/attn.npy": npy_bytes("<f8", "(1, 1000, 2900)", bytes(8 * 1000 * 2900))}),
    "gaussian.npz": gaussian,
    "gaussian_of_channels.npz": lambda path: gaussian(path, 960_000, 3),
    "sheet.npz": sheet,
    "layers.npz": many_layers,
    "places.npz": places,
    "places_of_many_layers.npz": places_of_many_layers,
}
