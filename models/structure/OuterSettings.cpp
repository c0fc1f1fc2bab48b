#include "core/text/Words.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/ResolvedSetting.h"
#include "models/structure/HeadProducts.h"
#include "models/structure/StructureAnswers.h"
#include "models/structure/StructureSettings.h"

#include <algorithm>
#include <string>
#include <vector>

namespace softscope {
namespace {

/// Resolves what stands around the blocks.
class OuterResolver : StructureAnswers {
 public:
  using StructureAnswers::StructureAnswers;

  void resolvePooling() {
    using Pooling = Values::Pooling;
    StructureQuestion question{.option = "pooling", .usual = "cls", .choices = {}};
    if (structure_.head.empty()) {
      question.usual = "none";
      question.choices = {"none"};
      question.told = "since there is no head";
    } else if (structure_.isFlattened()) {
      question.usual = structure_.flattensPatches ? "flatten_patches" : "flatten";
      question.choices = {question.usual};
      if (structure_.flattenDoubt.empty()) {
        question.told = "by the head's width";
      } else {
        question.choices.emplace_back(structure_.flattensPatches ? "flatten" : "flatten_patches");
        question.why = structure_.flattenDoubt;
      }
    } else if (structure_.classToken) {
      question.choices = {"cls", "mean", "mean_patches", "max", "max_patches", "avgmax"};
    } else if (structure_.registerCount > 0) {
      question.usual = "mean_patches";
      question.choices = {"mean_patches", "mean", "max", "max_patches", "avgmax"};
    } else {
      question.usual = "mean";
      question.choices = {"mean", "mean_patches", "max", "max_patches", "avgmax"};
      if (structure_.isVitPytorch) question.told = library;
    }
    requireTimmsPooling(question.choices);
    resolved_.values.pooling = valueNamed<Pooling>({{"cls", Pooling::ClassToken},
                                                    {"mean", Pooling::AllTokens},
                                                    {"mean_patches", Pooling::Patches},
                                                    {"max", Pooling::Largest},
                                                    {"max_patches", Pooling::LargestOfPatches},
                                                    {"avgmax", Pooling::MeanAndLargestOfPatches},
                                                    {"flatten", Pooling::Flattened},
                                                    {"flatten_patches", Pooling::FlattenedPatches},
                                                    {"none", Pooling::None}},
                                                   answer(question));
  }

  /// Asks where the norm outside the blocks acts. The class token's norm is the same before and
  /// after it is taken out.
  void resolveFinalNorm() {
    using FinalNorm = Values::FinalNorm;
    using Pooling = Values::Pooling;
    const Pooling pooling = resolved_.values.pooling;
    const bool isMean = pooling != Pooling::ClassToken && pooling != Pooling::Flattened &&
                        pooling != Pooling::FlattenedPatches && pooling != Pooling::None;
    if (!structure_.norm) return resolvePlainFinalNorm(isMean);
    StructureQuestion question{.option = "final-norm", .usual = "tokens", .choices = {"tokens"}};
    if (isMean) question.choices.emplace_back("pooled");
    // timm calls the norm of what is pooled fc_norm.
    const bool saysPooled = mentions(lowerCase(structure_.norm->weight), {"fc_norm", "pool"});
    if (isMean && (structure_.isNormOfHead || saysPooled)) question.usual = "pooled";
    if (structure_.mayNormPrecedeBlocks) question.choices.emplace_back("front");
    question.why = "no weight tells whether " + structure_.norm->weight +
                   (structure_.mayNormPrecedeBlocks ? " acts in front of the blocks or behind them"
                                                    : " acts on tokens or on what is pooled");
    if (structure_.isNormOfBlocks) {
      question.told = "since it stands in the module of the blocks";
    } else if (structure_.isVitPytorch && !structure_.isNormOfHead) {
      question.told = library;
    } else if (question.choices.size() == 1) {
      question.told = pooling == Pooling::ClassToken ? "which is the same for the class token"
                                                     : "since nothing is pooled";
    }
    resolved_.values.finalNorm = valueNamed<FinalNorm>({{"tokens", FinalNorm::OfTokens},
                                                        {"pooled", FinalNorm::OfPooled},
                                                        {"front", FinalNorm::InFront}},
                                                       answer(question));
  }

  void resolvePatches() {
    const PatchStructure& patches = structure_.patches;
    if (patches.isProduct) resolvePixels();
    resolveStride();
    resolvePositions();
    resolvePatchNorm();
    resolveTokenScale();
  }

  void resolveHead() {
    const std::vector<ProductPart>& head = structure_.head;
    bool isAsked = false;
    for (std::size_t i = 0; i + 1 < head.size(); ++i) isAsked = isAsked || isActivated(head, i);
    if (!isAsked) return;
    // The pooler of BERT and its relatives, and of timm's first vision transformers.
    const bool isPooler = std::any_of(head.begin(), head.end() - 1, [](const ProductPart& product) {
      return saysPooler(product.weight);
    });
    resolved_.values.headActivation =
        answer({.option = "head-activation",
                .usual = isPooler ? "tanh" : "gelu",
                .choices = {"gelu", "tanh", "relu", "silu", "elu", "leaky_relu", "none"}});
    if (resolved_.described.back().isUndetermined()) refuseMixedJoints(head);
  }

