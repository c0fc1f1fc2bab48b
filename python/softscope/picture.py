"""The model's input of a picture."""

from __future__ import annotations

import os
from typing import Any, Callable, Optional, Sequence, Tuple

import numpy as np
import torch
from torch import nn

from .arguments import require_module, require_scale
from .tape import tensors_in


def upright(picture: Any) -> Any:
    """Returns a PIL picture turned as its camera says, as the window turns it."""
    from PIL import ImageOps  # pylint: disable=import-outside-toplevel
    return ImageOps.exif_transpose(picture)


def _as_rgb(picture: Any) -> Any:
    if str(getattr(picture, "mode", "")).startswith(("I", "F")):
        raise ValueError(f"a picture of mode {picture.mode} has more than 8 bits, which PIL would cut off: scale it to "
                         "0...255 and convert it to RGB")
    return picture.convert("RGB")


def pixels_of(picture: Any) -> np.ndarray:
    """Returns a picture as uint8 [height, width, 3]."""
    if hasattr(picture, "convert"):
        picture = _as_rgb(picture)
    pixels = np.asarray(picture)
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3:
        raise ValueError(f"picture is {pixels.dtype} {list(pixels.shape)}, and should be uint8 [height, width, 3]")
    return pixels


def input_of(model: nn.Module, picture: Any, transform: Optional[Callable[[Any], torch.Tensor]],
             mean: Optional[Sequence[float]], std: Optional[Sequence[float]],
             size: Any) -> Tuple[Any, Optional[np.ndarray]]:
    """Returns the model's input, and the pixels that show it where these are known. Tensors, and what holds some, are
    the input as they are, but for a picture [3, height, width], which becomes a batch of one, and for pixels."""
    require_module(model)
    given = tensors_in(picture)
    require_scale(mean, std, int(given[0].shape[1]) if given and given[0].dim() == 4 else 3)
    if tensors_in(picture) and not _are_pixels(picture):
        is_alone = isinstance(picture, torch.Tensor) and picture.is_floating_point() and picture.dim() == 3 and \
            len(picture) == 3 and _takes_pictures(model, picture)
        return (picture[None] if is_alone else picture), None
    if isinstance(picture, (str, os.PathLike)):
        from PIL import Image  # pylint: disable=import-outside-toplevel
        picture = upright(Image.open(picture))
    if hasattr(picture, "convert"):
        picture = _as_rgb(picture)
    if transform is None and (mean is None or std is None or size is None):
        raise ValueError("a picture needs transform=, or mean=, std= and size=; or give the model's input, a tensor or "
                         "what holds tensors")
    if transform is not None:
        tensor = _transformed(transform, picture)
        if not isinstance(tensor, torch.Tensor):
            raise ValueError(f"transform returns {type(tensor).__name__}, and should return a tensor [channels, height, "
                             "width]; of a Hugging Face processor take ['pixel_values']")
        tensor = tensor[None] if tensor.dim() == 3 else tensor
    else:
        if any(np.size(values) != 3 for values in (mean, std)) or not (isinstance(size, int) or np.size(size) == 2):
            raise ValueError("mean and std are three numbers each, and size is a side, or height and width")
        height, width = (size, size) if isinstance(size, int) else size
        channels = torch.as_tensor(pixels_of(picture).copy()).permute(2, 0, 1)[None].float() / 255
        channels = nn.functional.interpolate(channels, (height, width), mode="bilinear", align_corners=False,
                                             **({"antialias": True}))
        shift, scale = (torch.tensor(values).reshape(1, 3, 1, 1) for values in (mean, std))
        tensor = (channels - shift) / scale
    shown = _pixels_of_input(tensor, mean, std)
    parameter = next(model.parameters(), None)
    return (tensor if parameter is None else tensor.to(parameter.device, parameter.dtype)), shown


def _takes_pictures(model: nn.Module, tensor: torch.Tensor) -> bool:
    """Returns whether [3, height, width] is a picture for a model, and not three sequences or spectrograms, whose
    channels the model's first layer is as wide as."""
    if any(isinstance(module, nn.Conv2d) and module.in_channels == 3 for module in model.modules()):
        return True
    for module in model.modules():
        if isinstance(module, nn.Conv2d):
            return module.in_channels % 3 == 0  # a patch that was cut out before it
        if isinstance(module, nn.Conv1d):
            return module.in_channels != tensor.shape[1]
        if isinstance(module, nn.MultiheadAttention):
            return module.embed_dim != tensor.shape[2]
        if isinstance(module, nn.Linear):
            return module.in_features != tensor.shape[2]
        if isinstance(module, nn.LayerNorm):
            return module.normalized_shape[-1] != tensor.shape[2]
    return True


def _are_pixels(picture: Any) -> bool:
    return isinstance(picture, torch.Tensor) and picture.dtype == torch.uint8 and picture.dim() == 3 and \
        picture.shape[2] == 3


def _transformed(transform: Callable[[Any], torch.Tensor], picture: Any) -> Any:
    """Applies a transform to a picture: most take PIL pictures, as the window's are, and some take arrays alone."""
    if not isinstance(picture, (np.ndarray, torch.Tensor)):
        return transform(picture)
    try:
        from PIL import Image  # pylint: disable=import-outside-toplevel
        return transform(Image.fromarray(pixels_of(picture)))
    except (ImportError, TypeError, AttributeError):
        return transform(picture)


def _pixels_of_input(tensor: torch.Tensor, mean: Optional[Sequence[float]],
                     std: Optional[Sequence[float]]) -> Optional[np.ndarray]:
    """Returns what the network sees, which a transform may have cropped; told by mean and std, or by the range of
    values."""
    if tensor.dim() != 4 or tensor.shape[1] != 3:
        return None
    channels = tensor[0].detach().float().cpu()
    if mean is not None and std is not None:
        shift, scale = (torch.tensor(values).reshape(3, 1, 1) for values in (mean, std))
        channels = channels * scale + shift
    else:
        low, high = float(channels.min()), float(channels.max())
        channels = (channels - low) / max(high - low, 1e-6)
    return (channels.clamp(0, 1) * 255).round().byte().permute(1, 2, 0).numpy()
