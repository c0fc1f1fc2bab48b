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
