#include "models/structure/StructureSettings.h"

#include "core/Error.h"
#include "core/model/InputSize.h"
#include "core/model/SettingOption.h"
#include "core/text/Words.h"
#include "models/identify/Metadata.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ShapeReader.h"
#include "models/structure/SaidValues.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace softscope {

namespace {

using Values = StructureSettings;
using Words = std::vector<std::string>;

constexpr const char* noWeight = "no weight tells it";
constexpr const char* library = "as in the library whose names these are";

/// One setting with its usual value and its choices, before options and files are asked.
struct StructureQuestion {
  std::string option;
  std::string usual;
  Words choices;
  /// The evidence in the file that tells the value; empty if there is none.
  std::string told;
  /// Why nothing tells it.
  std::string why = noWeight;
  /// True if any value that the option accepts will do.
  bool isOpen = false;
};

template <typename T>
using NamedValues = std::vector<std::pair<const char*, T>>;

template <typename T>
T valueNamed(const NamedValues<T>& values, const std::string& name) {
  for (const auto& [known, value] : values) {
    if (name == known) return value;
  }
  return values.front().second;
}

/// Answers one question after another, and keeps the answers.
class StructureSettling {
 public:
  StructureSettling(const TransformerStructure& structure, const ModelHints& hints)
      : structure_(structure), attention_(structure.block.attention), hints_(hints) {}

  SettledStructure run() {
    settleHeads();
    settleMechanism();
    settleProjections();
    settleMlp();
    settleNorms();
    settlePooling();
    settleFinalNorm();
    settleLayerScale();
    settlePatches();
    settleHead();
    if (structure_.isMaskedAutoencoder) {
      answer({.option = "part",
              .usual = "encoder",
              .choices = {"encoder"},
              .told = "since the decoder is left out"});
    }
    return std::move(settled_);
  }

 private:
  /// Determines a setting and describes it.
  std::string answer(const StructureQuestion& question) {
    NetworkSetting setting{.option = question.option, .value = question.usual, .source = "assumed"};
    const auto asked = askedValue(question);
    const auto said =
        saidValue(question.option, question.isOpen ? Words{} : question.choices, hints_);
    if (!question.told.empty()) {
      setting.source = question.told;
    } else if (said && isAccepted(question, said->text)) {
      setting.value = said->text;
      setting.source = said->source;
    } else if (!asked) {
      setting.why = question.why;
    }
    const bool isKnown = setting.source != "assumed";
    if (asked) {
      setting.isCounterfactual = isKnown && setting.value != *asked;
      setting.value = *asked;
      setting.source = "chosen with --" + question.option;
    }
    setting.choices = question.choices;
    std::erase(setting.choices, setting.value);
    setting.choices.insert(setting.choices.begin(), setting.value);
    settled_.described.push_back(setting);
    return setting.value;
  }

  bool isAccepted(const StructureQuestion& question, const std::string& value) const {
    if (std::ranges::find(question.choices, value) != question.choices.end()) return true;
    const SettingOption* option = findSettingOption(question.option);
    if (option != nullptr) return question.isOpen && option->accepts(value);
    return question.isOpen && parseNumber(value).has_value();
  }

  std::optional<std::string> askedValue(const StructureQuestion& question) const {
    std::optional<std::string> asked;
    if (question.option == "attention") asked = hints_.attention;
    if (question.option == "landmarks" && hints_.landmarks.isTrained() && hints_.landmarks.count) {
      asked = std::to_string(*hints_.landmarks.count);
    }
    const auto found = hints_.settings.find(question.option);
    if (found != hints_.settings.end()) asked = found->second;
    if (!asked) return std::nullopt;
    if (question.option.starts_with("epsilon")) {
      asked = epsilonText(parseEpsilon(*asked).value_or(0));
    }
    if (asked == "features") asked = "none";
    if (isAccepted(question, *asked)) return asked;
    throw ModelError(
        "--" + question.option + " is " + listedWithOr(question.choices) + " for this network" +
        (question.told.empty() ? "" : " (" + question.told + ")") + ", not \"" + *asked + "\"");
  }

