#!/usr/bin/env python3
"""Makes the small pictures beside it and, in decoded.npz, the pixels that Pillow makes of them.

Needs Pillow, NumPy and tifffile. Run it in its own folder; the results are committed, so a build
does not need it. `decodings` in PictureTest.cpp says which array belongs to which picture.
"""

import struct
import zlib

import numpy as np
import tifffile
from PIL import Image, ImageOps

WIDTH, HEIGHT = 24, 16
decoded = {}


def base() -> np.ndarray:
    """Smooth, and different under every turn and mirroring."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float64)
    red = 20 + 200 * x / (WIDTH - 1)
    green = 230 - 190 * y / (HEIGHT - 1)
    blue = 60 + 90 * np.exp(-((x - 6) ** 2 + (y - 5) ** 2) / 18)
    return np.stack([red, green, blue], -1).round().astype(np.uint8)


def alpha() -> np.ndarray:
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    return (40 + 8 * x + y).astype(np.uint8)


def expect(name: str, image: Image.Image) -> None:
    decoded[name] = np.asarray(image.convert("RGB"), np.float16)


def expect_file(name: str, path: str) -> None:
    with Image.open(path) as image:
        expect(name, image)


def png(path: str, rows: np.ndarray, bits: int, color_type: int, passes=None, extra=()) -> None:
    """PNGs that Pillow does not write: 16-bit colour, interlaced, with odd chunks."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        body = kind + content
        return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))

    height, width = rows.shape[:2]
    data = b""
    for part in passes(rows) if passes else [rows]:
        for row in part:
            data += b"\0" + row.astype(">u2" if bits == 16 else np.uint8).tobytes()
    header = struct.pack(">IIBBBBB", width, height, bits, color_type, 0, 0, 1 if passes else 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header))
        for kind, content in extra:
            file.write(chunk(kind, content))
        packed = zlib.compress(data, 9)
        half = len(packed) // 2
        file.write(chunk(b"IDAT", packed[:half]) + chunk(b"IDAT", packed[half:]))
        file.write(chunk(b"IEND", b""))


def adam7(rows: np.ndarray):
    for y, x, dy, dx in [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2),
                         (0, 1, 2, 2), (1, 0, 2, 1)]:
        part = rows[y::dy, x::dx]
        if part.size:
            yield part


def oriented_exif(orientation: int) -> bytes:
    exif = Image.Exif()
    exif[274] = orientation
    return exif.tobytes()


def without_segment(data: bytes, marker: int) -> bytes:
    out, at = data[:2], 2
    while data[at + 1] != 0xDA:
        length = struct.unpack(">H", data[at + 2:at + 4])[0]
        if data[at + 1] != marker:
            out += data[at:at + 2 + length]
        at += 2 + length
    return out + data[at:]


def bmp_runs(path: str, image: Image.Image) -> None:
    """A run-length coded bitmap, from a palette picture."""
    pixels = np.asarray(image)
    coded = b""
    for row in pixels[::-1]:
        starts = [0, *(np.flatnonzero(np.diff(row)) + 1), len(row)]
        for begin, end in zip(starts, starts[1:]):
            coded += bytes([end - begin, row[begin]])
        coded += b"\0\0"
    coded += b"\0\1"
    colors = np.zeros((256, 4), np.uint8)
    table = np.asarray(image.getpalette(), np.uint8).reshape(-1, 3)
    colors[:len(table), :3] = table[:, ::-1]
    begin = 14 + 40 + colors.size
    with open(path, "wb") as file:
        file.write(b"BM" + struct.pack("<IHHI", begin + len(coded), 0, 0, begin))
        file.write(struct.pack("<IiiHHIIiiII", 40, image.width, image.height, 1, 8, 1, len(coded),
                               2835, 2835, 256, 0))
        file.write(colors.tobytes() + coded)


def bmp_top_down(path: str, pixels: np.ndarray) -> None:
    height, width = pixels.shape[:2]
    with open(path, "wb") as file:
        file.write(b"BM" + struct.pack("<IHHI", 54 + pixels.size, 0, 0, 54))
        file.write(struct.pack("<IiiHHIIiiII", 40, width, -height, 1, 24, 0, pixels.size, 2835,
                               2835, 0, 0))
        file.write(pixels[..., ::-1].tobytes())


rgb = Image.fromarray(base())
rgba = rgb.copy()
rgba.putalpha(Image.fromarray(alpha()))
grey = rgb.convert("L")
expect("rgb", rgb)
expect("grey", grey)

# Lossless colour, every container.
rgb.save("rgb.png")
rgb.save("rgb.bmp")
bmp_top_down("rgb_top_down.bmp", base())
rgb.save("rgb.tif")
rgb.save("rgb_lzw.tif", compression="tiff_lzw")
rgb.save("rgb_lossless.webp", lossless=True)
tifffile.imwrite("rgb_deflate.tif", base(), compression="deflate", photometric="rgb")
tifffile.imwrite("rgb_lzma.tif", base(), compression="lzma", photometric="rgb")
tifffile.imwrite("rgb_zstd.tif", base(), compression="zstd", photometric="rgb")
tifffile.imwrite("rgb_big_endian.tif", base(), byteorder=">", photometric="rgb")
tifffile.imwrite("rgb_big.tif", base(), bigtiff=True, photometric="rgb")
tifffile.imwrite("rgb_tiles.tif", base(), tile=(16, 16), photometric="rgb",
                 compression="deflate")
tifffile.imwrite("rgb_planes.tif", base().transpose(2, 0, 1), planarconfig="separate",
                 photometric="rgb")
