#pragma once

#include "models/structure/TensorUnits.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// One product with a matrix of a file, by the names of its tensors.
struct ProductPart {
  std::string weight;
  std::string bias;  ///< empty if there is none
  /// True if the file stores the matrix as [inputs, outputs], as Conv1D does.
  bool isTransposed = false;
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
};

/// One norm of a file, by the names of its tensors.
struct NormPart {
  std::string weight;
  std::string bias;  ///< empty for an RMS norm, or a layer norm without

  /// Returns true if weight and bias have other names than PyTorch gives them, as `gamma` and
  /// `beta`: someone wrote the norm, and may have made it compute something else.
  bool hasOwnNames() const { return !bias.empty() && !weight.ends_with("weight"); }
};

/// A parameter that stands alone, with the shape it has in the file.
struct BareTensor {
  std::string name;
  std::vector<std::int64_t> shape;
};

/// How a block stores what makes queries, keys and values.
enum class ProjectionLayout {
  Packed,    ///< one matrix [3 I, C]
  Separate,  ///< three matrices [I, C]
  KeyValue,  ///< one matrix [I, C] and one [2 I, C], in most files for queries and for keys and
             ///< values
  OfHeads,   ///< three matrices [d, C] for each head
  OfSlices,  ///< three matrices [d, d] for each head, which sees d of the channels
  Shared,    ///< three matrices [d, d] that serve the channels of every head
};

/// A part that a block's attention may have beside its projections.
enum class AttentionExtra { None, Linformer, Performer, Nystrom };

/// The attention of a block. Names of tensors are those within a block, `.attn.qkv.weight`.
struct AttentionStructure {
  ProjectionLayout layout = ProjectionLayout::Packed;
  /// Queries, keys and values in this order, one of each or one for each head; of packed matrices,
  /// only the first; of KeyValue, the single one and the packed one.
  std::vector<std::vector<ProductPart>> projections;
  /// The order in which a packed matrix makes q, k and v, as far as its name says: `kqv`, `qk`.
  std::string packed = "qkv";
  std::optional<ProductPart> output;
  /// Width of all heads together.
  std::int64_t inner = 0;
  /// Width of keys and values where several heads share them; 0 if each head has its own.
  std::int64_t keyWidth = 0;
  /// True if the numbers of a list alone tell the projections apart: `linears.0`.
  bool areNumbered = false;
  /// Number of heads that the shapes tell; 0 if they do not.
  int heads = 0;
  /// Norms of each head's queries and keys.
  std::optional<NormPart> queryNorm, keyNorm;
  /// Path of the attention within its block, by which the layer is called: `.attn`.
  std::string path;
  AttentionExtra extra = AttentionExtra::None;
  /// Linformer's matrices for keys and for values, which may be the same one; Performer's random
  /// features; the filters of Nyströmformer's convolution of values.
  std::vector<std::string> extraTensors;
  /// The biases of Linformer's matrices, one of each, empty for one without.
  std::vector<std::string> extraBiases;
  std::vector<std::int64_t> extraShape;
  /// True if Linformer's matrices are stored as [tokens, rank].
  bool isExtraTransposed = false;
  /// True if numbers or the file's order alone say which of Linformer's matrices is for keys.
  bool isExtraOrderAssumed = false;
  /// True if the names are those of PyTorch's nn.MultiheadAttention.
  bool isMultiheadAttention = false;
};

/// The parts of a block that add to its tokens.
enum class BlockHalf { Attention, Mlp };

/// One block of a transformer that someone wrote, by the names of its tensors within the block.
struct BlockStructure {
  AttentionStructure attention;
  std::optional<NormPart> norm1;
  std::optional<NormPart> norm2;  ///< the first one again if one norm serves both halves
  std::optional<ProductPart> expand;
  std::optional<ProductPart> contract;
  /// The half that the name of a block's only norm says it is of; nothing if there are two norms,
  /// or if the name does not say.
  std::optional<BlockHalf> halfOfNorm;
  /// True if norms, or layer scales, are told apart by their order or numbers alone, so that the
  /// first one is of the half that runs first.
  bool areNormsInOrder = false;
  bool areScalesInOrder = false;
  /// True if the mlp stands before the attention in the file, or in a list of modules.
  bool isMlpInFront = false;
  /// Layer scales, which multiply each channel of what attention and mlp add.
  std::optional<BareTensor> scale1;
  std::optional<BareTensor> scale2;
  /// True if their names say that they are layer scales.
  bool saysLayerScale = false;
  /// True if the names are those of PyTorch's nn.TransformerEncoderLayer.
  bool isTorchEncoderLayer = false;
  /// True if the names are those of a block of timm's ViT.
  bool isTimmBlock = false;
  /// True if the names are those of a block of Compact-Transformers ("Escaping the Big Data
  /// Paradigm with Compact Transformers", 2021, arXiv 2104.05704), whose mlp adds to the normed
  /// tokens.
  bool isCompactBlock = false;
  /// True if the names are those of a block of the GitHub repository jeonsworld/ViT-pytorch, which
  /// TransUNet and others took over.
  bool isJeonsworldBlock = false;
  /// True if the mlp's norm stands first in the Sequential of the mlp, and so precedes it.
  bool tellsNormsBefore = false;
};

/// Reads one block of `channels` wide tokens from its units. `tokens` is the number of tokens, if
/// it is known, or 0; `isOrdered` says whether the order of the units means anything. Throws a
/// ModelError that names the first tensor without a place, or the two ways to read the block.
BlockStructure readBlockStructure(const std::vector<TensorUnit>& units, const std::string& block,
                                  std::int64_t channels, std::int64_t tokens, bool isOrdered);

/// Return the number of outputs and that of inputs of a unit's matrix, which is stored as [outputs,
/// inputs] unless `isTransposed`.
std::int64_t outputsOf(const TensorUnit& unit, bool isTransposed);
std::int64_t inputsOf(const TensorUnit& unit, bool isTransposed);

/// Returns a product of a unit with a matrix, stored as [outputs, inputs] unless `isTransposed`.
ProductPart productOf(const TensorUnit& unit, bool isTransposed);

/// Returns `patch_embed.proj [32, 3, 8, 8]`, for messages.
std::string unitText(const TensorUnit& unit);

}  // namespace softscope
