#pragma once

#include "models/identify/Family.h"

#include <vector>

namespace softscope {

/// InLine-DeiT ("Bridging the Divide: Reconsidering Softmax and Linear Attention", 2024). Its PVT,
/// Swin and CSwin variants are recognised and refused by name.
Family inlineDeitFamily();

/// Agent-DeiT ("Agent Attention: On the Integration of Softmax and Linear Attention", 2023): Agent
/// attention in all blocks or in the first ones, softmax in the rest. Its PVT, Swin and CSwin
/// variants are recognised and refused by name.
Family agentDeitFamily();

/// SLAB-DeiT ("SLAB: Efficient Transformers with Simplified Linear Attention and Progressive
/// Re-parameterized Batch Normalization", 2024). Its PVT, Swin and CSwin variants, and DeiT with
/// only its norms, are recognised and refused by name.
Family slabDeitFamily();

/// CA-DeiT ("Vision Transformers are Circulant Attention Learners", 2025;
/// LeapLabTHU/Circulant-Attention): every channel's matrix is circulant. Other networks with its
/// attention are recognised and refused by name.
Family circulantDeitFamily();

/// MHLA-DeiT ("MHLA: Restoring Expressivity of Linear Attention via Token-Level Multi-Head", 2026;
/// DAGroup-PKU/MHLA): linear attention whose blocks of tokens are mixed by a learned matrix.
Family mhlaDeitFamily();

/// PolaFormer-PVT ("PolaFormer: Polarity-aware Linear Attention for Vision Transformers", 2025).
/// Its PVTv2 and Swin variants are recognised and refused by name.
Family polaformerPvtFamily();

/// FLatten-PVT ("FLatten Transformer: Vision Transformer using Focused Linear Attention", 2023).
/// Its PVTv2, Swin and CSwin variants are recognised and refused by name.
Family flattenPvtFamily();

/// SOFT ("SOFT: Softmax-free Transformer with Linear Complexity", 2021, arXiv 2110.11945) and
/// SOFT++ ("Softmax-free Linear Transformers", 2024, arXiv 2207.03341), fudan-zvg/SOFT: a pyramid
/// whose first three stages attend through landmarks and whose fourth is a standard transformer.
Family softFamily();

/// SOFT's pyramid with another attention in stages 1 to 3: softmax, Linformer, Performer or
/// Nyströmformer, as in Table 1 of "SOFT: Softmax-free Transformer with Linear Complexity" (2021,
/// arXiv 2110.11945); SimA, Efficient attention or CosFormer, which Table 2 of "SimA: Simple
/// Softmax-free Attention for Vision Transformers" (2022, arXiv 2206.08898) compares; or ELU, from
/// its Table 3. The names are Softscope's own.
Family pyramidFamily();

/// SimA on XCiT's backbone ("SimA: Simple Softmax-free Attention for Vision Transformers", 2022,
/// arXiv 2206.08898; UCDvision/sima): l1-normalised queries and keys, no softmax.
Family simaFamily();

/// XCiT ("XCiT: Cross-Covariance Image Transformers", 2021, arXiv 2106.09681;
/// facebookresearch/xcit): channels attend to channels (XCA), and two class-attention blocks
/// collect the class.
Family xcitFamily();

/// DeiT ("Training data-efficient image transformers & distillation through attention", 2020, arXiv
/// 2012.12877) and ViT under timm's names, distilled or not; and DeiT with SimA's attention, which
/// has the same parameters.
Family deitFamily();

/// DINOv2 ("DINOv2: Learning Robust Visual Features without Supervision", 2023, arXiv 2304.07193)
/// with and without registers ("Vision Transformers Need Registers", 2023, arXiv 2309.16588), under
/// the names of Facebook and Hugging Face.
Family dinov2Family();

/// ViT ("An Image is Worth 16x16 Words: Transformers for Image Recognition at Scale", 2020, arXiv
/// 2010.11929) under the names of Hugging Face and torchvision, and the parts that timm's vision
/// transformers have beyond DeiT: registers, layer scale, a norm before the blocks, average
/// pooling.
Family vitFamily();

/// The network for pictures of CLIP ("Learning Transferable Visual Models From Natural Language
/// Supervision", 2021, arXiv 2103.00020), alone or beside the one for texts, under the names of
/// OpenAI, OpenCLIP and Hugging Face.
Family clipFamily();

/// The network for pictures of SigLIP ("Sigmoid Loss for Language Image Pre-Training", 2023, arXiv
/// 2303.15343) and SigLIP 2, under Hugging Face's names, with its pool as a layer of attention.
Family siglipFamily();

/// DINOv3 ("DINOv3", 2025, arXiv 2508.10104), with rotary positions and registers, under the names
/// of Facebook, Hugging Face and timm.
Family dinov3Family();

/// BEiT ("BEiT: BERT Pre-Training of Image Transformers", 2021, arXiv 2106.08254) and BEiT v2 under
/// timm's names: relative positions, whose biases are added to scores.
Family beitFamily();

/// EVA ("EVA: Exploring the Limits of Masked Visual Representation Learning at Scale", 2022, arXiv
/// 2211.07636) and EVA-02 ("EVA-02: A Visual Representation for Neon Genesis", 2023, arXiv
/// 2303.11331) under timm's names, the latter with rotary positions and a gated mlp.
Family evaFamily();

/// T2T-ViT ("Tokens-to-Token ViT: Training Vision Transformers from Scratch on ImageNet", 2021,
/// arXiv 2101.11986) with Performer or softmax tokens (yitu-opensource/T2T-ViT), or with
/// Nyströmformer tokens (mlpen/Nystromformer), whose parameters are those of the softmax form.
Family t2tFamily();

/// CaiT ("Going deeper with Image Transformers", 2021, arXiv 2103.17239) under the authors' and
/// timm's names, which agree: heads that are mixed before and after the softmax, and class
/// attention.
Family caitFamily();

/// ConViT ("ConViT: Improving Vision Transformers with Soft Convolutional Inductive Biases", 2021,
/// arXiv 2103.10697) under the authors' and timm's names, which agree: a gate between a softmax of
/// contents and one of positions.
Family convitFamily();

/// PVTv2 ("PVT v2: Improved Baselines with Pyramid Vision Transformer", 2021, arXiv 2106.13797) and
/// its linear form, under the names of the authors, of timm and of Hugging Face.
Family pvtFamily();

/// Swin Transformer ("Swin Transformer: Hierarchical Vision Transformer using Shifted Windows",
/// 2021, arXiv 2103.14030) and Swin V2 ("Swin Transformer V2: Scaling Up Capacity and Resolution",
/// 2021, arXiv 2111.09883) under the names of the authors, timm, torchvision and Hugging Face:
/// attention within windows, which every second block shifts.
Family swinFamily();

/// MobileViT ("MobileViT: Light-weight, General-purpose, and Mobile-friendly Vision Transformer",
/// 2021, arXiv 2110.02178) under Hugging Face's names.
Family mobileVitFamily();

/// CvT ("CvT: Introducing Convolutions to Vision Transformers", 2021, arXiv 2103.15808;
/// microsoft/CvT): a pyramid that computes queries, keys and values by convolutions, with keys on a
/// coarser grid; and CvT with SimA instead of the softmax.
Family cvtFamily();

/// Pre-activation ResNets and WRNs with non-local blocks ("Non-local Neural Networks", 2017, arXiv
/// 1711.07971) as Cho et al. ("Rethinking Efficacy of Softmax for Lightweight Non-local Neural
/// Networks", 2022, arXiv 2207.13423) train them. No checkpoints were published, so the names are
/// Softscope's own: `stem`, `stage2.block0.conv1`, `stage2.nonlocal0.theta`, `norm`, `head`.
Family preresnetFamily();

/// EfficientViT ("EfficientViT: Multi-Scale Linear Attention for High-Resolution Dense Prediction",
/// 2022, arXiv 2205.14756; mit-han-lab/efficientvit), the B and the L models, under the authors'
/// names or timm's: convolutions, then stages of multi-scale linear attention.
Family efficientVitFamily();

/// MILA ("Demystify Mamba in Vision: A Linear Attention Perspective", 2024, arXiv 2405.16605;
/// LeapLabTHU/MLLA), published as MLLA: a pyramid of blocks in the form of Mamba's, with rotated
/// linear attention, a convolution of V added to it, and a gate on the sum.
Family milaFamily();

/// RAVLT ("Breaking the Low-Rank Dilemma of Linear Attention", 2025, arXiv 2411.07635; qhfan/RALA):
/// a pyramid with rank-augmented linear attention in its first two stages and softmax attention in
/// its last two, a convolution of V added to both, and a gate on the sum.
Family ralaFamily();

/// The models of pictures with which Nyströmformer's authors ran the Long Range Arena ("Long Range
/// Arena: A Benchmark for Efficient Transformers", 2020, arXiv 2011.04006; mlpen/Nystromformer):
/// 1 024 grey pixels as tokens, with softmax, linear attention, Linformer, Performer or
/// Nyströmformer.
Family lraFamily();

/// VSSD ("VSSD: Vision Mamba with Non-Causal State Space Duality", 2024; YuHengsss/VSSD): MILA's
/// pyramid with non-causal state spaces, and softmax attention in the last stage.
Family vssdFamily();

/// SwiftFormer ("SwiftFormer: Efficient Additive Attention for Transformer-based Real-time Mobile
/// Vision Applications", 2023, arXiv 2303.15446) under timm's names or its authors': convolutions,
/// and additive attention at the end of each stage.
Family swiftFormerFamily();

/// Vim ("Vision Mamba: Efficient Visual Representation Learning with Bidirectional State Space
/// Model", 2024, arXiv 2401.09417; hustvl/Vim): selective scans over the sequence of patches in
/// both directions. Its other forms are recognised and refused by name.
Family vimFamily();

/// VMamba ("VMamba: Visual State Space Model", 2024, arXiv 2401.10166; MzeroMiko/VMamba), in the
/// forms v0 and v05_noz: a pyramid with four selective scans in each block. Its other forms are
/// recognised and refused by name.
Family vmambaFamily();

/// Vision-RWKV ("Vision-RWKV: Efficient and Scalable Visual Perception with RWKV-Like
/// Architectures", 2024, arXiv 2403.02308; OpenGVLab/Vision-RWKV): bidirectional WKV as the
/// published kernel computes it. Its sixth version is recognised and refused by name.
Family vrwkvFamily();

/// ViG ("ViG: Linear-complexity Visual Sequence Learning with Gated Linear Attention", 2024, arXiv
/// 2405.18425; hustvl/ViG): gated linear attention in both directions.
Family vigFamily();

/// Transformers that people wrote themselves, whatever their tensors are called, and small
/// convolutional networks with non-local blocks: found by shapes, repetition and order. What
/// weights do not tell is assumed and asked.
Family structureFamily();

/// Returns every family that Softscope knows, in the order in which files are compared with them. A
/// new family has a folder of its own in models/, its function above, and an entry in Families.cpp.
const std::vector<Family>& families();

/// Returns the one family of all that reads networks by structure.
const Family& structureReader();

/// Returns true if another family than structureReader() recognises the names. For these, a prefix
/// before the names matters.
bool isOfAnyFamily(const StateDict& state);

/// Returns true for the families of plain vision transformers, whose names many other networks have
/// as well.
bool hasPlainNames(const Family& family);

}  // namespace softscope
