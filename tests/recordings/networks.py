"""Small networks whose attention is written as timm, Hugging Face, torch and a paper's own code write it."""
import torch
from torch import nn

CHANNELS, HEADS, SIDE, PATCH = 32, 4, 64, 8
GRID = SIDE // PATCH


class Attention(nn.Module):
    """The names and the order of timm's Attention."""

    def __init__(self, qk_norm=False, fused=True):
        super().__init__()
        self.num_heads = HEADS
        self.head_dim = CHANNELS // HEADS
        self.scale = self.head_dim ** -0.5
        self.fused_attn = fused
        self.qkv = nn.Linear(CHANNELS, 3 * CHANNELS)
        self.q_norm = nn.LayerNorm(self.head_dim) if qk_norm else nn.Identity()
        self.k_norm = nn.LayerNorm(self.head_dim) if qk_norm else nn.Identity()
        self.attn_drop = nn.Dropout(0.0)
        self.proj = nn.Linear(CHANNELS, CHANNELS)

    def bias(self):
        return 0.0

    def forward(self, x):
        batch, tokens, channels = x.shape
        qkv = self.qkv(x).reshape(batch, tokens, 3, HEADS, self.head_dim).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        q, k = self.q_norm(q), self.k_norm(k)
        if self.fused_attn:
            raise AssertionError("fused attention shows no attention to anybody")
        # A name of this call's own: another thread may run the module meanwhile.
        seen = self.seen = (self.scale * q @ k.transpose(-2, -1) + self.bias()).softmax(-1)
        x = self.attn_drop(seen) @ v
        return self.proj(x.transpose(1, 2).reshape(batch, tokens, channels))


class BiasedAttention(Attention):
    """With relative positions, which queries and keys alone do not explain."""

    def bias(self):
        return torch.linspace(-2, 2, 65)[None, None, None]


