#include "core/Error.h"
#include "core/text/Words.h"
#include "models/identify/ResolvedHeads.h"
#include "models/structure/ProjectionNames.h"
#include "models/structure/StructureAnswers.h"
#include "models/structure/StructureSettings.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

namespace softscope {
namespace {

/// Resolves how a block computes.
class BlockResolver : StructureAnswers {
 public:
  using StructureAnswers::StructureAnswers;

  void resolve() {
    resolveHeadCount();
    resolveMechanism();
    resolveProjections();
    resolveMlp();
    resolveFirstHalf();
  }

  /// Asks whether the activation also stands behind the mlp's second product, as it may in a
  /// Sequential, where it leaves no gap in the numbers.
  void resolveMlpEnd() {
    const BlockStructure& block = structure_.block;
    if (!block.expand) return;
    const auto isNumbered = [](const ProductPart& part) {
      return numberOfSibling(parentPath(part.weight)) >= 0;
    };
    const bool isInSequential = isNumbered(*block.expand) && isNumbered(*block.contract);
    StructureQuestion question{.option = "mlp-end",
                               .usual = "none",
                               .choices = {"none", "activation"},
                               .why = "an activation at the end of a Sequential leaves nothing"};
    const bool isKnown = isOfLibrary() || block.isTorchEncoderLayer;
    if (isKnown) {
      question.told = library;
    } else if (!isInSequential) {
      question.told = "taken for granted";
    }
    resolved_.values.isMlpActivatedTwice = answer(question) == "activation";
    if (!isKnown) resolved_.described.back().isCounterfactual = false;
  }

  void resolveLayerScale() {
    const BlockStructure& block = structure_.block;
    if (!block.scale1 && !block.scale2) return;
    StructureQuestion question{.option = "layer-scale",
                               .usual = "branches",
                               .choices = {"branches", "skips"},
                               .why = "names do not say what " + structure_.blocks.front() +
                                      (block.scale1 ? block.scale1->name : block.scale2->name) +
                                      " multiplies"};
    if (block.saysLayerScale) question.told = "by their names";
    resolved_.values.scalesSkips = answer(question) == "skips";
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
    while (heads > 1 && !mayHaveHeads(heads)) --heads;
    if (mayHaveHeads(heads)) return static_cast<int>(heads);
    return static_cast<int>(inner / attention_.keyWidth);
  }

  /// Returns true if heads share the channels evenly, and whole heads of keys are shared.
  bool mayHaveHeads(std::int64_t heads) const {
    return attention_.inner % heads == 0 &&
           (attention_.keyWidth == 0 || attention_.keyWidth % (attention_.inner / heads) == 0);
  }

  /// Throws ModelError for heads that are wider than the keys that they share.
  void requireSharedKeys(int heads) const {
    if (mayHaveHeads(heads)) return;
    throw ModelError("its keys and values are " + std::to_string(attention_.keyWidth) +
                     " wide, which are no whole heads of " + std::to_string(attention_.inner) +
                     " channels among " + countedText(heads, "head") + "; choose --heads " +
                     std::to_string(usualHeads()));
  }

  void resolveHeadCount() {
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
      resolved_.values.heads = attention_.heads;
      resolved_.described.push_back({.option = "heads",
                                     .value = std::to_string(attention_.heads),
                                     .source = "from the weights' shapes",
                                     .choices = {std::to_string(attention_.heads)}});
      return;
    }
    std::vector<int> possible = possibleHeads(inner);
    std::erase_if(possible, [&](int heads) { return !mayHaveHeads(heads); });
    DefaultHeads usual{.heads = usualHeads(),
                       .reason = "the weights are the same for any number",
                       .possible = possible};
    ModelHints hints = hints_;
    if (const auto said = saidValue("heads", {}, hints_)) {
      const auto counts = parseHeadCounts(said->text);
      if (counts && inner % counts->last() == 0) {
        usual = certainHeads(counts->last(), said->source);
        usual.possible = possible;
      }
    }
    hints.metadata.clear();
    hints.configuration = {};
    const ResolvedHeads heads = resolveHeads(inner, usual, hints);
    requireSharedKeys(heads.heads);
    resolved_.values.heads = heads.heads;
    resolved_.headsAlternatives = heads.alternatives;
    resolved_.described.push_back(heads.setting);
  }

