#include "core/Error.h"
#include "core/text/Words.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedSetting.h"
#include "models/identify/ShapeReader.h"
#include "models/structure/ProjectionNames.h"
#include "models/structure/StructureAnswers.h"
#include "models/structure/StructureSettings.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace softscope {
namespace {

/// Settles how a block computes.
class BlockSettling : StructureAnswers {
 public:
  using StructureAnswers::StructureAnswers;

  void settle() {
    settleHeads();
    settleMechanism();
    settleProjections();
    settleMlp();
    settleFirstHalf();
    settleNorms();
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

 private:
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
      question.why = doubtOfExtra();
      if (question.why.empty()) {
        question.told = "by " + structure_.blocks.front() + attention_.extraTensors.front();
      } else if (extra == AttentionExtra::Nystrom) {
        question.choices.emplace_back("softmax");
      }
    }
    // timm's names do not tell the mechanism: people put other attention into its blocks.
    const bool isPlain = attention_.extra == AttentionExtra::None;
    if (isPlain && (attention_.isMultiheadAttention || structure_.isVitPytorch)) {
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

  /// Returns why the tensors beside the projections may belong to another attention; empty if they
  /// tell it.
  std::string doubtOfExtra() const {
    const std::string name = structure_.blocks.front() + attention_.extraTensors.front();
    if (attention_.extra == AttentionExtra::Performer) {
      return name +
             " also stays in files whose attention does not use it, or takes ReLU of its "
             "products in place of exponentials";
    }
    if (attention_.extra == AttentionExtra::Nystrom && !saysNystrom()) {
      return name + " may as well convolve the values beside plain softmax attention";
    }
    const bool isLoneParameter = attention_.extra == AttentionExtra::Linformer &&
                                 attention_.extraTensors.size() == 1 && !name.ends_with("weight");
    return isLoneParameter ? "its shape alone says that " + name + " shortens keys and values" : "";
  }

  /// Returns true if the names are those of the packages linformer, performer-pytorch or
  /// nystrom-attention, whose code divides the products by the root of a head's width.
  bool isOfPackageOfExtra() const {
    const std::string extra = lowerCase(attention_.extraTensors.front());
    const std::string first = attention_.projections.front().front().weight;
    switch (attention_.extra) {
      case AttentionExtra::Linformer:
        return extra.ends_with(".proj_k") && mentions(first, {".to_q."});
      case AttentionExtra::Performer:
        return mentions(extra, {".fast_attention.projection_matrix"}) &&
               mentions(first, {".to_q."});
      case AttentionExtra::Nystrom:
        return mentions(extra, {".res_conv."}) && attention_.output &&
               mentions(attention_.output->weight, {".to_out.0."}) && mentions(first, {".to_qkv."});
      case AttentionExtra::None:
        break;
    }
    return false;
  }

  /// Returns true if names say Nyströmformer, or are those of the package nystrom-attention.
  bool saysNystrom() const {
    const std::string filters =
        lowerCase(structure_.blocks.front() + attention_.extraTensors.front());
    return isOfPackageOfExtra() || mentions(filters, {"nys"});
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
      const std::string order =
          answer({.option = "qkv", .usual = "3hd", .choices = packedOrders(), .told = told});
      settled_.values.packed = valueNamed<Order>(
          {{"3hd", Order::Chunks}, {"h3d", Order::HeadsFirst}, {"hd3", Order::HeadsThenWidth}},
          order);
      const bool isOfLetters = order.find_first_not_of("qkv") == std::string::npos;
      settled_.values.packedLetters = isOfLetters ? order : attention_.packed;
    }
    settleScale(told);
  }

  /// Returns the orders in which a packed matrix may make its parts. One whose name does not say
  /// what it makes may make it in any order, in chunks.
  Words packedOrders() const {
    if (attention_.isMultiheadAttention) return {"3hd"};
    Words orders{"3hd", "h3d", "hd3"};
    const std::string letters =
        projectionLetters(layerOfWeight(attention_.projections.back().front()));
    const bool isOfAll = attention_.layout == ProjectionLayout::Packed;
    if (letters.size() >= (isOfAll ? 3u : 2u)) return orders;
    Words others{"kqv", "kvq", "qvk", "vkq", "vqk"};
    if (!isOfAll) {
      const bool saysQuery =
          saysProjection(layerOfWeight(attention_.projections.front().front()), 'q');
      others = saysQuery ? Words{"vk"} : Words{"vk", "qk", "kq", "qv", "vq"};
    }
    orders.insert(orders.end(), others.begin(), others.end());
    return orders;
  }

  /// Returns `.attn.qkv` for `.attn.qkv.weight` and for `.attn.qkv_weight`.
  static std::string layerOfWeight(const ProductPart& part) {
    constexpr std::size_t lettersOfWeight = 7;
    return part.weight.substr(0, std::max(part.weight.size(), lettersOfWeight) - lettersOfWeight);
  }

