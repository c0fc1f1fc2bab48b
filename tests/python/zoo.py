#!/usr/bin/env python3
"""Models of timm, transformers and torchvision through softscope.record(): every layer verified or refused, none wrong.

    zoo.py [--table FILE] [NAME...]      needs these three packages, which nothing else here does

Beside the recorder's own verification, a second run of the model without it keeps the values and what the projection
was given by hooks of this file, where modules have names for them, and recorded attention has to map one to the other.
"""
import argparse
import os
import sys
import time
import warnings

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
import softscope  # noqa: E402

BOUND = 1e-3
TIMM = """vit_tiny_patch16_224 deit_small_patch16_224 deit3_small_patch16_224 beit_base_patch16_224
beitv2_base_patch16_224 eva02_tiny_patch14_224 vit_small_patch14_dinov2 vit_small_patch16_dinov3
vit_small_patch14_reg4_dinov2 vit_base_patch16_siglip_224 vit_base_patch16_clip_224 vit_relpos_small_patch16_224
vit_srelpos_small_patch16_224 vit_small_patch16_rope_224 vit_xsmall_patch16_clip_224 naflexvit_base_patch16_gap
samvit_base_patch16_224 cait_xxs24_224 coat_tiny coat_lite_tiny coatnet_0_rw_224 convit_tiny crossvit_tiny_240
davit_tiny edgenext_xx_small efficientformer_l1 efficientformerv2_s0 efficientvit_b0 efficientvit_m0 fastvit_sa12
gcvit_xxtiny hiera_tiny_224 levit_128s levit_conv_128s maxvit_rmlp_pico_rw_256 maxxvit_rmlp_nano_rw_256 mobilevit_xxs
mobilevitv2_050 mobilenetv4_hybrid_medium mvitv2_tiny nest_tiny nextvit_small pit_xs_224 pvt_v2_b0 pvt_v2_b2_li
repvit_m0_9 swiftformer_xs swin_tiny_patch4_window7_224 swinv2_tiny_window8_256 swinv2_cr_tiny_224 tiny_vit_5m_224
tnt_s_legacy_patch16_224 twins_pcpvt_small twins_svt_small visformer_tiny volo_d1_224 xcit_nano_12_p16_224
halonet26t lambda_resnet26t botnet26t_256 lamhalobotnet50ts_256 resnet50_clip shvit_s1 focalnet_tiny_srf mambaout_femto
mixer_s16_224 poolformer_s12 inception_next_tiny""".split()
SMALL = dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128)
EYES = dict(image_size=64, patch_size=8)
# Class of the model, of its configuration, and what that is given.
TRANSFORMERS = {
    "ViT": ("ViTModel", "ViTConfig", {**SMALL, **EYES}), "DeiT": ("DeiTModel", "DeiTConfig", {**SMALL, **EYES}),
    "Dinov2": ("Dinov2Model", "Dinov2Config", {**SMALL, **EYES}),
    "Dinov2WithRegisters": ("Dinov2WithRegistersModel", "Dinov2WithRegistersConfig", {**SMALL, **EYES}),
    "DINOv3ViT": ("DINOv3ViTModel", "DINOv3ViTConfig", {**SMALL, **EYES}),
    "CLIPVision": ("CLIPVisionModel", "CLIPVisionConfig", {**SMALL, **EYES}),
    "SiglipVision": ("SiglipVisionModel", "SiglipVisionConfig", {**SMALL, **EYES}),
    "Beit": ("BeitModel", "BeitConfig", {**SMALL, **EYES}),
    "ViTMAE": ("ViTMAEModel", "ViTMAEConfig", {**SMALL, **EYES}),
    "ViTMSN": ("ViTMSNModel", "ViTMSNConfig", {**SMALL, **EYES}),
    "Data2VecVision": ("Data2VecVisionModel", "Data2VecVisionConfig", {**SMALL, **EYES}),
    "IJepa": ("IJepaModel", "IJepaConfig", {**SMALL, **EYES}),
    "Swin": ("SwinModel", "SwinConfig", dict(image_size=64, embed_dim=32, depths=[2, 2], num_heads=[2, 4])),
    "Swinv2": ("Swinv2Model", "Swinv2Config", dict(image_size=64, embed_dim=32, depths=[2, 2], num_heads=[2, 4])),
    "Segformer": ("SegformerModel", "SegformerConfig", {}), "Pvt": ("PvtModel", "PvtConfig", dict(image_size=64)),
    "PvtV2": ("PvtV2Model", "PvtV2Config", dict(image_size=64)), "Cvt": ("CvtModel", "CvtConfig", {}),
    "Hiera": ("HieraModel", "HieraConfig", {}), "Levit": ("LevitModel", "LevitConfig", {}),
    "MobileViT": ("MobileViTModel", "MobileViTConfig", {}), "PoolFormer": ("PoolFormerModel", "PoolFormerConfig", {}),
    "GLPN": ("GLPNModel", "GLPNConfig", {}), "Yolos": ("YolosModel", "YolosConfig", {
        **SMALL, "image_size": [64, 64], "patch_size": 8}),
}
SIZES = {"Hiera": 224, "Levit": 224, "MobileViT": 256}


