"""Stands for timm.data: a transform that resizes and normalises."""
import numpy as np
import torch


def resolve_data_config(pretrained_cfg):
    return {name: pretrained_cfg[name] for name in ("mean", "std", "input_size")}


def create_transform(input_size, mean, std):
    def transform(picture):
        values = np.asarray(picture.convert("RGB").resize(input_size[:0:-1], 3), dtype=np.float32) / 255
        normal = (values - np.float32(mean)) / np.float32(std)
        return torch.from_numpy(normal).permute(2, 0, 1).contiguous()

    return transform
