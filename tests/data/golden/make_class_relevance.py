#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes class_relevance.npz in the folder of the case deit: the relevance of each patch for three classes, as the
authors' published code computes it ("Generic Attention-model Explainability for Interpreting Bi-Modal and
Encoder-Decoder Transformers", 2021), on the weights and the picture there.

It runs two checkouts of hila-chefer, and holds none of their code:
Transformer-Explainability at c3e578f76b954e8528afeaaee26de3f07e3fe559 has the network (baselines/ViT/ViT_new.py);
Transformer-MM-Explainability at 58eaea85ac9c34aff052f368514b35d2e4c8dd3c has the rules, in the cell of
Transformer_MM_explainability_ViT.ipynb that defines generate_relevance(). Both compute in float64 here, on the CPU.
`predicted` is the class that their code explains when none is named.

    make_class_relevance.py TRANSFORMER_EXPLAINABILITY TRANSFORMER_MM_EXPLAINABILITY DEIT [--check]
"""

import argparse
import functools
import json
import pathlib
import sys

import numpy as np
import torch

NOTEBOOK = 'Transformer_MM_explainability_ViT.ipynb'


def network(checkout, folder, config):
    sys.path.insert(0, str(checkout))
    from baselines.ViT.ViT_new import VisionTransformer
    side = config['patch']
    model = VisionTransformer(
        img_size=tuple(side * count for count in config['grid']), patch_size=side, num_classes=config['classes'],
        embed_dim=config['embed_dim'], depth=config['depth'], num_heads=config['num_heads'], qkv_bias=True,
        norm_layer=functools.partial(torch.nn.LayerNorm, eps=config['norm_eps']))
    weights = torch.load(folder / 'checkpoint.pth', map_location='cpu', weights_only=False)
    weights = weights.get('model', weights)
    model.load_state_dict({name: value.double() for name, value in weights.items()})
    return model.double().eval()


def rules(checkout):
    """Returns generate_relevance() of the notebook."""
    notebook = json.loads((checkout / NOTEBOOK).read_text())
    cells = [''.join(cell['source']) for cell in notebook['cells'] if cell['cell_type'] == 'code']
    names = {'torch': torch, 'np': np}
    exec(next(cell for cell in cells if 'def generate_relevance' in cell), names)
    return names['generate_relevance']


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('network', type=pathlib.Path)
    parser.add_argument('rules', type=pathlib.Path)
    parser.add_argument('deit', type=pathlib.Path, help='the folder of the case, as it is in papers.zip')
    parser.add_argument('--check', action='store_true', help='compare with the file instead of writing it')
    options = parser.parse_args()
    torch.set_default_dtype(torch.float64)
    torch.Tensor.cuda = lambda self: self  # the notebook runs on a GPU
    config = json.loads((options.deit / 'meta.json').read_text())['config']
    model = network(options.network, options.deit, config)
    picture = torch.from_numpy(np.load(options.deit / 'input.npy')).double()
    logits = model(picture)[0]
    difference = (logits.detach().numpy() - np.load(options.deit / 'logits.npy').ravel())
    assert np.abs(difference).max() < 1e-4, difference
    relevance = rules(options.rules)
    predicted = int(logits.argmax())
    arrays = {'predicted': np.array([predicted], np.float32)}
    for index in sorted({predicted, 0, 7}):
        asked = None if index == predicted else index
        values = relevance(model, picture, index=asked).detach().numpy()
        arrays[f'class_{index}'] = values.reshape(config['grid']).astype(np.float32)
    target = options.deit / 'class_relevance.npz'
    if not options.check:
        np.savez_compressed(target, **arrays)
        return
    stored = np.load(target)
    assert sorted(stored) == sorted(arrays)
    for name, values in arrays.items():
        assert np.abs(stored[name] - values).max() <= 1e-6 * np.abs(values).max(), name


if __name__ == '__main__':
    main()