 private:
  /// Returns true for the names of vit-pytorch's SimpleViT, older versions and relatives of it
  /// included, which have neither class token nor table.
  bool isSimpleVit() const {
    const bool isOfRelative = mentions(structure_.patches.weight, {"to_patch_embedding."}) &&
                              !structure_.classToken && !structure_.head.empty() &&
                              mentions(structure_.head.front().weight, {"linear_head."});
    return structure_.isVitPytorch || isOfRelative;
  }

  /// Throws ModelError if config.json says that timm's blocks are pooled otherwise than by any of
  /// these choices, and nothing stronger says how.
  void requireTimmsPooling(const Words& choices) {
    if (!structure_.block.isTimmBlock || structure_.head.empty() || structure_.isFlattened()) {
      return;
    }
    if (isToldBeforeConfiguration({.option = "pooling", .choices = choices}, hints_)) return;
    const ConfigurationFile* said = configuration();
    Words computed{"mean", "max"};
    if (structure_.classToken) computed.insert(computed.begin(), "cls");
    if (configuredValue(said, "pool_include_prefix") != "true") computed.emplace_back("avgmax");
    requireConfiguredPoolingWord(said, computed, "this network");
  }

  /// Asks for a norm behind the blocks that has no weights, which blocks with norms in front of
  /// attention and mlp may have.
  void resolvePlainFinalNorm(bool isMean) {
    if (structure_.poolingNorm) return;
    StructureQuestion question{.option = "final-norm",
                               .usual = "none",
                               .choices = {"none", "plain"},
                               .why = "a norm without weights leaves nothing in a file"};
    if (resolved_.values.norms == Values::Norms::After) {
      question.told = "since the blocks end with norms";
    } else if (resolved_.values.norms == Values::Norms::None) {
      question.told = "since the blocks have no norms";
    }
    if (isMean) question.choices.emplace_back("plain-pooled");
    if (structure_.isVitPytorch) question.told = library;
    const std::string place = answer(question);
    resolved_.values.hasPlainFinalNorm = place != "none";
    if (place == "plain-pooled") resolved_.values.finalNorm = Values::FinalNorm::OfPooled;
  }

  /// Asks for the order of a patch's pixels. A single channel is the same first and last.
  void resolvePixels() {
    const PatchStructure& patches = structure_.patches;
    const bool isGrey = patches.pictureChannels == 1;
    StructureQuestion question{.option = "pixels",
                               .usual = patches.followsRearrangement ? "p1_p2_c" : "c_p1_p2",
                               .choices = {"c_p1_p2", "p1_p2_c", "c_p2_p1", "p2_p1_c"}};
    if (isGrey) {
      question.usual = "c_p1_p2";
      question.choices = {"c_p1_p2", "c_p2_p1"};
      question.isOpen = true;
      question.why =
          "the weights are the same for columns one after another, and for other cuts, "
          "such as rows of the picture";
    }
    const bool isOnePixel = patches.height == 1 && patches.width == 1;
    if (isOnePixel) question.told = "since a patch is one pixel";
    if (isGrey && structure_.isVitPytorch) question.told = library;
    const std::string order = answer(question);
    resolved_.values.channelsLast = order.ends_with("_c");
    resolved_.values.columnsFirst = mentions(order, {"p2_p1"});
    if (isGrey || isOnePixel) resolved_.described.back().isCounterfactual = false;
  }

  /// Asks how far apart patches are, which the number of positions tells only together with the
  /// picture's size.
  void resolveStride() {
    const StrideReading& read = structure_.stride;
    const auto words = [](const std::vector<std::int64_t>& numbers) {
      Words all;
      for (const std::int64_t number : numbers) all.push_back(std::to_string(number));
      return all;
    };
    const PatchStructure& patches = structure_.patches;
    Words strides = words(read.possible);
    if (patches.strideDown != patches.strideAcross) {
      strides.front() += "x" + std::to_string(patches.strideAcross);
    }
    StructureQuestion stride{.option = "stride",
                             .usual = strides.front(),
                             .choices = strides,
                             .told = read.told,
                             .why = read.why,
                             .isOpen = true,
                             .isSaidElsewhere = !read.contradictsSaid};
    if (stride.told.empty() && isOfLibrary()) stride.told = library;
    answer(stride);
    answer({.option = "padding",
            .usual = std::to_string(patches.padding),
            .choices = words(read.possiblePaddings),
            .told = read.paddingTold,
            .why = "the weights are the same for any padding",
            .isOpen = true,
            .isSaidElsewhere = !read.contradictsSaid});
  }