  /// Heads are 4 in most self-written networks of up to 256 channels, and 64 wide in larger ones.
  int usualHeads() const {
    constexpr std::int64_t narrow = 256;
    constexpr int fewHeads = 4;
    constexpr std::int64_t headWidth = 64;
    const std::int64_t inner = attention_.inner;
    std::int64_t heads = structure_.channels <= narrow
                             ? fewHeads
                             : std::max<std::int64_t>(1, structure_.channels / headWidth);
    while (heads > 1 && inner % heads != 0) --heads;
    return static_cast<int>(heads);
  }

  void settleHeads() {
    const auto inner = static_cast<int>(attention_.inner);
    if (attention_.heads > 0) {
      if (inner % attention_.heads != 0) {
        throw ModelError("ambiguous block: its " + std::to_string(inner) +
                         " channels do not divide among " + countedText(attention_.heads, "head"));
      }
      if (hints_.heads && hints_.heads->last() != attention_.heads) {
        throw ModelError("its shapes say " + countedText(attention_.heads, "head") +
                         "; leave out --heads");
      }
      settled_.values.heads = attention_.heads;
      settled_.described.push_back({.option = "heads",
                                    .value = std::to_string(attention_.heads),
                                    .source = "from the weights' shapes",
                                    .choices = {std::to_string(attention_.heads)}});
      return;
    }
    DefaultHeads usual{.heads = usualHeads(),
                       .reason = "the weights are the same for any number",
                       .possible = possibleHeads(inner)};
    ModelHints hints = hints_;
    if (const auto said = saidValue("heads", {}, hints_)) {
      const auto counts = parseHeadCounts(said->text);
      if (counts && inner % counts->last() == 0) {
        usual = certainHeads(counts->last(), said->source);
        usual.possible = possibleHeads(inner);
      }
    }
    hints.metadata.clear();
    hints.configuration = {};
    const ResolvedHeads heads = resolveHeads(inner, usual, hints);
    settled_.values.heads = heads.heads;
    settled_.headsAlternatives = heads.alternatives;
    settled_.described.push_back(heads.setting);
  }

  void settleMechanism() {
    using Mechanism = Values::Mechanism;
    const NamedValues<Mechanism> all{
        {"softmax", Mechanism::Softmax},     {"elu1", Mechanism::Elu},
        {"softmax2", Mechanism::Efficient},  {"linformer", Mechanism::Linformer},
        {"performer", Mechanism::Performer}, {"nystrom", Mechanism::Nystrom},
    };
    StructureQuestion question{.option = "attention",
                               .usual = "softmax",
                               .choices = {"softmax", "elu1", "softmax2"},
                               .why = "softmax and linear attention have the same weights"};
    const std::pair<AttentionExtra, const char*> told[] = {{AttentionExtra::Linformer, "linformer"},
                                                           {AttentionExtra::Performer, "performer"},
                                                           {AttentionExtra::Nystrom, "nystrom"}};
    for (const auto& [extra, name] : told) {
      if (attention_.extra != extra) continue;
      question.usual = name;
      question.choices = {name};
      question.told = "by " + structure_.blocks.front() + attention_.extraTensors.front();
    }
    // timm's names do not tell the mechanism: people put other attention into its blocks.
    if (attention_.isMultiheadAttention || structure_.isVitPytorch) {
      if (question.told.empty()) question.told = library;
      if (attention_.isMultiheadAttention) question.choices = {question.usual};
    }
    settled_.mechanism = answer(question);
    settled_.values.mechanism = valueNamed(all, settled_.mechanism);
    settled_.mechanisms = settled_.described.back().choices;
    if (settled_.values.mechanism == Values::Mechanism::Efficient) {
      settled_.values.scalesQueries =
          answer({.option = "qscale", .usual = "0", .choices = {"0", "1"}}) == "1";
    }
    if (settled_.values.mechanism == Values::Mechanism::Nystrom) settleLandmarks();
  }

