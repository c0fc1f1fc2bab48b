#!/usr/bin/env python3
"""What a survey's cheap measures take with the SOFT authors' own code and dense n x n attention: the peer of
`softscope survey`, never a test.

    survey_peer.py AUTHORS CHECKPOINT [--pictures N] [--size 224] [--threads 2] [--without-spectra]

AUTHORS is a checkout of github.com/fudan-zvg/SOFT; its network is imported and run as it is, on random pictures, so that
nothing is counted for decoding. timm, einops and the CUDA extension that it imports are stood in for by the few lines
that it needs of them. Each head's matrix is made whole in float32, and measured as a paper's script would: line scores,
entropy, distance, ranks and norm by singular values, largest weight, shares, saliency, residual of the inverse.
Prints pictures per second.
"""
import argparse
import math
import sys
import time
import types

import torch
from torch import nn


def stand_in_for_imports():
    """The modules that the authors' files import and CPU inference does not need, or needs a line of."""
    def module(name, **members):
        found = sys.modules.setdefault(name, types.ModuleType(name))
        for key, member in members.items():
            setattr(found, key, member)

    def rearrange(tensor, pattern, h=None, **_):
        if pattern == "b (h w) c -> b c h w":
            return tensor.transpose(1, 2).unflatten(2, (h, -1))
        assert pattern == "b c h w -> b (h w) c"
        return tensor.flatten(2).transpose(1, 2)

    class DropPath(nn.Identity):
        def __init__(self, _=0.0):
            super().__init__()

    module("cv2")
    module("einops", rearrange=rearrange)
    module("timm")
    module("timm.models")
    module("timm.models.layers", DropPath=DropPath, trunc_normal_=nn.init.trunc_normal_,
           to_2tuple=lambda value: value if isinstance(value, tuple) else (value, value))
    module("timm.models.registry", register_model=lambda function: function)
    module("timm.models.vision_transformer", _cfg=dict)
    module("SOFT._C")
    torch.Tensor.cuda = lambda tensor, *_, **__: tensor


