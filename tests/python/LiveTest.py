#!/usr/bin/env python3
"""Models that stay connected to the window, without a display: what it asks for, and what it survives.

    LiveTest.py SOFTSCOPE
"""
import contextlib
import io
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

import numpy as np
import torch
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "recordings"), os.path.join(HERE, "..", "..", "python")]
import program  # noqa: E402
import softscope  # noqa: E402
from networks import CHANNELS, SIDE, Attention, VisionTransformer  # noqa: E402
from softscope import frames, live  # noqa: E402
from softscope.uncompiled import run_uncompiled  # noqa: E402
from softscope.seen import seen_region  # noqa: E402

SCRIPT = """
import sys
sys.path[:0] = {paths!r}
import numpy as np, torch, softscope
from networks import Attention, VisionTransformer
torch.manual_seed(0)
model = VisionTransformer(Attention(fused=False)).eval()
picture = np.random.default_rng(0).integers(0, 256, (48, 64, 3), dtype=np.uint8)
live = softscope.show(model, picture, mean=[0.5] * 3, std=[0.5] * 3, size={side}, name="vit", wait=False)
print("connected", flush=True)
sys.stdin.read()
"""


def wait_for(what, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if what():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come to that")


class LiveTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        os.chmod(self.folder.name, 0o700)
        self.before = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(self.before)))
        os.environ.update(XDG_RUNTIME_DIR=self.folder.name, HOME=self.folder.name, QT_QPA_PLATFORM="offscreen",
                          SOFTSCOPE=program.PROGRAM, DISPLAY="none")
        torch.manual_seed(0)
        self.model = VisionTransformer(Attention(fused=False)).eval()
        self.picture = np.random.default_rng(0).integers(0, 256, (48, 64, 3), dtype=np.uint8)
        self.asked = []
        self.options = {"transform": None, "mean": [0.5] * 3, "std": [0.5] * 3, "size": SIDE}

    def window(self, *arguments):
        """A window of its own, and what it prints."""
        process = subprocess.Popen([program.PROGRAM, "--listen", *arguments], stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(lambda: (process.kill(), process.wait(), process.stdout.close()))
        address = ""
        while "local" not in arguments and not address:
            found = re.search(r'connect\("([^"]+)"', process.stdout.readline())
            address = found.group(1) if found else ""
        wait_for(lambda: os.path.exists(frames.socket_file()))
        return process, address or frames.socket_file()

    def counting(self):
        """The model, which notes what it is asked about."""
        def note(_module, inputs):
            self.asked.append(tuple(inputs[0].shape))
        self.model.register_forward_pre_hook(note)
        return self.model

    def test_the_window_asks_about_the_picture_that_is_open(self):
        picture = os.path.join(HERE, "..", "..", "resources", "pictures", "chelsea.png")
        process, address = self.window("--", picture)
        connection = softscope.connect(address, self.counting(), name="vit", **self.options)
        self.addCleanup(connection.close)
        wait_for(lambda: connection._known[1] is not None)
        self.assertEqual(set(self.asked), {(1, 3, SIDE, SIDE)})
        self.assertEqual(connection._known[0][:13], b"(300, 451, 3)")
        self.assertTrue(connection.is_open)
        self.assertIsNone(process.poll())

    def test_a_window_that_runs_is_found_and_one_that_does_not_is_started(self):
        connection = softscope.show(self.model, self.picture, wait=False, **self.options)
        self.assertTrue(connection.is_open)
        second = softscope.show(self.model, self.picture, wait=False, **self.options)
        self.assertTrue(second.is_open)
        started = live._windows
        self.assertEqual(len(started), 1)
        started[0].kill()
        started[0].wait()
        connection.wait()
        second.wait()
        self.assertFalse(connection.is_open)

    def test_a_window_that_hangs(self):
        address = os.path.join(self.folder.name, "hung.socket")
        hung = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(hung.close)
        hung.bind(address)
        hung.listen(0)
        waiting = []
        with self.assertRaises(BlockingIOError):
            while True:
                waiting.append(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
                self.addCleanup(waiting[-1].close)
                waiting[-1].setblocking(False)
                waiting[-1].connect(address)
        with self.assertRaisesRegex(RuntimeError, "does not answer"):
            softscope.connect(address, self.model, **self.options)

    def test_python_may_be_killed_and_come_back(self):
        process, _ = self.window("local")
        script = SCRIPT.format(paths=sys.path[:2], side=SIDE)
        for _ in range(3):
            python = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      text=True)
            self.assertEqual(python.stdout.readline(), "connected\n")
            time.sleep(0.5)
            python.kill()
            python.wait()
            python.stdin.close()
            python.stdout.close()
            self.assertIsNone(process.poll())

    def test_the_port_wants_its_token(self):
        process, address = self.window("127.0.0.1:0")
        place = address.split("/", maxsplit=1)[0]
        for wrong in (f"{place}/{'0' * 32}", f"{place}/x"):
            with self.assertRaisesRegex(ConnectionError, "token is missing or wrong"):
                softscope.connect(wrong, self.model, self.picture, **self.options)
        for wrong in (place, f"{place}/", "nonsense"):
            with self.assertRaisesRegex(ValueError, "is not HOST:PORT/TOKEN"):
                softscope.connect(wrong, self.model, self.picture, **self.options)
        softscope.connect(address, self.model, self.picture, **self.options).close()
        self.assertIsNone(process.poll())

    def test_wrong_addresses_are_told_before_a_window_opens(self):
        for address in ("0.0.0.0:0", "example.org:80", "127.0.0.1:port", "8080", "127.0.0.1:99999"):
            outcome = subprocess.run([program.PROGRAM, "--listen", address], capture_output=True, text=True, timeout=60,
                                     check=False)
            self.assertEqual(outcome.returncode, 1, address)
            self.assertRegex(outcome.stderr, f"^softscope: --listen {address}: .*\n$")
        _, taken = self.window("127.0.0.1:0")
        outcome = subprocess.run([program.PROGRAM, "--listen", taken.split("/")[0]], capture_output=True, text=True,
                                 timeout=60, check=False)
        self.assertEqual(outcome.returncode, 1)
        self.assertIn("in use", outcome.stderr)

    def test_through_another_port(self):
        """As ssh -R does."""
        process, address = self.window("127.0.0.1:0")
        host, port = address.split("/", maxsplit=1)[0].split(":")
        relay = subprocess.Popen([sys.executable, "-c", RELAY, host, port], stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (relay.kill(), relay.wait(), relay.stdout.close()))
        here = relay.stdout.readline().strip()
        connection = softscope.connect(f"127.0.0.1:{here}/{address.split('/')[1]}", self.model, self.picture,
                                       **self.options)
        time.sleep(1)
        self.assertTrue(connection.is_open)
        connection.close()
        self.assertIsNone(process.poll())

    def test_nonsense_ends_a_connection_and_no_window(self):
        process, address = self.window("local")
        hello = b'{"type": "hello", "protocol": 1, "name": "x"}'
        greeting = b"SSL1" + struct.pack("<IQ", len(hello), 0) + hello
        garbage = [b"", b"SSL1", b"x" * 4096, greeting[:20], b"SSL1" + struct.pack("<IQ", 1 << 31, 1 << 62),
                   greeting + b"SSL1" + struct.pack("<IQ", 2, 1 << 40) + b"{}", greeting + greeting,
                   greeting + b"SSL1" + struct.pack("<IQ", 4, 0) + b"\xff\xfe{}"]
        for seed in range(40):
            random = np.random.default_rng(seed)
            damaged = bytearray(greeting * 2)
            for place in random.integers(0, len(damaged), 5):
                damaged[place] = int(random.integers(0, 256))
            garbage.append(bytes(damaged))
        for data in garbage:
            channel = socket.socket(socket.AF_UNIX)
            channel.connect(address)
            with contextlib.suppress(OSError):
                channel.sendall(data)
                channel.shutdown(socket.SHUT_WR)
            channel.close()
        connection = softscope.connect(address, self.model, self.picture, **self.options)
        time.sleep(1)
        self.assertTrue(connection.is_open)
        connection.close()
        self.assertIsNone(process.poll())

    def test_training_steps(self):
        process, _ = self.window("local")
        model = self.model.train()
        for step in range(0, 200, 10):
            self.assertTrue(softscope.log(model, self.picture, step=step, name="run", mean=[0.5] * 3, std=[0.5] * 3,
                                          size=SIDE))
            self.assertTrue(all(module.training for module in model.modules()))
        process.kill()
        process.wait()
        with contextlib.redirect_stderr(io.StringIO()) as said:
            os.environ["SOFTSCOPE"] = "/bin/false"
            for step in (200, 210):
                self.assertFalse(softscope.log(model, self.picture, step=step, name="run", mean=[0.5] * 3,
                                               std=[0.5] * 3, size=SIDE))
        self.assertEqual(said.getvalue().count("\n"), 1)
        self.assertIn("training goes on", said.getvalue())

    def test_without_what_makes_pictures_an_input(self):
        with self.assertRaisesRegex(ValueError, "transform="):
            softscope.connect("/nowhere", self.model, self.picture)
        with self.assertRaisesRegex(ValueError, "not tensors"):
            softscope.connect("/nowhere", self.model, torch.zeros(1, 3, 8, 8), **self.options)

    def test_answers_are_what_record_gives(self):
        connection = live.Live(self.model, "vit", self.options, "")
        recording = connection._answer(self.picture)
        given = {name: value for name, value in self.options.items() if name != "transform"}
        expected = softscope.record(self.model, self.picture, quiet=True, **given)
        np.testing.assert_array_equal(recording.heads("blocks.0.attn")[0].matrix(),
                                      expected.heads("blocks.0.attn")[0].matrix())
        np.testing.assert_allclose(connection._region(48, 64), [0, 0, 64, 48], atol=0.01)

    def test_patches_that_leave_pixels_over(self):
        class Patches(VisionTransformer):
            def forward(self, x):
                return self.head(self.blocks[0](self.patch_embed.proj(x).flatten(2).transpose(1, 2)).mean(1))
        connection = live.Live(Patches(Attention(fused=False)).eval(), "vit", {**self.options, "size": 60}, "")
        region = connection._region_of(connection._answer(self.picture), self.picture)
        np.testing.assert_allclose(region, [0, 0, 64 * 56 / 60, 48 * 56 / 60], atol=0.1)
        asked = {"layer": "blocks.0.attn", "token": 9, "from": "pixels", "behind": "block", "gradient": "jacobian",
                 "directions": 2}
        self.assertEqual(connection._reach(self.picture, asked)[0]["reach"], [56, 56])

    def test_models_that_are_called_the_same_have_series_of_their_own(self):
        other, sent = VisionTransformer(Attention(fused=False)).eval(), []
        with mock.patch.object(live._Series, "send", lambda series, *_: sent.append(series.name)):
            for model, name in ((self.model, None), (other, None), (self.model, None), (other, "run"), (self.model, "run"),
                                (other, None)):
                softscope.log(model, self.picture, step=1, name=name, mean=[0.5] * 3, std=[0.5] * 3, size=SIDE)
        own, others = sent[0], sent[1]
        self.assertEqual(sent, [own, others, own, "run", "run", others])
        self.assertEqual(others.rpartition(" ")[0], own)

    def test_answers_are_those_of_the_weights_now(self):
        connection = live.Live(self.model, "vit", self.options, "")
        asked = {"layer": "blocks.0.attn", "token": 9, "from": "tokens", "behind": "block", "gradient": "jacobian",
                 "directions": CHANNELS}
        first, reached = connection._answer(self.picture), connection._reach(self.picture, asked)[1]
        self.assertIs(connection._answer(self.picture), first)
        weight = self.model.blocks[0].attn.qkv.weight
        for change in (lambda: weight.mul_(3), lambda: setattr(weight, "data", weight * 2), self.model.train,
                       lambda: self.model.register_buffer("other", torch.zeros(3))):
            with torch.no_grad():
                change()
            self.assertIsNot(connection._answer(self.picture), first)
            self.assertIs(connection._answer(self.picture), connection._answer(self.picture))
            first = connection._answer(self.picture)
        given = {name: value for name, value in self.options.items() if name != "transform"}
        self.assertNotEqual(connection._reach(self.picture, asked)[1], reached)
        expected = softscope.record(self.model, self.picture, quiet=True, **given)
        np.testing.assert_array_equal(first.heads("blocks.0.attn")[0].matrix(),
                                      expected.heads("blocks.0.attn")[0].matrix())

    def test_answers_are_those_of_weights_that_changed_unseen(self):
        connection = live.Live(self.model, "vit", self.options, "")
        weight = self.model.blocks[0].attn.qkv.weight
        first, versions = connection._answer(self.picture), [each._version for each in self.model.parameters()]
        weight.data.mul_(1.5)
        second = connection._answer(self.picture)
        self.assertIsNot(second, first)
        self.assertEqual([each._version for each in self.model.parameters()], versions)
        self.assertFalse(np.array_equal(second.heads("blocks.0.attn")[0].matrix(), first.heads("blocks.0.attn")[0].matrix()))
        self.assertIs(connection._answer(self.picture), second)
        try:
            optimizer = torch.optim.AdamW([weight], lr=0.1, fused=True)
            weight.grad = torch.zeros_like(weight)
            weight.grad[1] = 1  # of which no sample is taken
            optimizer.param_groups[0]["weight_decay"] = 0
            optimizer.step()
        except (TypeError, RuntimeError) as error:
            self.skipTest(f"this torch has no such steps on a CPU: {error}")
        self.assertIsNot(connection._answer(self.picture), second)

    def test_the_window_is_told_what_the_file_says(self):
        recording = live.Live(self.model, "vit", self.options, "")._answer(self.picture)
        hello = live._hello(self.model, "vit", "", recording, None)
        self.assertNotIn("note", hello)
        recording.layers[0].verified = None
        recording.layers.append(softscope.recorded.Layer("other", None, None, "for a reason"))
        hello = live._hello(self.model, "vit", "", recording, None)
        self.assertEqual(hello["note"], "1 of 2 layers not recorded; 1 of 1 layers not verified")
        self.assertEqual(hello["note"], str(recording._all_entries()["note"]))
        del recording.entries["blocks.0.attn/grid"]
        hello = live._hello(self.model, "vit", "", recording, None)
        self.assertEqual(hello["note"], "1 of 2 layers not recorded; 1 of 1 layers not verified; grid guessed")

    def test_what_reaches_a_token(self):
        connection = live.Live(self.model, "vit", self.options, "")
        given = {name: value for name, value in self.options.items() if name != "transform"}
        asked = {"layer": "blocks.0.attn", "token": 9, "from": "tokens", "behind": "block", "gradient": "jacobian",
                 "directions": CHANNELS}
        answer, data = connection._reach(self.picture, asked)
        self.assertEqual(answer, {"reach": [65], "channels": CHANNELS, "directions": CHANNELS})
        expected = softscope.jacobian(self.model, self.picture, 9, "blocks.0", directions=CHANNELS, **given)
        np.testing.assert_allclose(np.frombuffer(data, np.float32), expected.norms ** 2, rtol=1e-4, atol=1e-9)
        again = connection._reach(self.picture, asked)
        self.assertEqual(again[1], data)

        answer, data = connection._reach(self.picture, {**asked, "from": "pixels", "behind": "attention"})
        self.assertEqual(answer["reach"], [SIDE, SIDE])
        squares = self.finite_differences(connection, 9)
        found = np.frombuffer(data, np.float32).reshape(SIDE, SIDE)
        for (row, column), square in squares.items():
            self.assertAlmostEqual(found[row, column], square, delta=0.02 * found.max())

        answer, data = connection._reach(self.picture, {**asked, "gradient": "positive"})
        self.assertEqual((answer["reach"], answer["directions"]), ([65], 1))
        self.assertGreater(np.frombuffer(data, np.float32).max(), 0)
        for wrong, reason in (({"layer": "x"}, "no layer x"), ({"token": 65}, "token 65 of 65"),
                              ({"from": "nowhere"}, "it knows")):
            with self.assertRaisesRegex(ValueError, reason):
                connection._reach(self.picture, {**asked, **wrong})
        self.assertEqual(sum(len(module._forward_hooks) for module in self.model.modules()), 0)

    def test_how_much_silenced_heads_add(self):
        connection = live.Live(self.model, "vit", self.options, "")
        block, kept = self.model.blocks[0], {}
        handles = [block.register_forward_pre_hook(lambda _m, given: kept.update(residual=given[0])),
                   block.attn.proj.register_forward_pre_hook(lambda _m, given: kept.update(attended=given[0])),
                   block.attn.register_forward_hook(lambda _m, _i, made: kept.update(output=made))]
        with torch.no_grad():
            self.model(connection._input(self.picture))
        for handle in handles:
            handle.remove()
        heads, weight = len(connection._answer(self.picture).heads("blocks.0.attn")), block.attn.proj.weight
        width = kept["attended"].shape[2] // heads
        for chosen in ([1], list(range(heads))):
            answer, data = connection._without(self.picture, {"blocks.0.attn": chosen})
            self.assertEqual(answer["logits"] * 4, len(data))
            channels = torch.cat([torch.arange(width) + width * head for head in chosen])
            attended = kept["attended"][..., channels]
            for name, expected in (("attention", attended), ("projected", attended @ weight[:, channels].T),
                                   ("residual", kept["residual"]), ("output", kept["output"])):
                self.assertAlmostEqual(answer["added"][name], float(expected.norm()), delta=1e-4 * float(expected.norm()))
            self.assertNotIn("beside", answer["added"])

    def finite_differences(self, connection, token):
        """Squared norms of the derivatives of what attention returns with respect to some pixels of the input."""
        ends = []
        model = VisionTransformer(Attention(fused=False)).double().eval()
        model.load_state_dict(self.model.state_dict())
        handle = model.blocks[0].attn.register_forward_hook(lambda _m, _i, made: ends.append(made[0, token]))
        tensor = connection._input(self.picture).double()
        squares = {}
        for row, column in ((0, 0), (SIDE // 2, SIDE // 3), (SIDE - 1, 5)):
            square = 0.0
            for channel in range(3):
                for step in (1e-5, -1e-5):
                    moved = tensor.clone()
                    moved[0, channel, row, column] += step
                    with torch.no_grad():
                        model(moved)
                square += float(((ends[-2] - ends[-1]) / 2e-5).square().sum())
            squares[row, column] = square
        handle.remove()
        return squares

    def test_a_model_whose_layers_have_no_block_says_so(self):
        class Bare(nn.Module):
            def __init__(self, inner):
                super().__init__()
                self.patch_embed, self.attn, self.head = inner.patch_embed, inner.blocks[0].attn, inner.head

            def forward(self, x):
                return self.head(self.attn(self.patch_embed(x)).mean(1))
        connection = live.Live(Bare(self.model).eval(), "bare", self.options, "")
        with self.assertRaisesRegex(ValueError, "no block could be found around attn"):
            connection._reach(self.picture, {"layer": "attn", "token": 1, "from": "tokens", "behind": "block",
                                             "gradient": "jacobian", "directions": 4})


    def test_blocks_that_add_in_place_are_as_those_that_do_not(self):
        def behind(block, x):
            y = block.attn(block.norm1(x))
            y += x
            return y

        def before(block, x):
            x += block.attn(block.norm1(x))
            return x
        asked = {"layer": "blocks.1.attn", "token": 9, "gradient": "jacobian", "directions": CHANNELS}
        given = {name: value for name, value in self.options.items() if name != "transform"}
        answers = []
        for forward in (None, behind, before):
            torch.manual_seed(1)
            model = VisionTransformer(Attention(fused=False), Attention(fused=False)).eval()
            for block in model.blocks if forward is not None else ():
                block.forward = lambda x, block=block, forward=forward: forward(block, x)
            connection = live.Live(model, "vit", self.options, "")
            found = [list(connection._without(self.picture, {"blocks.1.attn": [0, 1]})[0]["added"].values())]
            for source in ("tokens", "pixels"):
                for where in ("attention", "block"):
                    data = connection._reach(self.picture, {**asked, "from": source, "behind": where})[1]
                    found.append(np.frombuffer(data, np.float32))
            for layer in ("blocks.1", "blocks.1.attn"):
                found.append(softscope.jacobian(model, self.picture, 9, layer, directions=CHANNELS, **given).norms)
            answers.append(found)
        for other in answers[1:]:
            for found, expected in zip(other, answers[0]):
                np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6 * float(np.max(expected)))

    def test_quiet_is_an_option_as_all_of_records(self):
        connection = live.Live(self.model, "vit", {**self.options, "quiet": True}, "")
        self.assertEqual(len(connection._answer(self.picture).recorded()), 1)
        self.assertEqual(connection._without(self.picture, {"blocks.0.attn": [0]})[0]["logits"], 5)
        self.window("local")
        given = {name: value for name, value in self.options.items() if name != "transform"}
        self.assertTrue(softscope.log(self.model, self.picture, step=0, name="quiet", quiet=True, **given))

    def test_numbers_that_json_cannot_have_are_not_sent(self):
        connection = live.Live(self.model, "vit", self.options, "")
        (layer,) = connection._answer(self.picture).layers
        for size, is_sent in ((2.0, True), (float("inf"), False), (float("nan"), False)):
            layer.beside_size = size  # of a layer whose attention times values is zero
            answer, _ = connection._without(self.picture, {layer.name: list(range(len(layer.heads)))})
            self.assertEqual("beside" in answer["added"], is_sent)
            self.assertIn("projected", answer["added"])
        with self.assertRaises(ValueError):
            frames.send(None, {"size": float("nan")})

    def test_looking_in_train_mode_leaves_no_trace(self):
        class Normalised(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner, self.norm = Attention(fused=False), nn.BatchNorm1d(CHANNELS)

            def forward(self, x):
                return self.norm(self.inner(x).transpose(1, 2)).transpose(1, 2)
        model = VisionTransformer(Normalised(), Normalised()).train()
        model.head.register_buffer("shared", model.blocks[0].attn.norm.running_mean)
        before = {name: value.clone() for name, value in model.state_dict().items()}
        buffers = {name: id(value) for name, value in model.named_buffers()}
        connection = live.Live(model, "vit", self.options, "")
        first = connection._answer(self.picture)
        name = first.recorded()[0].name
        asked = {"layer": name, "token": 9, "from": "tokens", "behind": "block", "gradient": "jacobian", "directions": 4}
        given = {key: value for key, value in self.options.items() if key != "transform"}
        for look in (lambda: connection._without(self.picture, {name: [1]}),
                     lambda: connection._reach(self.picture, asked),
                     lambda: connection._reach(self.picture, {**asked, "from": "pixels"}),
                     lambda: softscope.jacobian(model, self.picture, 9, "blocks.0", directions=2, **given)):
            look()
            for key, value in model.state_dict().items():
                self.assertTrue(torch.equal(value, before[key]), key)
            self.assertEqual({key: id(value) for key, value in model.named_buffers()}, buffers)
        self.assertIs(connection._answer(self.picture), first)

    def test_tables_that_a_module_fills_once_are_kept(self):
        class Positions(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner, self.tokens, self.is_filled = Attention(fused=False), 0, False
                self.register_buffer("table", torch.zeros(0, CHANNELS))
                self.register_buffer("scales", torch.zeros(CHANNELS))

            def forward(self, x):
                if x.shape[1] > self.tokens:
                    self.tokens, self.table = x.shape[1], torch.ones(x.shape[1], CHANNELS)
                if not self.is_filled:
                    self.is_filled = True
                    self.scales.fill_(2)
                return self.inner((x + self.table[:x.shape[1]]) * self.scales)
        model = VisionTransformer(Positions()).eval()
        live.Live(model, "vit", self.options, "")._answer(self.picture)
        self.assertEqual(model.blocks[0].attn.scales.tolist(), [2] * CHANNELS)
        with torch.no_grad():
            model(torch.ones(1, 3, SIDE, SIDE))
        model = VisionTransformer(Positions()).train()
        live.Live(model, "vit", self.options, "")._answer(self.picture)
        model(torch.ones(1, 3, SIDE, SIDE))  # of the size that its table has now

    def test_training_goes_on_behind_a_step_of_modules_that_merge(self):
        class Merging(nn.Module):
            """As LoRA's: what eval() merges into the weights, train() takes out again."""

            def __init__(self):
                super().__init__()
                self.inner, self.merged = Attention(fused=False), False
                self.low = nn.Parameter(torch.randn(CHANNELS))

            def train(self, mode=True):
                self.merged = not mode
                return super().train(mode)

            def forward(self, x):
                return self.inner(x) if self.merged else self.inner(x) * self.low
        model = VisionTransformer(Merging()).train()

        def gradient():
            model.zero_grad()
            model(torch.ones(1, 3, SIDE, SIDE)).sum().backward()
            return model.blocks[0].attn.low.grad
        before = gradient().clone()
        given = {name: value for name, value in self.options.items() if name != "transform"}
        with contextlib.redirect_stderr(io.StringIO()):
            softscope.log(model, self.picture, step=0, name="merging", address="127.0.0.1:9/x", **given)
        torch.testing.assert_close(gradient(), before)
        self.assertTrue(all(module.training for module in model.modules()))

    def test_a_payload_may_take_longer_than_a_piece_of_it(self):
        near, far = socket.socketpair()
        self.addCleanup(near.close)
        self.addCleanup(far.close)
        read = []

        def trickle():
            while sum(read) < 16 + 2 + (2 << 20):
                time.sleep(0.1)
                read.append(len(far.recv(1 << 17)))
        reader = threading.Thread(target=trickle)
        with mock.patch.object(frames, "PATIENCE", 0.5):
            reader.start()
            frames.send(near, {}, bytes(2 << 20))
            reader.join()
            with self.assertRaises(frames.Gone):  # of a side that reads nothing
                frames.send(near, {}, bytes(2 << 20))

    def test_two_windows_ask_at_once(self):
        class Slow(nn.Module):
            def forward(self, x):
                time.sleep(0.3)
                return x

        def slow():
            model = VisionTransformer(Attention(fused=False)).eval()
            model.patch_embed = nn.Sequential(Slow(), model.patch_embed)
            return model
        one = slow()
        for models in ((one, one), (slow(), slow())):
            answers = []
            lives = [live.Live(model, "vit", self.options, "") for model in models]
            threads = [threading.Thread(target=lambda each=each: answers.append(each._answer(self.picture)))
                       for each in lives]
            for thread in threads:
                thread.start()
                time.sleep(0.1)
            for thread in threads:
                thread.join()
            self.assertEqual([len(answer.recorded()) for answer in answers], [1, 1])

    @unittest.skipUnless(hasattr(getattr(torch, "compiler", None), "set_stance"), "this torch has no stances")
    def test_compiled_code_runs_again_behind_the_last_who_watches(self):
        stances = [contextlib.ExitStack() for _ in range(2)]
        for stack in stances:
            run_uncompiled(self.model, stack)
        ran = []
        compiled = torch.compile(lambda x: x + 1, backend=lambda graph, _: ran.append(1) or graph.forward)
        for stack in stances:  # the first to come is the first to go
            self.assertEqual(ran, [])
            stack.close()
            compiled(torch.zeros(3))
        self.assertEqual(ran, [1])


class SeenTest(unittest.TestCase):
    """The part of the picture that a transform keeps, against what it was told to keep."""

    @staticmethod
    def cropped(top, left, height, width, size, flip=False, values=lambda x: (x - 0.45) / 0.25):
        def prepare(pixels):
            part = torch.as_tensor(pixels[top:top + height, left:left + width].copy()).permute(2, 0, 1)[None].float()
            part = nn.functional.interpolate(part / 255, size, mode="bilinear", align_corners=False, antialias=True)
            return values(part.flip(-1) if flip else part)
        return prepare

    def test_crops(self):
        for height, width, top, left, tall, wide, size in ((480, 640, 0, 0, 480, 640, (224, 224)),
                                                           (480, 640, 40, 120, 400, 400, (224, 224)),
                                                           (1200, 1600, 150, 350, 900, 900, (96, 96)),
                                                           (48, 64, 8, 16, 32, 32, (224, 224)),
                                                           (300, 200, 37, 11, 211, 97, (64, 32))):
            seen = seen_region(self.cropped(top, left, tall, wide, size), height, width)
            np.testing.assert_allclose(seen, [left, top, wide, tall], atol=max(1.0, 0.006 * max(height, width)))

    def test_grey_and_one_channel(self):
        prepare = self.cropped(10, 20, 100, 100, (50, 50), values=lambda x: x.mean(1, keepdim=True))
        np.testing.assert_allclose(seen_region(prepare, 120, 140), [20, 10, 100, 100], atol=1)

    def test_what_is_no_part_of_the_picture(self):
        for prepare, reason in ((self.cropped(0, 0, 90, 90, (30, 30), flip=True), "mirrors"),
                                (self.cropped(0, 0, 90, 90, (30, 30), values=lambda x: x.transpose(2, 3)), "turns"),
                                (self.cropped(0, 0, 90, 90, (30, 30), values=lambda x: x ** 3), "bends"),
                                (self.cropped(0, 0, 90, 90, (30, 30), values=lambda x: x * 0), "black and white"),
                                (lambda pixels: nn.functional.pad(self.cropped(0, 0, 90, 90, (30, 30))(pixels), [15] * 4),
                                 "pads")):
            with self.assertRaisesRegex(ValueError, reason):
                seen_region(prepare, 90, 90)

    def test_random_crops(self):
        random = np.random.default_rng(0)

        def prepare(pixels):
            top, left = random.integers(0, 40, 2)
            return self.cropped(top, left, 50, 50, (25, 25))(pixels)
        with self.assertRaises(ValueError):
            seen_region(prepare, 90, 90)


RELAY = """
import socket, sys, threading
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
def pump(a, b):
    while True:
        data = a.recv(65536)
        if not data:
            b.shutdown(socket.SHUT_WR)
            return
        b.sendall(data)
while True:
    near, _ = listener.accept()
    far = socket.create_connection((sys.argv[1], int(sys.argv[2])))
    for pair in ((near, far), (far, near)):
        threading.Thread(target=pump, args=pair, daemon=True).start()
"""

if __name__ == "__main__":
    unittest.main()