  void settleLandmarks() {
    constexpr int usualLandmarks = 256;
    const std::string landmarks =
        answer({.option = "landmarks",
                .usual = std::to_string(usualLandmarks),
                .choices = {std::to_string(usualLandmarks), "64", "32", "16"},
                .isOpen = true});
    settled_.values.landmarks = std::clamp(std::atoi(landmarks.c_str()), 1, 1 << 16);
    const std::string steps =
        answer({.option = "iters", .usual = "6", .choices = {"6"}, .isOpen = true});
    settled_.values.iterations = std::clamp(std::atoi(steps.c_str()), 0, 100);
  }

  void settleProjections() {
    const bool isKnown =
        attention_.isMultiheadAttention || structure_.block.isTimmBlock || structure_.isVitPytorch;
    const std::string told = isKnown ? library : "";
    const bool isPacked = attention_.layout == ProjectionLayout::Packed ||
                          attention_.layout == ProjectionLayout::KeyValue;
    if (isPacked) {
      using Order = Values::PackedOrder;
      settled_.values.packed = valueNamed<Order>(
          {{"3hd", Order::Chunks}, {"h3d", Order::HeadsFirst}, {"hd3", Order::HeadsThenWidth}},
          answer({.option = "qkv",
                  .usual = "3hd",
                  .choices =
                      attention_.isMultiheadAttention ? Words{"3hd"} : Words{"3hd", "h3d", "hd3"},
                  .told = told}));
    }
    if (settled_.values.mechanism != Values::Mechanism::Softmax) return;
    using Scale = Values::Scale;
    settled_.values.scale = valueNamed<Scale>(
        {{"head", Scale::Head}, {"width", Scale::Width}, {"none", Scale::None}},
        answer({.option = "scale",
                .usual = "head",
                .choices = attention_.isMultiheadAttention ? Words{"head"}
                                                           : Words{"head", "width", "none"},
                .told = told}));
  }

  void settleMlp() {
    const bool isTorch = structure_.block.isTorchEncoderLayer;
    StructureQuestion question{.option = "activation",
                               .usual = isTorch ? "relu" : "gelu",
                               .choices = {"gelu", "relu", "gelu_tanh", "quick_gelu", "silu"}};
    if (!structure_.block.expand) question.told = "which nothing uses, since there is no mlp";
    settled_.values.activation = answer(question);
  }

  void settleNorms() {
    const bool hasAny = structure_.block.norm1 || structure_.norm || structure_.poolingNorm;
    const bool hasPlain = !structure_.block.norm1;
    if (hasPlain) {
      settled_.values.hasPlainNorms =
          answer({.option = "plain-norms",
                  .usual = "no",
                  .choices = {"no", "yes"},
                  .why = "norms without weights leave nothing in a file"}) == "yes";
    }
    const bool uses = !hasPlain || settled_.values.hasPlainNorms;
    StructureQuestion epsilon{.option = "epsilon",
                              .usual = "1e-05",
                              .choices = {"1e-05", "1e-06", "1e-12"},
                              .isOpen = true};
    if (!uses && !hasAny && !structure_.patches.normAfter) {
      epsilon.told = "which nothing uses, since there are no norms";
    }
    const std::string outside = answer(epsilon);
    settled_.values.epsilon = parseEpsilon(outside).value_or(1e-5);
    settled_.values.epsilonOfBlocks = settled_.values.epsilon;
    if (uses) settleEpsilonOfBlocks(outside);
    settlePlaceOfNorms(uses);
    settleOneNorm();
    settleNormsWithoutBias();
  }