def models(names):
    import timm
    for name in TIMM:
        if not names or name in names:
            def build(name=name):
                model = timm.create_model(name, pretrained=False)
                return model, model.default_cfg["input_size"][1]
            yield f"timm {name}", build
    import transformers
    for name, (kind, config, given) in TRANSFORMERS.items():
        if not names or name in names:
            def build(name=name, kind=kind, config=config, given=given):
                return getattr(transformers, kind)(getattr(transformers, config)(**given)), SIZES.get(name, 64)
            yield f"transformers {name}", build
    import torchvision
    for name, size in (("vit_b_32", 224), ("swin_t", 224), ("swin_v2_t", 256), ("maxvit_t", 224)):
        if not names or name in names:
            yield f"torchvision {name}", lambda name=name, size=size: (getattr(torchvision.models, name)(), size)
    if not names or "compiled" in names:
        def compiled():
            model = timm.create_model("vit_tiny_patch16_224", depth=2).eval()
            return torch.compile(model, backend="eager"), 224
        yield "timm vit_tiny_patch16_224, compiled", compiled


def capture(model, image, layers):
    """Values and what the projection was given, by layer, where modules have names for them."""
    seen, handles = {}, []

    def keep(layer, part, of_input):
        def hook(_module, inputs, output):
            given = inputs[0] if of_input else output
            given = given[0] if isinstance(given, tuple) else given
            if isinstance(given, torch.Tensor):
                seen[layer, part] = given.detach().clone()
        return hook
    modules = {name.replace("_orig_mod.", ""): module for name, module in model.named_modules()}
    for layer in layers:
        module = modules.get(layer)
        for name in ("qkv", "kv", "v", "v_proj", "value", "to_v") if module is not None else ():
            if isinstance(getattr(module, name, None), torch.nn.Module):
                handles.append(getattr(module, name).register_forward_hook(keep(layer, name, False)))
        ends = [name for name in ("proj", "out_proj", "o_proj", "projection") if module is not None and
                isinstance(getattr(module, name, None), torch.nn.Linear)]
        if ends:
            handles.append(getattr(module, ends[0]).register_forward_hook(keep(layer, "result", True)))
        elif module is not None:
            handles.append(module.register_forward_hook(keep(layer, "result", False)))
    torch.manual_seed(1)
    with torch.no_grad():
        model(image)
    for handle in handles:
        handle.remove()
    return seen


def independent_error(layer, seen):
    """Attention times values against the module's result; None where its names do not tell."""
    heads, queries, keys = layer.map.shape()
    result = seen.get((layer.name, "result"))
    best = None
    for name, share in (("qkv", 3), ("kv", 2), ("v", 1), ("v_proj", 1), ("value", 1), ("to_v", 1)):
        given = seen.get((layer.name, name))
        if given is None or result is None or given.dim() != 3 or given.shape[:2] != (1, keys) or \
                given.shape[2] % (share * heads):
            continue
        width = given.shape[2] // share
        parts = given[0].reshape(keys, heads, share, -1)[:, :, -1]
        for values in (given[0, :, -width:].reshape(keys, heads, -1), parts):
            made = layer.map.times(values.transpose(0, 1)).transpose(0, 1).reshape(queries, -1)
            if made.numel() == result.numel():
                error = float((made - result.reshape(made.shape)).abs().max() / result.abs().max())
                best = error if best is None else min(best, error)
    return best