  void resolveMechanism() {
    using Mechanism = Values::Mechanism;
    const NamedValues<Mechanism> all{
        {"softmax", Mechanism::Softmax},     {"elu1", Mechanism::Elu},
        {"relu", Mechanism::Relu},           {"softmax2", Mechanism::Efficient},
        {"linformer", Mechanism::Linformer}, {"performer", Mechanism::Performer},
        {"nystrom", Mechanism::Nystrom},     {"performer_relu", Mechanism::ReluFeatures},
    };
    StructureQuestion question{.option = "attention",
                               .usual = "softmax",
                               .choices = {"softmax", "elu1", "relu", "softmax2", "nystrom"},
                               .why =
                                   "softmax, linear attention and Nyströmformer's have the "
                                   "same weights"};
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
      } else if (extra == AttentionExtra::Performer) {
        question.choices.insert(question.choices.end(), {"performer_relu", "softmax2"});
      }
    }
    // timm's names do not tell the mechanism: people put other attention into its blocks.
    const bool isPlain = attention_.extra == AttentionExtra::None;
    if (isPlain && (attention_.isMultiheadAttention || structure_.isVitPytorch)) {
      if (question.told.empty()) question.told = library;
      if (attention_.isMultiheadAttention) question.choices = {question.usual};
    }
    resolved_.mechanism = answer(question);
    resolved_.values.mechanism = valueNamed(all, resolved_.mechanism);
    resolved_.mechanisms = resolved_.described.back().choices;
    if (resolved_.values.mechanism == Values::Mechanism::Efficient) {
      resolved_.values.scalesQueries =
          answer({.option = "qscale", .usual = "0", .choices = {"0", "1"}}) == "1";
    }
    if (resolved_.values.mechanism == Values::Mechanism::Nystrom) resolveLandmarks();
  }

  /// Returns why the tensors beside the projections may belong to another attention; empty if they
  /// tell it.
  std::string doubtOfExtra() const {
    const std::string name = structure_.blocks.front() + attention_.extraTensors.front();
    if (attention_.extra == AttentionExtra::Performer) {
      return name +
             " also stays in files whose attention takes ReLU of its products (performer_relu) or "
             "does not use it (softmax2)";
    }
    if (attention_.extra == AttentionExtra::Nystrom && !saysNystrom()) {
      return name + " may as well convolve the values beside softmax or another attention";
    }
    const bool isLoneParameter = attention_.extra == AttentionExtra::Linformer &&
                                 attention_.extraTensors.size() == 1 && !name.ends_with("weight");
    return isLoneParameter ? "its shape alone says that " + name + " shortens keys and values" : "";
  }

  /// Returns true if the names are those of the packages linformer, performer-pytorch or
  /// nystrom-attention, whose code divides the products by the root of a head's width.
  bool isOfPackageOfExtra() const {
    if (attention_.extra == AttentionExtra::None) return false;
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

  void resolveLandmarks() {
    constexpr int usualLandmarks = 256;
    const std::string landmarks =
        answer({.option = "landmarks",
                .usual = std::to_string(usualLandmarks),
                .choices = {std::to_string(usualLandmarks), "64", "32", "16"},
                .isOpen = true});
    resolved_.values.landmarks = std::clamp(std::atoi(landmarks.c_str()), 1, 1 << 16);
    const std::string steps =
        answer({.option = "iters", .usual = "6", .choices = {"6"}, .isOpen = true});
    resolved_.values.iterations = std::clamp(std::atoi(steps.c_str()), 0, 100);
  }

  void resolveProjections() {
    const bool isKnown = attention_.isMultiheadAttention || isOfLibrary() || isOfRepository();
    const std::string told = isKnown ? library : "";
    const bool isPacked = attention_.layout == ProjectionLayout::Packed ||
                          attention_.layout == ProjectionLayout::KeyValue;
    if (isPacked) {
      using Order = Values::PackedOrder;
      const std::string order = answer({.option = "qkv",
                                        .usual = isOfDividedSoftmax() ? "hd3" : "3hd",
                                        .choices = packedOrders(),
                                        .told = told,
                                        .isSaidFirst = isOfRepository()});
      resolved_.values.packed = valueNamed<Order>({{"3hd", Order::Chunks},
                                                   {"h3d", Order::HeadsFirst},
                                                   {"hd3", Order::HeadsThenWidth},
                                                   {"d3h", Order::WidthFirst}},
                                                  order);
      const bool isOfLetters = order.find_first_not_of("qkv") == std::string::npos;
      resolved_.values.packedLetters = isOfLetters ? order : attention_.packed;
      // The AI Summer's self_attention_cv calls `to_qvk` what makes q, k and v in this order.
      const std::string packed = layerOfWeight(attention_.projections.back().front());
      if (order == "d3h" && packed.ends_with("to_qvk")) resolved_.values.packedLetters = "qkv";
    }
    if (attention_.areNumbered) {
      const std::string order =
          answer({.option = "qkv",
                  .usual = "3hd",
                  .choices = {"3hd", "kqv", "kvq", "qvk", "vkq", "vqk"},
                  .why = "numbers alone tell the matrices of queries, keys and values apart"});
      resolved_.values.packedLetters = order == "3hd" ? "qkv" : order;
    }
    describeOutput();
    describeShortening();
    resolveScale(told);
  }

  /// Lists the matrix behind the heads as assumed where its name does not say that it is the
  /// output's: no option takes another.
  void describeOutput() {
    if (!attention_.output || attention_.areNumbered || attention_.isMultiheadAttention) return;
    const std::string name = layerOfWeight(*attention_.output);
    if (mayBeCalledOutput(name)) return;
    resolved_.described.push_back({.option = "output",
                                   .value = structure_.blocks.front() + name,
                                   .source = "assumed",
                                   .choices = {},
                                   .why = "its shape alone says that it projects what leaves the "
                                          "heads"});
  }

  /// Lists Linformer's matrix for keys as assumed where numbers or the file's order alone say that
  /// it is the one for keys: no option takes the other.
  void describeShortening() {
    if (!attention_.isExtraOrderAssumed) return;
    resolved_.described.push_back(
        {.option = "shortened keys",
         .value = structure_.blocks.front() + attention_.extraTensors.front(),
         .source = "assumed",
         .choices = {},
         .why = "names do not say which of the two matrices shortens keys and which values, and "
                "the first is taken for that of keys"});
  }

  /// Returns the orders in which a packed matrix may make its parts. One whose name does not say
  /// what it makes may make it in any order, in chunks.
  Words packedOrders() const {
    if (attention_.isMultiheadAttention) return {"3hd"};
    Words orders{"3hd", "h3d", "hd3", "d3h"};
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
  void resolveScale(std::string told) {
    using Mechanism = Values::Mechanism;
    const Mechanism mechanism = resolved_.values.mechanism;
    const Mechanism unscaled[] = {Mechanism::Elu, Mechanism::Relu, Mechanism::Efficient};
    if (std::ranges::find(unscaled, mechanism) != std::end(unscaled)) return;
    // People put other attention into a library's blocks as well.
    if (mechanism != Mechanism::Softmax) told = isOfPackageOfExtra() ? library : "";
    StructureQuestion question{.option = "scale",
                               .usual = "head",
                               .choices = {"head"},
                               .told = told,
                               .isSaidFirst = isOfRepository()};
    const bool isSoftmax = mechanism == Mechanism::Softmax;
    if (!attention_.isMultiheadAttention) {
      question.choices = {"head", "width", "none"};
      if (isSoftmax) {
        question.choices.insert(question.choices.end(), {"behind-head", "behind-width"});
      }
    }
    if (isSoftmax && isOfDividedSoftmax()) {
      question.usual = "behind-width";
      question.why = "a tutorial whose names these are divides the softmax, and not what is in it";
    }
    const std::string scale = answer(question);
    using Scale = Values::Scale;
    const NamedValues<Scale> inside{
        {"none", Scale::None}, {"head", Scale::Head}, {"width", Scale::Width}};
    const NamedValues<Scale> behind{
        {"none", Scale::None}, {"behind-head", Scale::Head}, {"behind-width", Scale::Width}};
    resolved_.values.scale = valueNamed(inside, scale);
    resolved_.values.scaleBehind = valueNamed(behind, scale);
  }

  /// Returns true for the names of a much-copied tutorial whose attention is softmax(q k^T) /
  /// sqrt(width).
  bool isOfDividedSoftmax() const {
    const std::string first = layerOfWeight(attention_.projections.front().front());
    return attention_.output &&
           (first.ends_with(".0.fn.1.qkv") || first.ends_with(".0.fn.1.queries")) &&
           layerOfWeight(*attention_.output).ends_with(".0.fn.1.projection");
  }

  void resolveMlp() {
    const bool isTorch = structure_.block.isTorchEncoderLayer;
    StructureQuestion question{.option = "activation",
                               .usual = isTorch ? "relu" : "gelu",
                               .choices = {"gelu", "relu", "gelu_tanh", "quick_gelu", "silu"}};
    question.isSaidFirst = isOfRepository();
    if (isOfRepository()) question.told = library;
    if (!structure_.block.expand) question.told = "which nothing uses, since there is no mlp";
    resolved_.values.activation = answer(question);
  }

  void resolveFirstHalf() {
    if (!structure_.block.isMlpInFront) return;
    resolved_.values.runsMlpFirst =
        answer({.option = "first-half",
                .usual = "attention",
                .choices = {"attention", "mlp"},
                .told = structure_.block.isJeonsworldBlock ? library : "",
                .why = "the file has the mlp of a block in front of its attention",
                .isSaidFirst = true}) == "mlp";
  }
};

}  // namespace

void resolveBlocks(const TransformerStructure& structure, const ModelHints& hints,
                   ResolvedStructure& resolved) {
  BlockResolver blocks(structure, hints, resolved);
  blocks.resolve();
  resolveBlockNorms(structure, hints, resolved);
  blocks.resolveMlpEnd();
}

void resolveLayerScale(const TransformerStructure& structure, const ModelHints& hints,
                       ResolvedStructure& resolved) {
  BlockResolver(structure, hints, resolved).resolveLayerScale();
}

}  // namespace softscope
