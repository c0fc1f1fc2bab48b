#!/usr/bin/env python3
"""The rule for pictures: one is refused or read within what every reader may take (ReaderRuleTest.py), and beyond that
three bytes and 40 nanoseconds for a pixel that is decoded, or twelve bytes where docs/guide/picture-files.md says so.
Workers of a survey share the allowance for pixels.

    PictureRuleTest.py SOFTSCOPE
"""
import os
import struct
import unittest
import zlib

import files
from measured import CHECKPOINT, MEGABYTE, SLOWER, MeasuredTest, run

ATTEMPTS = 3
NANOSECONDS = 40e-9
USUAL, MORE = 3, 12


def bilevel_png(path, width, height, chunks=()):
    row = b"\0" + bytes((width + 7) // 8)
    files.png(path, [(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)), *chunks,
                     (b"IDAT", zlib.compress(row * height)), (b"IEND", b"")])


def grey16_png(path, side):
    files.png(path, [(b"IHDR", struct.pack(">IIBBBBB", side, side, 16, 0, 0, 0, 0)),
                     (b"IDAT", zlib.compress((b"\0" + bytes(range(2)) * side) * side)), (b"IEND", b"")])


def png_of_texts(path):
    """Each holds a megabyte that would be an EXIF block."""
    text = b"Raw profile type exif\0\0" + zlib.compress(b"\nexif\n9\n" + b"4" * (1 << 20))
    bilevel_png(path, 64, 64, [(b"zTXt", text)] * 4000)


def png_of_profiles(path):
    bilevel_png(path, 64, 64, [(b"iCCP", b"p\0\0" + zlib.compress(bytes(64 << 20)))] * 40)


def turned_png(path, side):
    exif = b"II*\0" + struct.pack("<IHHHIII", 8, 1, 274, 3, 1, 6, 0)
    bilevel_png(path, side, side, [(b"eXIf", exif)])


def directory(entries, following):
    return (struct.pack("<H", len(entries)) + b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in entries) +
            struct.pack("<I", following))


def tiff_of_pages(path, pages, circle=False):
    """Of one directory each, which share one pixel."""
    tags = [(256, 1), (257, 1), (258, 8), (259, 1), (262, 1), (273, 4), (277, 1), (278, 1), (279, 1)]
    size = len(directory(tags, 0))
    content = b"".join(directory(tags, 8 + size * (page + 1)) for page in range(pages - 1))
    with open(path, "wb") as file:
        file.write(b"II*\0" + struct.pack("<I", 8) + content + directory(tags, 8 if circle else 0))


def bmp_of_runs(path, side):
    """Runs that lie beyond the row but for the first few."""
    header = struct.pack("<IiiHHIIiiII", 40, side, side, 1, 8, 1, 0, 0, 0, 1, 0)
    with open(path, "wb") as file:
        file.write(b"BM" + struct.pack("<IHHI", 0, 0, 0, 58) + header + bytes(4) + b"\xff\0" * 3_000_000 + b"\0\1")


HUNDRED_MEGAPIXELS = 100_000_000

# How each is written, its pixels, and the bytes that each of these may take.
READ = {
    "hundred_megapixels.png": (lambda path: bilevel_png(path, 10_000, 10_000), HUNDRED_MEGAPIXELS, USUAL),
    "turned.png": (lambda path: turned_png(path, 6_000), 36_000_000, MORE),
    "grey16.png": (lambda path: grey16_png(path, 5_000), 25_000_000, MORE),
    "progressive.jpg": (lambda path: files.jpeg_of_scans(path, 9, 5_000), 25_000_000, MORE),
    "texts.png": (png_of_texts, 4096, USUAL),
    "profiles.png": (png_of_profiles, 4096, USUAL),
    "pages.tif": (lambda path: tiff_of_pages(path, 500_000), 1, USUAL),
    "runs.bmp": (lambda path: bmp_of_runs(path, 4_000), 16_000_000, USUAL),
}

REFUSED = {
    "many_scans.jpg": lambda path: files.jpeg_of_scans(path, 490, 2_800),
    "scans_of_large.jpg": lambda path: files.jpeg_of_scans(path, 24, 10_000),
    "circle.tif": lambda path: tiff_of_pages(path, 500_000, circle=True),
    # Their shorter side would become as long as the input's, and the longer one 248 million pixels.
    "line.png": lambda path: bilevel_png(path, 1_000_000, 1),
    "column.png": lambda path: bilevel_png(path, 1, 1_000_000),
    "too_large.png": lambda path: bilevel_png(path, 10_001, 10_000),
}


class PictureRuleTest(MeasuredTest):
    def dump(self, path, **how):
        return run("dump", "-m", CHECKPOINT, path, "-o", self.path("dump"), "--layers", "block4.0.attn", "--rows", "0",
                   **how)

    def setUp(self):
        super().setUp()
        bilevel_png(self.path("small.png"), 64, 64)
        self.own = self.dump(self.path("small.png"))
        self.assertEqual(self.own.code, 0, self.own.errors)

    def check(self, name, write, pixels=0, bytes_each=0):
        path = self.path(name)
        write(path)
        self.addCleanup(os.remove, path)
        room = self.own.peak + 64 * MEGABYTE + 4 * os.path.getsize(path) + pixels * bytes_each
        seconds = SLOWER * (1 + pixels * NANOSECONDS)
        for _ in range(ATTEMPTS):
            outcome = self.dump(path, most_seconds=60)
            if outcome.seconds - self.own.seconds <= seconds:
                break
        self.assertLessEqual(outcome.peak, room)
        self.assertLessEqual(outcome.seconds - self.own.seconds, seconds)
        if outcome.errors:
            self.assert_one_line(outcome.errors)
        return outcome

    def test_what_is_read(self):
        for name, (write, pixels, bytes_each) in READ.items():
            with self.subTest(name):
                outcome = self.check(name, write, pixels, bytes_each)
                self.assertEqual(outcome.code, 0, outcome.errors)

    def test_what_is_drawn(self):
        path = self.path("hundred_megapixels.png")
        bilevel_png(path, 10_000, 10_000)
        for kind in ("heads", "saliency"):
            with self.subTest(kind):
                small, large = (run("figure", kind, "-m", CHECKPOINT, picture, "-o", self.path("figure.png"),
                                    most_seconds=60, most_bytes=0) for picture in (self.path("small.png"), path))
                self.assertEqual(large.code, 0, large.errors)
                self.assertLessEqual(large.peak, small.peak + 64 * MEGABYTE + HUNDRED_MEGAPIXELS * USUAL)

    def test_what_is_refused(self):
        for name, write in REFUSED.items():
            with self.subTest(name):
                self.assertEqual(self.check(name, write).code, 1)

    def survey(self, folder, side, workers):
        os.mkdir(self.path(folder))
        for i in range(4):
            bilevel_png(self.path(f"{folder}/{i}.png"), side, side)
        outcome = run("survey", "-m", CHECKPOINT, self.path(folder), "-o", self.path(folder + ".survey"), "--measure",
                      "confidence", "--workers", workers, most_seconds=120, most_bytes=0)
        self.assertEqual(outcome.code, 0, outcome.errors)
        self.assertIn("4 pictures", outcome.output)
        return outcome

    def test_workers_share_the_allowance_for_pixels(self):
        own = self.survey("small", 64, 4)
        large = self.survey("large", 10_000, 4)
        self.assertLessEqual(large.peak, own.peak + 64 * MEGABYTE + HUNDRED_MEGAPIXELS * USUAL)


if __name__ == "__main__":
    unittest.main()
