"""Stands for timm where that is not installed: a small ViT under timm's names."""
import torch
from torch import nn

SIDE, PATCH, CHANNELS, HEADS = 224, 16, 48, 3


class PatchEmbed(nn.Module):
    def __init__(self):
        super().__init__()
        self.grid_size = (SIDE // PATCH, SIDE // PATCH)
        self.proj = nn.Conv2d(3, CHANNELS, PATCH, PATCH)

    def forward(self, x):
        return self.proj(x).flatten(2).transpose(1, 2)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.num_heads = HEADS
        self.qkv = nn.Linear(CHANNELS, 3 * CHANNELS)
        self.proj = nn.Linear(CHANNELS, CHANNELS)

    def forward(self, x):
        batch, tokens, channels = x.shape
        q, k, v = self.qkv(x).reshape(batch, tokens, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        attention = ((channels // HEADS) ** -0.5 * q @ k.transpose(-2, -1)).softmax(-1)
        return self.proj((attention @ v).transpose(1, 2).reshape(batch, tokens, channels))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(CHANNELS)
        self.attn = Attention()

    def forward(self, x):
        return x + self.attn(self.norm1(x))


class VisionTransformer(nn.Module):
    pretrained_cfg = {"mean": (0.5, 0.5, 0.5), "std": (0.5, 0.5, 0.5), "input_size": (3, SIDE, SIDE)}
    num_prefix_tokens = 1

    def __init__(self):
        super().__init__()
        self.patch_embed = PatchEmbed()
        self.cls_token = nn.Parameter(torch.randn(1, 1, CHANNELS))
        self.pos_embed = nn.Parameter(torch.randn(1, 1 + (SIDE // PATCH) ** 2, CHANNELS))
        self.blocks = nn.Sequential(*(Block() for _ in range(4)))
        self.norm = nn.LayerNorm(CHANNELS)
        self.head = nn.Linear(CHANNELS, 10)

    def forward(self, x):
        x = self.patch_embed(x)
        x = torch.cat([self.cls_token.expand(len(x), -1, -1), x], 1) + self.pos_embed
        return self.head(self.norm(self.blocks(x))[:, 0])


def create_model(_, pretrained=False):  # pylint: disable=unused-argument
    """A small ViT with random weights, whatever the name."""
    return VisionTransformer()