  /// Blocks have the epsilon of the other norms unless something says otherwise.
  void settleEpsilonOfBlocks(const std::string& outside) {
    const std::string inside = answer({.option = "epsilon-blocks",
                                       .usual = outside,
                                       .choices = {outside},
                                       .told = "as --epsilon",
                                       .isOpen = true});
    settled_.values.epsilonOfBlocks = parseEpsilon(inside).value_or(1e-5);
    settled_.described.back().isCounterfactual = false;
  }

  void settlePlaceOfNorms(bool uses) {
    StructureQuestion question{.option = "norm",
                               .usual = structure_.block.isTorchEncoderLayer ? "post" : "pre",
                               .choices = {"pre", "post"}};
    if (!uses) {
      question.usual = "none";
      question.choices = {"none", "pre", "post"};
      question.told = "since the blocks have no norms";
    } else if (structure_.block.tellsNormsBefore) {
      question.told = "since the mlp's norm stands first in its Sequential";
      question.choices = {"pre"};
    } else if (structure_.block.isTimmBlock) {
      question.told = "as in timm's blocks, whose names these are";
    }
    const std::string place = answer(question);
    settled_.values.norms = place == "post" ? Values::Norms::After : Values::Norms::Before;
    if (!uses || place == "none") {
      settled_.values.norms = Values::Norms::None;
      settled_.described.back().isCounterfactual = false;
    }
  }

  /// Asks what norms without a bias are, unless their names say it.
  void settleNormsWithoutBias() {
    const AttentionStructure& attention = structure_.block.attention;
    std::string name;
    for (const auto& norm : {structure_.block.norm1, structure_.block.norm2, attention.queryNorm,
                             attention.keyNorm, structure_.norm, structure_.poolingNorm,
                             structure_.patches.normBefore, structure_.patches.normAfter}) {
      if (norm && norm->bias.empty()) name = norm->weight;
    }
    if (name.empty()) return;
    StructureQuestion question{.option = "norm-without-bias",
                               .usual = "layer",
                               .choices = {"layer", "rms"},
                               .why =
                                   "an RMS norm and a layer norm without a bias have the same "
                                   "weights"};
    if (mentions(lowerCase(name), {"rms"})) {
      question.usual = "rms";
      question.choices = {"rms", "layer"};
      question.told = "by its name";
    }
    if (answer(question) == "rms") settled_.values.withoutBias = PlainScaleNorm::Rms;
  }

  void settleOneNorm() {
    using OneNorm = Values::OneNorm;
    const BlockStructure& block = structure_.block;
    if (!block.norm1 || !block.norm2 || block.norm1->weight != block.norm2->weight) return;
    settled_.values.oneNorm =
        valueNamed<OneNorm>({{"both", OneNorm::BothInTurn},
                             {"parallel", OneNorm::BothAtOnce},
                             {"attention", OneNorm::Attention}},
                            answer({.option = "one-norm",
                                    .usual = "both",
                                    .choices = {"both", "parallel", "attention"},
                                    .why = "a block has one norm for attention and mlp"}));
  }

  void settlePooling() {
    using Pooling = Values::Pooling;
    StructureQuestion question{.option = "pooling", .usual = "cls", .choices = {}};
    if (structure_.head.empty()) {
      question.usual = "none";
      question.choices = {"none"};
      question.told = "since there is no head";
    } else if (structure_.isFlattened) {
      question.usual = "flatten";
      question.choices = {"flatten"};
      question.told = "by the head's width";
    } else if (structure_.classToken) {
      question.choices = {"cls", "mean", "mean_patches", "max"};
    } else if (structure_.registerCount > 0) {
      question.usual = "mean_patches";
      question.choices = {"mean_patches", "mean", "max"};
    } else {
      question.usual = "mean";
      question.choices = {"mean", "mean_patches", "max"};
      if (structure_.isVitPytorch) question.told = library;
    }
    settled_.values.pooling = valueNamed<Pooling>({{"cls", Pooling::ClassToken},
                                                   {"mean", Pooling::AllTokens},
                                                   {"mean_patches", Pooling::Patches},
                                                   {"max", Pooling::Largest},
                                                   {"flatten", Pooling::Flattened},
                                                   {"none", Pooling::None}},
                                                  answer(question));
  }

