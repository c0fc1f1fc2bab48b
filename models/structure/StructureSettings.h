#pragma once

#include "models/identify/Family.h"
#include "models/structure/PositionSines.h"
#include "models/structure/StructureLayers.h"
#include "models/structure/TransformerStructure.h"

#include <string>
#include <vector>

namespace softscope {

/// Everything that a transformer computes with and that its weights do not tell.
struct StructureSettings {
  enum class Norms {
    Before,
    BeforeBoth,  ///< as Before, while attention and mlp add to the normed tokens
    BeforeMlp,   ///< as Before, while the mlp alone adds to the normed tokens
    After,
    None
  };
  /// The uses of a norm that is the only one of a block.
  enum class OneNorm {
    BothInTurn,  ///< of the attention, and again of the mlp
    BothAtOnce,  ///< of both, which see the same tokens
    Attention,   ///< of the attention alone
    Mlp,         ///< of the mlp alone
  };
  enum class Pooling {
    ClassToken,
    AllTokens,                ///< mean of all tokens
    Patches,                  ///< mean of the patches
    Largest,                  ///< largest values of all tokens
    LargestOfPatches,         ///< largest values of the patches
    MeanAndLargestOfPatches,  ///< half of the mean and half of the largest values of the patches
    Flattened,
    FlattenedPatches,
    None
  };
  /// The places of the norm outside the blocks.
  enum class FinalNorm {
    OfTokens,  ///< of all tokens, behind the blocks
    OfPooled,  ///< of what the head sees
    InFront,   ///< of all tokens, in front of the blocks
  };
  /// The tokens that are multiplied by the root of their width before positions are added.
  enum class TokenScale { None, Tokens, Patches };
  enum class Positions {
    Stored,
    StoredInColumns,  ///< with a column for each token
    SinesOfTokens,
    SinesOfRowsAndColumns,
    SinesWithPeriodsOfMae,
    None
  };
  enum class PackedOrder { Chunks, HeadsFirst, HeadsThenWidth, WidthFirst };
  enum class Scale { Head, Width, None };
  enum class Mechanism {
    Softmax,
    Elu,
    Relu,
    Efficient,
    Linformer,
    Performer,
    ReluFeatures,  ///< Performer's generalised attention, whose features are ReLU's
    Nystrom
  };