png("rgb_interlaced.png", base(), 8, 2, passes=adam7)
png("rgb_odd_chunks.png", base(), 8, 2,
    extra=[(b"iCCP", b"bad\0\0not a profile"), (b"gAMA", struct.pack(">I", 45455)),
           (b"tRNS", struct.pack(">HHH", 20, 230, 60))])

# Alpha is dropped.
rgba.save("rgba.png")
rgba.save("rgba.tif")
rgba.save("rgba.bmp")
rgba.save("rgba_lossless.webp", lossless=True, exact=True)
Image.merge("LA", [grey, Image.fromarray(alpha())]).save("grey_alpha.png")
multiplied = (base().astype(np.float64) * alpha()[..., None] / 255).round().astype(np.uint8)
tifffile.imwrite("rgba_premultiplied.tif", np.dstack([multiplied, alpha()]), photometric="rgb",
                 extrasamples=["assocalpha"])
expect_file("premultiplied", "rgba_premultiplied.tif")

# Grey, palette, two levels.
for suffix in ("png", "bmp", "tif"):
    grey.save(f"grey.{suffix}")
palette = rgb.quantize(13)
expect("palette", palette)
palette.save("palette.png")
palette.save("palette_transparent.png", transparency=3)
palette.save("palette.bmp")
palette.save("palette.tif")
bmp_runs("palette_runs.bmp", palette)
bilevel = grey.convert("1")
expect("bilevel", bilevel)
for suffix in ("png", "bmp", "tif"):
    bilevel.save(f"bilevel.{suffix}")
tifffile.imwrite("grey_inverted.tif", 255 - np.asarray(grey), photometric="miniswhite")

# 16 bits: the high byte is the 8-bit level.
wide = base().astype(np.uint16) * 256 + 77
wide_grey = np.asarray(grey).astype(np.uint16) * 256 + 77
png("rgb16.png", wide, 16, 2)
png("rgba16.png", np.dstack([wide, alpha().astype(np.uint16) * 257]), 16, 6)
png("grey16.png", wide_grey, 16, 0)
tifffile.imwrite("rgb16.tif", wide, photometric="rgb")
tifffile.imwrite("grey16.tif", wide_grey, photometric="minisblack")
microscopy = (254 + wide_grey[None] // 22 + np.arange(3)[:, None, None] * 200).astype(np.uint16)
tifffile.imwrite("stack16.tif", microscopy, photometric="minisblack")
tifffile.imwrite("float.tif", base().astype(np.float32) / 255, photometric="rgb")

# CMYK.
cmyk = Image.fromarray(np.dstack([255 - base(), (alpha() // 3).astype(np.uint8)]), "CMYK")
cmyk.save("cmyk.tif")
expect("cmyk", cmyk)
cmyk.save("cmyk.jpg", quality=95)
expect_file("cmyk_jpg", "cmyk.jpg")
with open("cmyk.jpg", "rb") as file:
    plain = without_segment(file.read(), 0xEE)
with open("cmyk_no_adobe.jpg", "wb") as file:
    file.write(plain)
# The same bytes with Adobe's transform set to 2 are YCCK, whatever colours that makes.
with open("cmyk.jpg", "rb") as file:
    ycck = bytearray(file.read())
ycck[ycck.index(b"Adobe") + 11] = 2
with open("ycck.jpg", "wb") as file:
    file.write(ycck)
expect_file("ycck_jpg", "ycck.jpg")

# Lossy colour.
rgb.save("rgb.jpg", quality=92, subsampling=2)
expect_file("rgb_jpg", "rgb.jpg")
rgb.save("progressive.jpg", quality=92, subsampling=0, progressive=True)
expect_file("progressive_jpg", "progressive.jpg")
rgb.save("restarts.jpg", quality=92, subsampling=2, restart_marker_rows=1)
grey.save("grey.jpg", quality=92)
expect_file("grey_jpg", "grey.jpg")
rgb.save("rgb.webp", quality=90)
expect_file("rgb_webp", "rgb.webp")

# Orientation: eight JPEGs, and one of each other format that carries it.
for orientation in range(1, 9):
    name = f"orientation_{orientation}"
    rgb.save(f"{name}.jpg", quality=92, subsampling=0, exif=oriented_exif(orientation))
    with Image.open(f"{name}.jpg") as stored:
        expect(name, ImageOps.exif_transpose(stored))
rgb.save("orientation_6.png", exif=oriented_exif(6))
rgb.save("orientation_6.webp", lossless=True, exif=oriented_exif(6))
rgb.save("orientation_6.tif", tiffinfo={274: 6})
rgb.save("orientation_7.tif", tiffinfo={274: 7})
for orientation in (6, 7):
    turned = Image.fromarray(base())
    turned.getexif()[274] = orientation
    expect(f"turned_{orientation}", ImageOps.exif_transpose(turned))

# Known formats that are refused.
rgb.convert("P").save("refused.gif")
rgb.save("refused_animated.webp", save_all=True, append_images=[rgb.rotate(180)], duration=100)

# The middle of a photo, of which a bilinear filter makes less and more.
with Image.open("small.png") as photo:
    for side in (32, 64):
        shorter = int(side / 0.875)
        width = shorter * photo.width // photo.height
        left, top = round((width - side) / 2), round((shorter - side) / 2)
        resized = photo.convert("RGB").resize((width, shorter), Image.Resampling.BILINEAR)
        expect(f"bilinear_{side}", resized.crop((left, top, left + side, top + side)))

np.savez_compressed("decoded.npz", **dict(sorted(decoded.items())))