  /// Asks where the norm outside the blocks acts. The class token's norm is the same before and
  /// after it is taken out.
  void settleFinalNorm() {
    using FinalNorm = Values::FinalNorm;
    using Pooling = Values::Pooling;
    if (!structure_.norm) return;
    const Pooling pooling = settled_.values.pooling;
    const bool isMean =
        pooling == Pooling::AllTokens || pooling == Pooling::Patches || pooling == Pooling::Largest;
    StructureQuestion question{.option = "final-norm", .usual = "tokens", .choices = {"tokens"}};
    if (isMean) question.choices.emplace_back("pooled");
    if (structure_.mayNormPrecedeBlocks) question.choices.emplace_back("front");
    question.why = "no weight tells whether " + structure_.norm->weight +
                   (structure_.mayNormPrecedeBlocks ? " acts in front of the blocks or behind them"
                                                    : " acts on tokens or on what is pooled");
    if (structure_.isNormOfBlocks) {
      question.told = "since it stands in the module of the blocks";
    } else if (structure_.block.isTimmBlock || structure_.isVitPytorch) {
      question.told = library;
    } else if (question.choices.size() == 1) {
      question.told = pooling == Pooling::ClassToken ? "which is the same for the class token"
                                                     : "since nothing is pooled";
    }
    settled_.values.finalNorm = valueNamed<FinalNorm>({{"tokens", FinalNorm::OfTokens},
                                                       {"pooled", FinalNorm::OfPooled},
                                                       {"front", FinalNorm::InFront}},
                                                      answer(question));
  }

  /// Asks how far apart patches are, which the number of positions tells only together with the
  /// picture's size.
  void settleStride() {
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
                             .isOpen = true};
    if (stride.told.empty() && isOfLibrary()) stride.told = library;
    answer(stride);
    answer({.option = "padding",
            .usual = std::to_string(patches.padding),
            .choices = words(read.possiblePaddings),
            .told = read.paddingTold,
            .why = "the weights are the same for any padding",
            .isOpen = true});
  }

  bool isOfLibrary() const { return structure_.block.isTimmBlock || structure_.isVitPytorch; }

  void settlePatches() {
    const PatchStructure& patches = structure_.patches;
    if (patches.isProduct) {
      StructureQuestion question{.option = "pixels",
                                 .usual = patches.followsRearrangement ? "p1_p2_c" : "c_p1_p2",
                                 .choices = {"c_p1_p2", "p1_p2_c"}};
      if (patches.pictureChannels == 1) {
        question.told = "which is the same for a single channel";
      }
      settled_.values.channelsLast = answer(question) == "p1_p2_c";
      if (patches.pictureChannels == 1) settled_.described.back().isCounterfactual = false;
    }
    settleStride();
    settlePositions();
    settlePatchNorm();
    settleTokenScale();
  }

  /// Asks which tokens a norm of the patch embedding sees, where it may follow the positions.
  void settlePatchNorm() {
    using Positions = Values::Positions;
    const PatchStructure& patches = structure_.patches;
    const Positions positions = settled_.values.positions;
    const bool areComputed = positions != Positions::None && positions != Positions::Stored;
    const bool mayFollow = patches.mayNormFollowPositions || (areComputed && !patches.isProduct);
    if (!patches.normAfter || !mayFollow) return;
    const std::string norm = patches.normAfter->weight;
    settled_.values.isPatchNormOfTokens =
        answer({.option = "patch-norm",
                .usual = "patches",
                .choices = {"patches", "tokens"},
                .why = areComputed ? "nothing tells whether positions are added before " + norm
                                   : norm + " stands beside the positions and the tokens"}) ==
        "tokens";
  }