  int heads = 1;
  Norms norms = Norms::Before;
  bool hasPlainNorms = false;
  NormKind plainNorms = NormKind::Layer;          ///< norms without weights
  NormKind withoutBias = NormKind::Layer;         ///< norms of tokens
  NormKind withoutBiasOfHeads = NormKind::Layer;  ///< norms of queries and keys
  NormKind underOwnNames = NormKind::Layer;       ///< norms whose weight has not PyTorch's name
  OneNorm oneNorm = OneNorm::BothInTurn;
  bool runsMlpFirst = false;  ///< in front of the attention of its block
  /// Name of an activation, as `--activation` takes it.
  std::string activation = "gelu";
  std::string headActivation = "gelu";
  bool isMlpActivatedTwice = false;  ///< behind the second product, too
  double epsilon = 1e-5;
  double epsilonOfBlocks = 1e-5;
  Pooling pooling = Pooling::ClassToken;
  bool channelsLast = false;  ///< in the pixels of a patch product
  bool columnsFirst = false;  ///< a patch product takes one column of a patch after another
  Positions positions = Positions::None;
  SineOrder sines = SineOrder::Interleaved;
  std::int64_t prefixPositions = 0;  ///< tokens in front of the patches that have positions
  bool areRegistersBehind = false;   ///< behind the patches, not between class token and patches
  bool isClassTokenLast = false;     ///< behind all other tokens, not before them
  TokenScale tokenScale = TokenScale::None;
  bool isPatchNormOfTokens = false;  ///< of all tokens once positions are added
  FinalNorm finalNorm = FinalNorm::OfTokens;
  bool hasPlainFinalNorm = false;  ///< one without weights, where the file has none
  bool scalesSkips = false;        ///< layer scales multiply what attention and mlp add to
  PackedOrder packed = PackedOrder::Chunks;
  std::string packedLetters;        ///< what a packed matrix makes, in its order: `kqv`
  Scale scale = Scale::Head;        ///< of the products of queries and keys
  Scale scaleBehind = Scale::None;  ///< of the softmax of these
  Mechanism mechanism = Mechanism::Softmax;
  bool scalesQueries = false;
  int landmarks = 0;
  int iterations = 6;
};

/// Returns true for positions that are in the file.
inline bool areStored(StructureSettings::Positions positions) {
  return positions == StructureSettings::Positions::Stored ||
         positions == StructureSettings::Positions::StoredInColumns;
}

/// Returns the kind of a norm that has weights; `withoutBias` is that of one without a bias.
inline NormKind kindOfNorm(const NormPart& part, const StructureSettings& settings,
                           NormKind withoutBias) {
  if (part.bias.empty()) return withoutBias;
  return part.hasOwnNames() ? settings.underOwnNames : NormKind::Layer;
}

/// Returns how many tokens stand behind the patches.
inline std::int64_t tokensBehind(const TransformerStructure& structure,
                                 const StructureSettings& settings) {
  const bool hasClassToken = settings.isClassTokenLast && structure.classToken;
  return (settings.areRegistersBehind ? structure.registerCount : 0) + (hasClassToken ? 1 : 0);
}

/// Settings with what decided them.
struct ResolvedStructure {
  StructureSettings values;
  /// Descriptions in the order of the command line's options, the heads first.
  std::vector<NetworkSetting> described;
  /// `softmax`, `elu1`, ...
  std::string mechanism;
  std::vector<std::string> mechanisms;
  std::vector<int> headsAlternatives;
};

/// Determines what the weights do not tell: from options; then from the file's metadata or its own
/// dictionary; then from the config.json beside it; otherwise the usual value is assumed. Throws
/// ModelError for values that the weights contradict.
ResolvedStructure resolveStructure(const TransformerStructure& structure, const ModelHints& hints);

/// Returns the picture's size that the file's dictionary or config.json says, under names such as
/// `image_size`, and how many tokens in front of the patches have positions.
SaidGrid saidGrid(const ModelHints& hints);

/// Resolves the heads, the mechanism, the projections, the mlp and the norms of the blocks. Throws
/// ModelError like resolveStructure().
void resolveBlocks(const TransformerStructure& structure, const ModelHints& hints,
                   ResolvedStructure& resolved);

/// Resolves where the norms of the blocks stand, and what these and the other norms compute. Throws
/// ModelError like resolveStructure().
void resolveBlockNorms(const TransformerStructure& structure, const ModelHints& hints,
                       ResolvedStructure& resolved);

/// Resolves what the layer scales of the blocks multiply, if there are any.
void resolveLayerScale(const TransformerStructure& structure, const ModelHints& hints,
                       ResolvedStructure& resolved);

/// Resolves which tokens the head sees, and where the norm behind the blocks acts.
void resolvePooling(const TransformerStructure& structure, const ModelHints& hints,
                    ResolvedStructure& resolved);

/// Resolves the patches, the positions and the tokens beside the patches. Throws ModelError like
/// resolveStructure().
void resolvePatches(const TransformerStructure& structure, const ModelHints& hints,
                    ResolvedStructure& resolved);

/// Resolves which tokens are in the sequence beside the patches, where they stand, and which of
/// them have positions. Throws ModelError like resolveStructure().
void resolveTokens(const TransformerStructure& structure, const ModelHints& hints,
                   ResolvedStructure& resolved);

/// Throws ModelError for a network whose vector or table `name` is no token and no positions, as
/// someone says.
[[noreturn]] void refuseNoPlace(const std::string& name);

/// Resolves the activation inside a head of several layers.
void resolveHead(const TransformerStructure& structure, const ModelHints& hints,
                 ResolvedStructure& resolved);

}  // namespace softscope