class UnlikeSoftmax(nn.Module):
    """timm's names around attention that no softmax of queries and keys is."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.num_heads = HEADS
        self.scale = (CHANNELS // HEADS) ** -0.5
        self.qkv = nn.Linear(CHANNELS, 3 * CHANNELS)
        self.mix = nn.Linear(HEADS, HEADS)
        self.proj = nn.Linear(CHANNELS, CHANNELS)
        nn.init.normal_(self.qkv.weight, std=0.5)

    def forward(self, x):
        batch, tokens, channels = x.shape
        q, k, v = self.qkv(x).reshape(batch, tokens, 3, HEADS, -1).permute(2, 0, 3, 1, 4).unbind(0)
        x = getattr(self, self.kind)(q, k, v)
        return self.proj(x.transpose(1, 2).reshape(batch, tokens, channels))

    @staticmethod
    def sima(q, k, v):
        return nn.functional.normalize(q, p=1, dim=-2) @ (nn.functional.normalize(k, p=1, dim=-2).transpose(-2, -1) @ v)

    @staticmethod
    def elu(q, k, v):
        q, k = nn.functional.elu(q) + 1, nn.functional.elu(k) + 1
        return q @ (k.transpose(-2, -1) @ v) / (q @ k.sum(-2)[..., None])

    def rotary(self, q, k, v):
        angle = torch.arange(q.shape[-2])[:, None] * torch.tensor([1.0, 0.3, 0.1, 0.03])

        def turn(x):
            a, b = x.chunk(2, -1)
            return torch.cat([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1)
        return (self.scale * turn(q) @ turn(k).transpose(-2, -1)).softmax(-1) @ v

    def talking_heads(self, q, k, v):
        scores = self.mix((self.scale * q @ k.transpose(-2, -1)).permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        return scores.softmax(-1) @ v

    def sigmoid(self, q, k, v):
        return (self.scale * q @ k.transpose(-2, -1)).sigmoid() @ v

    def windows(self, q, k, v):
        """Each half of the tokens attends to itself."""
        halves = [(self.scale * a @ b.transpose(-2, -1)).softmax(-1) @ c
                  for a, b, c in zip(*(torch.tensor_split(x, 2, -2) for x in (q, k, v)))]
        return torch.cat(halves, -2)

    def pooled_keys(self, q, k, v):
        return (self.scale * q @ k[..., ::2, :].transpose(-2, -1)).softmax(-1) @ v[..., ::2, :]


class OtherNames(nn.Module):
    """Attention by names that nobody knows."""

    def __init__(self):
        super().__init__()
        self.num_heads = HEADS
        self.qk = nn.Linear(CHANNELS, 2 * CHANNELS)
        self.v = nn.Linear(CHANNELS, CHANNELS)

    def forward(self, x):
        q, k = self.qk(x).chunk(2, -1)
        return (q @ k.transpose(-2, -1)).softmax(-1) @ self.v(x)


class SelfAttention(nn.Module):
    """The names of Hugging Face's ViTSelfAttention."""

    def __init__(self):
        super().__init__()
        self.num_attention_heads = HEADS
        self.query = nn.Linear(CHANNELS, CHANNELS)
        self.key = nn.Linear(CHANNELS, CHANNELS)
        self.value = nn.Linear(CHANNELS, CHANNELS)
        self.dropout = nn.Dropout(0.0)

    def split(self, x):
        return x.reshape(x.shape[0], x.shape[1], HEADS, -1).transpose(1, 2)

    def forward(self, x):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        self.seen = (q @ k.transpose(-1, -2) / (CHANNELS // HEADS) ** 0.5).softmax(-1)
        return (self.dropout(self.seen) @ v).transpose(1, 2).flatten(2)


class LinearAttention(nn.Module):
    """A paper's own code, which says itself what it attends to, and what comes of it if `says_output`."""

    def __init__(self, record, says_output=False, scale=1):
        super().__init__()
        self.record = record
        self.says_output = says_output
        self.scale = scale
        self.to_qkv = nn.Linear(CHANNELS, 3 * CHANNELS)

    def forward(self, x):
        batch, tokens, channels = x.shape
        q, k, v = self.to_qkv(x).reshape(batch, tokens, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        q, k = q.softmax(-1), k.softmax(-2)
        self.seen = q @ k.transpose(-1, -2)
        output = q @ (k.transpose(-1, -2) @ v)
        self.record("blocks.0.linear", q=q, k=k, v=v, kernel="linear", scale=self.scale, mechanism="my linear attention",
                    output=output if self.says_output else None)
        return output.transpose(1, 2).reshape(batch, tokens, channels)


class Softmaxed(nn.Module):
    """Attention behind a module that a pattern names."""

    def __init__(self):
        super().__init__()
        self.to_qkv = nn.Linear(CHANNELS, 3 * CHANNELS)
        self.attend = nn.Softmax(-1)

    def forward(self, x):
        batch, tokens, channels = x.shape
        q, k, v = self.to_qkv(x).reshape(batch, tokens, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        self.seen = self.attend(q @ k.transpose(-1, -2))
        return (self.seen @ v).transpose(1, 2).reshape(batch, tokens, channels)


class TorchAttention(nn.Module):
    def __init__(self, batch_first, **others):
        super().__init__()
        self.batch_first = batch_first
        self.attention = nn.MultiheadAttention(CHANNELS, HEADS, batch_first=batch_first, **others)

    def forward(self, x):
        tokens = x if self.batch_first else x.transpose(0, 1)
        output, averaged = self.attention(query=tokens, key=tokens, value=tokens, need_weights=True)
        assert averaged.dim() == 3, "what the caller asked for"
        return output if self.batch_first else output.transpose(0, 1)


class PatchEmbed(nn.Module):
    def __init__(self):
        super().__init__()
        self.grid_size = (GRID, GRID)
        self.proj = nn.Conv2d(3, CHANNELS, PATCH, PATCH)

    def forward(self, x):
        return self.proj(x).flatten(2).transpose(1, 2)


class Block(nn.Module):
    def __init__(self, attn):
        super().__init__()
        self.norm1 = nn.LayerNorm(CHANNELS)
        self.attn = attn

    def forward(self, x):
        return x + self.attn(self.norm1(x))


class VisionTransformer(nn.Module):
    """timm's names for a ViT of such blocks, with a class token."""

    def __init__(self, *attentions, classes=5):
        super().__init__()
        self.num_prefix_tokens = 1
        self.patch_embed = PatchEmbed()
        self.cls_token = nn.Parameter(torch.randn(1, 1, CHANNELS))
        self.pos_embed = nn.Parameter(torch.randn(1, GRID * GRID + 1, CHANNELS))
        self.blocks = nn.ModuleList(Block(attention) for attention in attentions)
        self.head = nn.Linear(CHANNELS, classes)

    def forward(self, x):
        x = self.patch_embed(x)
        x = torch.cat([self.cls_token.expand(len(x), -1, -1), x], 1) + self.pos_embed
        for block in self.blocks:
            x = block(x)
        return self.head(x[:, 0])