def load(authors, checkpoint, size):
    stand_in_for_imports()
    sys.path.insert(0, authors)
    from models import softmax_free_transformer as blocks  # pylint: disable=import-outside-toplevel
    from models.softmax_free_vision_transformer import SoftmaxFreeVisionTransformer  # pylint: disable=all
    from SOFT.kernel.inverse import newton_inv

    # The wrapper around it insists on CUDA.
    blocks.newton_inverse_kernel = newton_inv
    state = torch.load(checkpoint, map_location="cpu")
    for key in ("model", "state_dict"):
        state = state.get(key, state)
    dims = [state[f"pos_embed{stage}"].shape[-1] for stage in (1, 2, 3, 4)]
    depths = [1 + max(int(key.split(".")[1]) for key in state if key.startswith(f"block{stage}.")) for stage in (1, 2, 3, 4)]
    heads = [state[f"block{stage}.0.att.mha.attn.conv.weight"].shape[0] for stage in (1, 2, 3)]
    network = SoftmaxFreeVisionTransformer(
        img_size=size, patch_size=4, embed_dims=dims, num_heads=heads + [dims[3] // (dims[2] // heads[2])],
        mlp_ratios=[8, 8, 4, 4], qkv_bias=True, depths=depths, sr_ratios=[8, 4, 2, 1], kernel_method="torch",
        num_classes=state["head.weight"].shape[0], norm_layer=lambda width: nn.LayerNorm(width, eps=1e-6))
    network.load_state_dict(state)
    return network.eval(), blocks, newton_inv


def line_score(matrix):
    means = matrix.mean(0)
    return len(matrix) * ((means - means.mean()) ** 2).sum() / ((matrix - matrix.mean()) ** 2).sum()


def centres(height, width, size):
    rows, columns = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    return torch.stack([(rows.flatten() + 0.5) * size / height, (columns.flatten() + 0.5) * size / width], -1)


class Measurement:
    """Hooks on every attention module that measure its heads."""

    def __init__(self, network, blocks, newton_inv, size, spectra):
        self.blocks, self.newton_inv, self.size, self.spectra = blocks, newton_inv, size, spectra
        self.numbers, self.apart = [], {}
        for module in network.modules():
            if isinstance(module, blocks.SoftmaxFreeAttentionKernel):
                module.register_forward_hook(self.soft)
            elif type(module).__name__ == "Attention":
                module.register_forward_hook(self.softmax)

    def distances(self, height, width):
        if (height, width) not in self.apart:
            points = centres(height, width, self.size)
            self.apart[height, width] = torch.cdist(points, points)
        return self.apart[height, width]

    def measure(self, matrix, theta, phi, apart):
        weights = matrix.abs()
        shares = weights / weights.sum(-1, keepdim=True)
        means = matrix.mean(0)
        norms = torch.stack([means, phi.norm(dim=-1)])
        directions = torch.stack([means, phi @ theta.mean(0)])
        found = [line_score(matrix), line_score(matrix - matrix.mean(1, keepdim=True)), torch.corrcoef(norms)[0, 1],
                 torch.corrcoef(directions)[0, 1], weights.max(),
                 -(shares * shares.clamp_min(1e-38).log()).sum(-1).mean() / math.log(matrix.shape[1]),
                 theta.abs().sum(-1).topk(-(-len(theta) // 10)).values.sum() / theta.abs().sum()]
        if apart is not None:
            patches = weights[-len(apart):, -len(apart):]
            found.append(((patches * apart).sum(-1) / patches.sum(-1)).mean())
        if self.spectra:
            values = torch.linalg.svdvals(matrix)
            parts = values / values.sum()
            found += [values[0], (values ** 2).sum() / values[0] ** 2,
                      (-(parts * parts.clamp_min(1e-38).log()).sum()).exp()]
        self.numbers.append(torch.stack(found))

    def soft(self, module, inputs, output):
        query, value, height, width = inputs
        query = query / math.sqrt(math.sqrt(query.shape[-1]))
        grid = query.flatten(0, 1).transpose(1, 2).unflatten(2, (height, width))
        landmarks = module.Qlandmark_op(grid).flatten(2).transpose(1, 2)
        landmarks = module.Qnorm_act(landmarks.reshape(*query.shape[:2], -1, query.shape[-1]))
        outer = torch.exp(-module.kernel_function(query, landmarks.transpose(-1, -2)) / 2)
        kernel = torch.exp(-module.kernel_function(landmarks, landmarks.transpose(-1, -2)) / 2)
        inverse = self.newton_inv(kernel, module.max_iter)
        attention = outer @ inverse @ outer.transpose(-1, -2)
        term = attention @ value
        for head in range(attention.shape[1]):
            self.measure(attention[0, head], query[0, head], query[0, head], self.distances(height, width))
            residual = kernel[0, head] @ inverse[0, head] @ kernel[0, head] - kernel[0, head]
            self.numbers.append(torch.stack([
                torch.linalg.matrix_norm(residual, 2) / torch.linalg.matrix_norm(kernel[0, head], 2),
                term[0, head].norm() / (output[0, head] - term[0, head]).norm()]))

    def softmax(self, module, inputs, _):
        tokens, height, width = inputs
        projected = module.q(tokens), module.kv(tokens).chunk(2, -1)[0]
        query, key = (part.unflatten(-1, (module.num_heads, -1)).transpose(1, 2) for part in projected)
        attention = (query @ key.transpose(-2, -1) * module.scale).softmax(-1)
        for head in range(attention.shape[1]):
            self.measure(attention[0, head], query[0, head], key[0, head], self.distances(height, width))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("authors")
    parser.add_argument("checkpoint")
    parser.add_argument("--pictures", type=int, default=3)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--without-spectra", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    with torch.inference_mode():
        network, blocks, newton_inv = load(options.authors, options.checkpoint, options.size)
        measurement = Measurement(network, blocks, newton_inv, options.size, not options.without_spectra)
        picture = torch.randn(1, 3, options.size, options.size)
        begin = time.perf_counter()
        for _ in range(options.pictures):
            measurement.numbers.clear()
            network(picture).softmax(-1)
        seconds = time.perf_counter() - begin
    print(f"{options.pictures / seconds:.3f} pictures a second, {options.pictures} in {seconds:.1f} s, "
          f"{len(measurement.numbers)} groups of numbers each, {torch.get_num_threads()} threads")


if __name__ == "__main__":
    main()