def try_model(name, build):
    """A row of the table, and what is wrong."""
    torch.manual_seed(0)
    try:
        model, size = build()
    except Exception as error:  # pylint: disable=broad-except
        return None, f"cannot be built here: {str(error)[:100]}"
    model.eval()
    for given, parameter in model.named_parameters():
        # Random weights attend to everything alike; these do not.
        if given.endswith(("qkv.weight", "q.weight", "k.weight", "q_proj.weight", "k_proj.weight", "query.weight")):
            parameter.data *= 4
    image = torch.randn(1, 3, size, size)
    wrong = []
    try:
        torch.manual_seed(1)
        with torch.no_grad():
            before = model(image)
        torch.manual_seed(1)
        recording = softscope.record(model, image, quiet=True)
        torch.manual_seed(1)
        with torch.no_grad():
            after = model(image)
    except Exception as error:  # pylint: disable=broad-except
        return [name, 0, "", 0, "", "", f"RAISED {type(error).__name__}: {str(error)[:150]}"], "raised"
    if "logits" in recording.entries and isinstance(before, torch.Tensor):
        logits = torch.as_tensor(recording.entries["logits"])
        if not torch.allclose(logits, before[0], rtol=1e-4, atol=1e-4 * float(before.abs().max())) or \
                not torch.equal(before, after):
            wrong.append("its output is another")
    verified = recording.recorded()
    seen = capture(model, image, [layer.name for layer in verified])
    checked, worst = 0, 0.0
    for layer in verified:
        if layer.verified is None or not layer.verified <= BOUND:
            wrong.append(f"{layer.name} is recorded with error {layer.verified}")
        error = independent_error(layer, seen) if layer.beside is None else None  # hooks see the sum of both
        if error is not None:
            checked += 1
            worst = max(worst, error)
            if error > BOUND:
                wrong.append(f"{layer.name} is off by {error:.2g}")
    reasons = sorted({reason.split(":")[0] + ": " + reason.split(": ", 1)[-1].split(" (")[0]
                      for reason in recording.refused.values()})
    errors = max((layer.verified or 0 for layer in verified), default=None)
    added: dict = {}
    for layer in verified:
        if layer.beside is not None:
            what = layer.beside.split(", ")[0]
            added[what] = added.get(what, 0) + 1
    besides = ", ".join(f"{count}: {what}" for what, count in added.items())
    return [name, len(verified), besides, len(recording.refused), "" if errors is None else f"{errors:.0e}",
            f"{checked}, {worst:.0e}" if checked else "", "; ".join(reasons)], "; ".join(wrong)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--table")
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    rows, wrong, absent = [], [], []
    for name, build in models(given.names):
        begin = time.time()
        row, said = try_model(name, build)
        if row is None:
            absent.append(f"{name}: {said}")
            continue
        rows.append(row)
        if said:
            wrong.append(f"{name}: {said}")
        print(*row, f"{time.time() - begin:.1f} s", "WRONG " + said if said else "", sep=" | ", flush=True)
    totals = (f"{len(rows)} models; {sum(row[1] for row in rows)} layers verified, {sum(row[3] for row in rows)} "
              f"refused; {len(wrong)} models with something wrong.")
    print(totals, *absent, *wrong, sep="\n")
    if given.table:
        with open(given.table, "w", encoding="utf-8") as file:
            file.write("| model | verified | of these with a term beside | refused | worst error | checked again by "
                       "hooks: layers, worst error | why refused |\n|---|---|---|---|---|---|---|\n")
            file.writelines("| " + " | ".join(map(str, row)).replace("\n", " ") + " |\n" for row in rows)
            file.write(f"\n{totals}\n")
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