  void settleTokenScale() {
    using TokenScale = Values::TokenScale;
    StructureQuestion question{.option = "token-scale",
                               .usual = "none",
                               .choices = {"none", "sqrt-width", "sqrt-width-patches"}};
    if (isOfLibrary()) question.told = library;
    settled_.values.tokenScale =
        valueNamed<TokenScale>({{"none", TokenScale::None},
                                {"sqrt-width", TokenScale::Tokens},
                                {"sqrt-width-patches", TokenScale::Patches}},
                               answer(question));
  }

  void settleClassToken() {
    if (!structure_.classToken) return;
    StructureQuestion question{
        .option = "class-token", .usual = "first", .choices = {"first", "last"}};
    if (isOfLibrary()) question.told = library;
    settled_.values.isClassTokenLast = answer(question) == "last";
  }

  void settlePositions() {
    using Positions = Values::Positions;
    StructureQuestion question{.option = "positions", .usual = "none", .choices = {}};
    if (structure_.positions) {
      question.usual = "learned";
      question.choices = {"learned"};
      question.told = "from the file";
    } else {
      question.choices = {"none", "sincos1d", "sincos2d", "sincos2d_mae"};
      question.why = "the file holds none, and positions that are computed leave nothing in it";
    }
    settled_.values.positions =
        valueNamed<Positions>({{"none", Positions::None},
                               {"learned", Positions::Stored},
                               {"sincos1d", Positions::SinesOfTokens},
                               {"sincos2d", Positions::SinesOfRowsAndColumns},
                               {"sincos2d_mae", Positions::SinesWithPeriodsOfMae}},
                              askedStored(question));
    settleSines();
    settleClassToken();
    settlePrefixPositions();
    settleRegisters();
  }

  /// Asks how sines and cosines of computed positions share the channels.
  void settleSines() {
    using Positions = Values::Positions;
    const Positions positions = settled_.values.positions;
    if (positions == Positions::None || positions == Positions::Stored) return;
    const bool isOfTokens = positions == Positions::SinesOfTokens;
    StructureQuestion question{
        .option = "sines",
        .usual = isOfTokens ? "interleaved" : "halves",
        .choices = isOfTokens ? Words{"interleaved", "halves"} : Words{"halves", "interleaved"},
        .why = "the file holds no positions"};
    if (structure_.isVitPytorch && !isOfTokens) {
      question.told = library;
    }
    settled_.values.sines =
        answer(question) == "halves" ? SineOrder::Halves : SineOrder::Interleaved;
  }

  /// Asks how many tokens in front of the patches have positions, where no table tells.
  void settlePrefixPositions() {
    using Positions = Values::Positions;
    settled_.values.prefixPositions = structure_.prefixPositions;
    const Positions positions = settled_.values.positions;
    const bool isOfTokens = positions == Positions::Stored || positions == Positions::SinesOfTokens;
    if (!isOfTokens) settled_.values.prefixPositions = 0;
    if (!isOfTokens || structure_.possiblePrefixPositions.empty()) return;
    Words choices{std::to_string(structure_.prefixPositions)};
    for (const std::int64_t count : structure_.possiblePrefixPositions) {
      if (count != structure_.prefixPositions) choices.push_back(std::to_string(count));
    }
    settled_.values.prefixPositions =
        std::atoll(answer({.option = "prefix-positions",
                           .usual = choices.front(),
                           .choices = choices,
                           .why = "no table is as long as the tokens that have positions"})
                       .c_str());
  }

  void settleRegisters() {
    if (structure_.registerCount == 0) return;
    StructureQuestion question{
        .option = "registers",
        .usual = structure_.registersLast ? "behind" : "before",
        .choices = structure_.registersLast ? Words{"behind", "before"} : Words{"before", "behind"},
        .why = "their place is seen in maps alone"};
    if (structure_.registersLast) question.told = library;
    settled_.values.areRegistersBehind = answer(question) == "behind";
    if (settled_.values.areRegistersBehind &&
        settled_.values.prefixPositions > std::int64_t{structure_.classToken.has_value()}) {
      throw ModelError(
          "its positions are of the registers, too, which therefore stand before the patches; "
          "leave out --registers, or give --prefix-positions");
    }
  }