  /// Asks what multiplies the products of queries and keys, unless the mechanism has none or a
  /// package's names tell it.
  void settleScale(std::string told) {
    using Mechanism = Values::Mechanism;
    const Mechanism mechanism = settled_.values.mechanism;
    if (mechanism == Mechanism::Elu || mechanism == Mechanism::Efficient) return;
    // People put other attention into a library's blocks as well.
    if (mechanism != Mechanism::Softmax) told = isOfPackageOfExtra() ? library : "";
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

  void settleFirstHalf() {
    if (!structure_.block.isMlpInFront) return;
    settled_.values.runsMlpFirst =
        answer({.option = "first-half",
                .usual = "mlp",
                .choices = {"mlp", "attention"},
                .why = "the file has the mlp of a block in front of its attention"}) == "mlp";
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
    const bool isAssumed = settled_.described.back().source == "assumed";
    if (uses) settleEpsilonOfBlocks(outside, isAssumed);
    settlePlaceOfNorms(uses);
    settleOneNorm();
    settleNormsWithoutBias();
  }

  /// Blocks have the epsilon of the other norms unless something says otherwise. It is asked where
  /// that of the others is a guess as well: what is said of one is mostly meant of all.
  void settleEpsilonOfBlocks(const std::string& outside, bool isAssumed) {
    const PatchStructure& patches = structure_.patches;
    const bool hasOthers =
        structure_.norm || structure_.poolingNorm || patches.normBefore || patches.normAfter;
    StructureQuestion question{.option = "epsilon-blocks",
                               .usual = outside,
                               .choices = {outside},
                               .why = "norms of blocks may have another epsilon than those outside",
                               .isOpen = true};
    for (const char* usual : {"1e-05", "1e-06", "1e-12"}) {
      if (usual != outside) question.choices.emplace_back(usual);
    }
    if (!isAssumed || !hasOthers || structure_.isVitPytorch) question.told = "as --epsilon";
    const std::string inside = answer(question);
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
      if (!isToldBeforeConfiguration({.option = "norm", .choices = question.choices}, hints_)) {
        requireConfiguredBlocks(configuration(), "this network");
      }
      question.told = "as in timm's blocks, whose names these are";
    }
    const std::string place = answer(question);
    settled_.values.norms = place == "post" ? Values::Norms::After : Values::Norms::Before;
    if (!uses || place == "none") {
      settled_.values.norms = Values::Norms::None;
      settled_.described.back().isCounterfactual = false;
    }
  }

  void settleOneNorm() {
    using OneNorm = Values::OneNorm;
    const BlockStructure& block = structure_.block;
    if (!block.norm1 || !block.norm2 || block.norm1->weight != block.norm2->weight) return;
    StructureQuestion question{.option = "one-norm",
                               .usual = "both",
                               .choices = {"both", "parallel", "attention", "mlp"},
                               .why = "a block has one norm for attention and mlp"};
    if (block.halfOfNorm) {
      question.usual = *block.halfOfNorm == BlockHalf::Mlp ? "mlp" : "attention";
      question.told = "by its name";
    }
    settled_.values.oneNorm = valueNamed<OneNorm>({{"both", OneNorm::BothInTurn},
                                                   {"parallel", OneNorm::BothAtOnce},
                                                   {"attention", OneNorm::Attention},
                                                   {"mlp", OneNorm::Mlp}},
                                                  answer(question));
  }

  /// Returns the name of one of some norms that has no bias, one that says RMS if there is any;
  /// empty if none is without.
  static std::string nameWithoutBias(const std::vector<std::optional<NormPart>>& norms) {
    std::string name;
    for (const auto& norm : norms) {
      if (!norm || !norm->bias.empty() || saysRms(name)) continue;
      name = lowerCase(norm->weight);
    }
    return name;
  }

  /// Returns true for `rms1` and `attn_rmsnorm`, and false for `norms`.
  static bool saysRms(const std::string& name) {
    return hasWord(name, {"rms"}) || mentions(name, {"rmsnorm"});
  }

  /// Asks what norms without a bias are, unless their names say it. Those of queries and keys may
  /// be of another kind than those of tokens.
  void settleNormsWithoutBias() {
    const std::string ofHeads = nameWithoutBias({attention_.queryNorm, attention_.keyNorm});
    const std::string ofTokens = nameWithoutBias(
        {structure_.block.norm1, structure_.block.norm2, structure_.norm, structure_.poolingNorm,
         structure_.patches.normBefore, structure_.patches.normAfter});
    if (ofHeads.empty() && ofTokens.empty()) return;
    const bool areBoth = !ofHeads.empty() && !ofTokens.empty();
    const bool isRmsOfHeads = saysRms(ofHeads.empty() ? ofTokens : ofHeads);
    const bool isRmsOfTokens = saysRms(ofTokens.empty() ? ofHeads : ofTokens);
    const auto word = [](bool isRms) { return std::string(isRms ? "rms" : "layer"); };
    StructureQuestion question{.option = "norm-without-bias",
                               .usual = word(isRmsOfTokens),
                               .choices = {"layer", "rms"},
                               .why =
                                   "an RMS norm and a layer norm without a bias have the same "
                                   "weights"};
    if (areBoth) {
      question.choices.emplace_back("layer-rms");
      question.choices.emplace_back("rms-layer");
    }
    if (isRmsOfTokens != isRmsOfHeads) question.usual += "-" + word(isRmsOfHeads);
    if (isRmsOfTokens && isRmsOfHeads) {
      question.told = "by its name";
    } else if (!saidValue(question.option, question.choices, hints_) &&
               !isToldBeforeConfiguration({.option = question.option, .choices = question.choices},
                                          hints_)) {
      requireConfiguredClass(configuration(), "norm_layer",
                             {"LayerNorm", "LayerNormFp32", "RmsNorm", "RmsNormFp32"},
                             "this network");
    }
    const std::string kinds = answer(question);
    if (kinds.starts_with("rms")) settled_.values.withoutBias = PlainScaleNorm::Rms;
    if (kinds.ends_with("rms")) settled_.values.withoutBiasOfHeads = PlainScaleNorm::Rms;
  }
};

}  // namespace

void settleBlocks(const TransformerStructure& structure, const ModelHints& hints,
                  SettledStructure& settled) {
  BlockSettling(structure, hints, settled).settle();
}

void settleLayerScale(const TransformerStructure& structure, const ModelHints& hints,
                      SettledStructure& settled) {
  BlockSettling(structure, hints, settled).settleLayerScale();
}

}  // namespace softscope
