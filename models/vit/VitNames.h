#pragma once

#include "core/checkpoint/StateDict.h"

#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

/// The names of a block's parts within the block; empty if a layout lacks the part. A name that
/// ends in `_` is followed by `weight` and `bias` without a dot: `in_proj_`.
struct VitBlockNames {
  /// The common path of queries, keys, values and the output projection.
  std::string attention;
  std::string norm1;
  /// One projection to queries, keys and values together, or one to each.
  std::string queryKeyValue;
  std::string query, key, value;
  /// Biases of queries and of values beside `queryKeyValue`; keys then have none.
  std::string queryBias, valueBias;
  std::string biasMask;       ///< multiplies the bias of `queryKeyValue`
  std::string positionBias;   ///< table of relative positions, whose entries are added to scores
  std::string attentionNorm;  ///< norm of the joined heads
  std::string projection;
  std::string scale1;
  std::string norm2;
  /// The mlp's first product; for a gated mlp, both halves, or one half beside `gate`.
  std::string expand;
  std::string gate;
  std::string mlpNorm;  ///< norm of the mlp's hidden layer
  std::string contract;
  std::string scale2;
};

/// The names of a pool's parts, whose learned query attends to the tokens after the last block.
struct VitPoolNames {
  std::string layer;  ///< the attention's path, for the recorder; empty if there is no pool
  std::string latent;
  std::string queryKeyValue;  ///< one projection, or `query` and `keyValue`
  std::string query, keyValue;
  std::string projection;
  std::string norm;
  std::string expand, contract;
};

/// The names of a plain vision transformer's parts in a file, as dotted paths: every library stores
/// the same network under different names.
struct VitNames {
  /// The library that uses the names, `Hugging Face's`, if no one else writes other networks under
  /// them; otherwise empty.
  std::string library;
  std::string classToken;
  std::string distillationToken;
  std::string registers;
  std::string positions;  ///< empty if there is no table of positions
  /// True if the class token is [C] and the table [entries, C], without leading dimensions.
  bool hasFlatTokens = false;
  /// True if registers are inserted after the class token once positions are added, as in DINOv2.
  bool addsRegistersLater = false;
  std::string embedding;
  std::string rotaryPeriods;        ///< periods of the rotary embedding, if they are stored
  std::string sharedPositionBias;   ///< table of relative positions that all blocks share
  std::string normBefore;           ///< norm of the tokens before the first block
  std::vector<std::string> blocks;  ///< in the order they run
  VitBlockNames block;
  /// True if each projection may have or lack a bias, whether or not the others have one.
  bool biasesVary = false;
  /// True if a gated mlp's activation is the configured one; otherwise it is SiLU.
  bool configuresGate = false;
  std::string norm;
  std::string prefixNorm;   ///< norm of the tokens before the patches, instead of `norm`
  std::string poolingNorm;  ///< norm of what the head sees, instead of `norm`
  VitPoolNames pool;
  /// Hugging Face's pooler: a product of the first token, whose result is passed through tanh.
  /// Users may classify it; the library's own classifiers do not.
  std::string pooler;
  /// The norm that makes CLIP's pooled output of the class token, which its classifier skips.
  std::string poolerNorm;
  /// A product in front of the head, whose result is passed through tanh; torchvision's
  /// `representation_size`.
  std::string headHidden;
  /// A batch norm without weights in front of the head, as linear probes of MAE have.
  std::string headNorm;
  std::string head;
  std::string distillationHead;
  /// Projection of the class token to CLIP's shared space: a Linear, or a matrix [C, width].
  std::string featureProjection;
  std::string featureMatrix;
};

/// Returns true if a state dict has torchvision's names for a ViT:
/// `encoder.layers.encoder_layer_0`.
bool hasTorchvisionNames(const StateDict& state);

/// Returns torchvision's names, whose mlp is `mlp.0` and `mlp.3`, or `mlp.linear_1` and
/// `mlp.linear_2` in old files.
VitNames torchvisionNames(const StateDict& state);

/// Returns true if a state dict has timm's or Facebook's names for a plain vision transformer, and
/// none that only related networks have (T2T-ViT, CaiT, XCiT, BEiT).
bool hasTimmNames(const StateDict& state);
/// Returns true if the network has parts that DeiT lacks: registers, layer scale, a norm before the
/// blocks or of the mean of the patches, no class token, or a gated mlp.
bool hasMoreThanDeit(const StateDict& state);

/// Returns the names of timm and Facebook: `blocks.0.attn.qkv`. Facebook's training files group
/// blocks in chunks, `blocks.1.12.attn.qkv`, with numbers that continue from chunk to chunk.
VitNames timmNames(const StateDict& state);

/// Returns true if a state dict has Hugging Face's names for a ViT, a DeiT or a DINOv2.
bool hasHuggingFaceNames(const StateDict& state);
/// Returns true for a DINOv2, whose layer norms are called `norm1`; those of ViT and DeiT are
/// called `layernorm_before`.
bool isHuggingFaceDinov2(const StateDict& state);
/// Returns true for a DeiT, which has a distillation token whether it was trained with a teacher or
/// not.
bool isHuggingFaceDeit(const StateDict& state);

/// Returns true if a wrapper precedes the names of the embedding and none those of the blocks, as
/// in classifiers of ViT-MSN: `vit.embeddings` beside `encoder.layer.0`.
bool hasMixedHuggingFaceNames(const StateDict& state);

/// Returns what precedes all of the network's own names, `vit.`; nothing if that is nothing, or if
/// some have it and others have not.
std::string huggingFaceWrapper(const StateDict& state);

/// Returns Hugging Face's names, `vit.encoder.layer.0.attention.attention.query`, or those that its
/// library has used in memory since version 5, `vit.layers.0.attention.q_proj`.
VitNames huggingFaceNames(const StateDict& state);

/// Returns true if `path` has the tensors of a Linear that takes a token of this width, or two side
/// by side, as a head does. Nothing tells what any other classifier takes.
bool isLinearOfTokens(const StateDict& state, const std::string& path, std::int64_t width);

/// Returns the names of a block of CLIP or SigLIP, which are alike in Hugging Face's library.
VitBlockNames huggingFaceClipBlock();

}  // namespace softscope