  /// Asks which tokens a norm of the patch embedding sees, where it may follow the positions.
  void resolvePatchNorm() {
    using Positions = Values::Positions;
    const PatchStructure& patches = structure_.patches;
    const Positions positions = resolved_.values.positions;
    const bool areComputed = positions != Positions::None && !areStored(resolved_.values.positions);
    const bool mayFollow = patches.mayNormFollowPositions || (areComputed && !patches.isProduct);
    if (!patches.normAfter || !mayFollow) return;
    const std::string norm = patches.normAfter->weight;
    resolved_.values.isPatchNormOfTokens =
        answer({.option = "patch-norm",
                .usual = "patches",
                .choices = {"patches", "tokens"},
                .why = areComputed ? "nothing tells whether positions are added before " + norm
                                   : norm + " stands beside the positions and the tokens"}) ==
        "tokens";
  }

  void resolveTokenScale() {
    using TokenScale = Values::TokenScale;
    StructureQuestion question{.option = "token-scale",
                               .usual = "none",
                               .choices = {"none", "sqrt-width", "sqrt-width-patches"}};
    if (isOfLibrary()) question.told = library;
    resolved_.values.tokenScale =
        valueNamed<TokenScale>({{"none", TokenScale::None},
                                {"sqrt-width", TokenScale::Tokens},
                                {"sqrt-width-patches", TokenScale::Patches}},
                               answer(question));
  }

  void resolvePositions() {
    using Positions = Values::Positions;
    StructureQuestion question{.option = "positions", .usual = "none", .choices = {}};
    if (structure_.positions) {
      question.usual = "learned";
      question.choices = {"learned"};
      if (structure_.isTableSquare) {
        question.choices.emplace_back("learned_columns");
        question.why = structure_.positions->name +
                       " is as wide as it is long, and may have a column for each token";
      }
      if (!structure_.positionsDoubt.empty()) {
        question.choices.emplace_back("none");
        question.why = structure_.positionsDoubt;
      }
      if (question.choices.size() == 1) question.told = "from the file";
    } else {
      question.choices = {"none", "sincos1d", "sincos2d", "sincos2d_mae"};
      // SimpleViT's code always adds them. Their sines and cosines of two axes need four channels.
      if (isSimpleVit() && structure_.channels % 4 == 0) question.usual = "sincos2d";
      question.why = "the file holds none, and positions that are computed leave nothing in it";
    }
    const std::string positions = askedStored(question);
    if (structure_.positions && positions == "none") refuseNoPlace(structure_.positions->name);
    resolved_.values.positions =
        valueNamed<Positions>({{"none", Positions::None},
                               {"learned", Positions::Stored},
                               {"learned_columns", Positions::StoredInColumns},
                               {"sincos1d", Positions::SinesOfTokens},
                               {"sincos2d", Positions::SinesOfRowsAndColumns},
                               {"sincos2d_mae", Positions::SinesWithPeriodsOfMae}},
                              positions);
    resolveSines();
    resolveTokens(structure_, hints_, resolved_);
  }

  /// Asks how sines and cosines of computed positions share the channels.
  void resolveSines() {
    using Positions = Values::Positions;
    const Positions positions = resolved_.values.positions;
    if (positions == Positions::None || areStored(positions)) return;
    const bool isOfTokens = positions == Positions::SinesOfTokens;
    StructureQuestion question{
        .option = "sines",
        .usual = isOfTokens ? "interleaved" : "halves",
        .choices = isOfTokens ? Words{"interleaved", "halves"} : Words{"halves", "interleaved"},
        .why = "the file holds no positions"};
    if (structure_.isVitPytorch && !isOfTokens) {
      question.told = library;
    }
    resolved_.values.sines =
        answer(question) == "halves" ? SineOrder::Halves : SineOrder::Interleaved;
  }

  /// Positions that are in the file count as they are, whatever made them.
  std::string askedStored(StructureQuestion question) {
    const auto asked = hints_.settings.find("positions");
    const bool isStored = structure_.positions && asked != hints_.settings.end() &&
                          asked->second.starts_with("sincos");
    if (!isStored) return answer(question);
    resolved_.described.push_back({.option = "positions",
                                   .value = "learned",
                                   .source = question.told,
                                   .choices = {"learned"}});
    return "learned";
  }
};

}  // namespace

void resolvePooling(const TransformerStructure& structure, const ModelHints& hints,
                    ResolvedStructure& resolved) {
  OuterResolver outer(structure, hints, resolved);
  outer.resolvePooling();
  outer.resolveFinalNorm();
}

void resolvePatches(const TransformerStructure& structure, const ModelHints& hints,
                    ResolvedStructure& resolved) {
  OuterResolver(structure, hints, resolved).resolvePatches();
}

void resolveHead(const TransformerStructure& structure, const ModelHints& hints,
                 ResolvedStructure& resolved) {
  OuterResolver(structure, hints, resolved).resolveHead();
}

}  // namespace softscope