  /// Positions that are in the file count as they are, whatever made them.
  std::string askedStored(StructureQuestion question) {
    const auto asked = hints_.settings.find("positions");
    const bool isStored = structure_.positions && asked != hints_.settings.end() &&
                          asked->second.starts_with("sincos");
    if (!isStored) return answer(question);
    settled_.described.push_back({.option = "positions",
                                  .value = "learned",
                                  .source = question.told,
                                  .choices = {"learned"}});
    return "learned";
  }

  void settleLayerScale() {
    const BlockStructure& block = structure_.block;
    if (!block.scale1 && !block.scale2) return;
    StructureQuestion question{.option = "layer-scale",
                               .usual = "branches",
                               .choices = {"branches", "skips"},
                               .why = "names do not say what " + structure_.blocks.front() +
                                      (block.scale1 ? block.scale1->name : block.scale2->name) +
                                      " multiplies"};
    if (block.saysLayerScale) question.told = "by their names";
    settled_.values.scalesSkips = answer(question) == "skips";
  }

  void settleHead() {
    if (structure_.head.size() < 2) return;
    settled_.values.headActivation = answer({.option = "head-activation",
                                             .usual = "gelu",
                                             .choices = {"gelu", "tanh", "relu", "none"}});
  }

  const TransformerStructure& structure_;
  const AttentionStructure& attention_;
  const ModelHints& hints_;
  SettledStructure settled_;
};

}  // namespace

SettledStructure settleStructure(const TransformerStructure& structure, const ModelHints& hints) {
  return StructureSettling(structure, hints).run();
}

namespace {

std::optional<SaidSize> saidPictureSize(const ModelHints& hints) {
  constexpr std::int64_t longestSide = 8192;
  const auto said = saidValue("size", {}, hints);
  if (!said) return std::nullopt;
  std::vector<std::int64_t> sides;
  const char* at = said->text.data();
  const char* end = at + said->text.size();
  while (at < end && sides.size() < 3) {
    std::int64_t side = 0;
    const auto [stop, error] = std::from_chars(at, end, side);
    if (error != std::errc() || side < 1 || side > longestSide) return std::nullopt;
    sides.push_back(side);
    at = stop < end && (*stop == ',' || *stop == 'x') ? stop + 1 : end;
  }
  if (sides.empty() || sides.size() > 3) return std::nullopt;
  return SaidSize{sides.size() == 3 ? sides[1] : sides.front(), sides.back()};
}

std::optional<SaidSize> chosenPictureSize(const ModelHints& hints) {
  const auto chosen = parseInputSize(hints.size.value_or(""));
  if (!chosen || chosen->height == 0) return std::nullopt;
  return SaidSize{chosen->height, chosen->width};
}

}  // namespace

SaidGrid saidGrid(const ModelHints& hints) {
  const auto text = [&](const std::string& option) -> std::optional<std::string> {
    const auto asked = hints.settings.find(option);
    if (asked != hints.settings.end()) return asked->second;
    const auto beside = saidValue(option, {}, hints);
    if (!beside || !findSettingOption(option)->accepts(beside->text)) return std::nullopt;
    return beside->text;
  };
  const auto number = [&](const std::string& option) -> std::optional<std::int64_t> {
    const auto said = text(option);
    return said ? std::optional<std::int64_t>(std::atoll(said->c_str())) : std::nullopt;
  };
  const auto stride = text("stride");
  return {saidPictureSize(hints), chosenPictureSize(hints), number("prefix-positions"),
          stride ? parseStride(*stride) : std::nullopt, number("padding")};
}

}  // namespace softscope
