#include "core/Error.h"
#include "core/text/Words.h"
#include "models/identify/Families.h"
#include "models/identify/GivenNames.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/ShapeReader.h"
#include "models/identify/StoredOptions.h"
#include "models/t2t/T2tNetwork.h"
#include "models/vit/VitLayout.h"
#include "models/vit/VitNames.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

namespace softscope {

namespace {

struct PublishedT2t {
  const char* name;
  int channels;
  std::size_t depth;
  int ratio;  ///< hidden width divided by channels
  bool performer;
};

constexpr PublishedT2t publishedT2ts[] = {
    {"t2t_vit_7", 256, 7, 2, true},       {"t2t_vit_10", 256, 10, 2, true},
    {"t2t_vit_12", 256, 12, 2, true},     {"t2t_vit_14", 384, 14, 3, true},
    {"t2t_vit_19", 448, 19, 3, true},     {"t2t_vit_24", 512, 24, 3, true},
    {"t2t_vit_14_wide", 768, 4, 3, true}, {"t2t_vit_t_14", 384, 14, 3, false},
    {"t2t_vit_t_19", 448, 19, 3, false},  {"t2t_vit_t_24", 512, 24, 3, false},
};

constexpr const char* t2tFamilyName = "t2t_vit";
constexpr int resnextHeads = 32;

bool isT2t(const StateDict& state) {
  return ShapeReader(state, "T2T-ViT").any("tokens_to_token.attention");
}

bool hasPerformer(const ShapeReader& shapes) {
  for (const char* module : {"tokens_to_token.attention1.", "tokens_to_token.attention2."}) {
    const std::string name = module;
    if (shapes.any(name + "w") || shapes.any(name + "kqv.") || shapes.any(name + "mlp.0.")) {
      return true;
    }
  }
  return false;
}

/// Returns true for the sizes of t2t_vit_14, because t2t_vit_14_resnext has the same parameters.
bool mayBeResnext(const T2tConfiguration& configuration) {
  const VitConfiguration& backbone = configuration.backbone;
  return configuration.mechanism == T2tMechanism::Performer && backbone.channels == 384 &&
         backbone.names.blocks.size() == 14 && backbone.hidden == 3 * 384;
}

/// Returns true if a name is that of the network with as many heads as ResNeXt has groups, false if
/// it is the plain one's; nothing for other names.
std::optional<bool> saysWhether(const std::string& name) {
  const std::string text = lowerCase(name);
  if (text.find("resnext") != std::string::npos) return true;
  if (text.find("t2t_vit_14") != std::string::npos) return false;
  return std::nullopt;
}

std::optional<bool> saysResnext(const ModelHints& hints) {
  for (const GivenName& given : givenNames(hints)) {
    if (const auto says = saysWhether(given.name)) return says;
  }
  return std::nullopt;
}

const PublishedT2t* publishedT2t(const T2tConfiguration& configuration) {
  const VitConfiguration& backbone = configuration.backbone;
  const bool performer = configuration.mechanism == T2tMechanism::Performer;
  const auto found = std::ranges::find_if(publishedT2ts, [&](const PublishedT2t& variant) {
    return variant.channels == backbone.channels && variant.depth == backbone.names.blocks.size() &&
           variant.ratio * backbone.channels == backbone.hidden && variant.performer == performer;
  });
  return found == std::end(publishedT2ts) ? nullptr : found;
}

DefaultHeads defaultT2tHeads(const T2tConfiguration& configuration, const ModelHints& hints) {
  const int channels = configuration.backbone.channels;
  const PublishedT2t* published = publishedT2t(configuration);
  if (published == nullptr) return assumedHeads(channels, "T2T-ViT");
  const int heads = channels / 64;
  if (!mayBeResnext(configuration)) {
    return certainHeads(heads, std::string("as in the published ") + published->name);
  }
  const auto isResnext = saysResnext(hints);
  DefaultHeads usual{.heads = isResnext.value_or(false) ? resnextHeads : heads,
                     .isCertain = isResnext.has_value(),
                     .reason = "t2t_vit_14 and t2t_vit_14_resnext differ in their heads only",
                     .possible = {heads, resnextHeads}};
  if (!isResnext) return usual;
  usual.reason += ", and the name that it was given says which";
  constexpr double byName = 0.9;
  const bool isAsked = hints.architecture && saysWhether(*hints.architecture);
  usual.confidence = isAsked ? 1 : byName;
  return usual;
}

VitConfiguration readBackbone(const StateDict& state) {
  VitNames names = timmNames(state);
  names.embedding = "tokens_to_token.project";
  // Parts that T2T-ViT does not have are foreign in its files.
  names.distillationToken.clear();
  names.distillationHead.clear();
  names.registers.clear();
  names.normBefore.clear();
  names.block.scale1.clear();
  names.block.scale2.clear();
  VitConfiguration backbone = readVitConfiguration(state, std::move(names), "T2T-ViT");
  backbone.epsilon = 1e-5;
  backbone.resize = PositionResize::Plain;
  return backbone;
}

T2tConfiguration readT2tConfiguration(const StateDict& state, T2tMechanism mechanism) {
  const ShapeReader shapes(state, "T2T-ViT");
  const std::string first = "tokens_to_token.attention1.";
  const std::string second = "tokens_to_token.attention2.";
  T2tConfiguration configuration;
  configuration.mechanism = mechanism;
  configuration.backbone = readBackbone(state);
  configuration.tokenWidth =
      shapes.require(shapes.size({first + "norm2.weight", first + "norm2.bias",
                                  second + "norm2.weight", second + "norm2.bias"},
                                 0),
                     "the width of its tokens");
  configuration.tokenHidden = shapes
                                  .size({first + "mlp.0.weight", first + "mlp.fc1.weight",
                                         second + "mlp.0.weight", second + "mlp.fc1.weight"},
                                        0)
                                  .value_or(configuration.tokenWidth);
  configuration.features =
      shapes.size({first + "w", second + "w"}, 0).value_or(configuration.features);
  configuration.tokenBias = shapes.any("tokens_to_token.", ".attn.qkv.bias");
  return configuration;
}

ResolvedMechanism resolveT2tMechanism(const ShapeReader& shapes, const ModelHints& hints,
                                      std::vector<std::string>& allowed) {
  if (hasPerformer(shapes)) {
    allowed = {"performer"};
    if (hints.attention && lowerCase(*hints.attention) != "performer") {
      throw ModelError(
          "the token modules of this T2T-ViT are Performers, whose weights allow no "
          "other --attention than performer");
    }
    return {"performer", 1, "its token modules are Performers"};
  }
  const MechanismChoice choice{.network = "T2T-ViT",
                               .usual = "softmax",
                               .other = "nystromformer",
                               .mark = "nys",
                               .published = {"t2t", "vit", "vitt", "t", "resnext"}};
  ResolvedMechanism decision = resolveMechanism(choice, hints);
  decision.reason =
      "the token modules are softmax or Nyströmformer, which have the same parameters; " +
      decision.reason;
  allowed = alternatives(choice, decision.mechanism);
  return decision;
}

T2tMechanism t2tMechanismOf(const std::string& name) {
  if (name == "performer") return T2tMechanism::Performer;
  return name == "nystromformer" ? T2tMechanism::Nystromformer : T2tMechanism::Softmax;
}

std::string t2tVariant(const T2tConfiguration& configuration) {
  const VitConfiguration& backbone = configuration.backbone;
  if (mayBeResnext(configuration) && backbone.heads == resnextHeads) return "t2t_vit_14_resnext";
  const PublishedT2t* published = publishedT2t(configuration);
  if (published != nullptr && backbone.heads == backbone.channels / 64) return published->name;
  return "custom";
}

void listT2tLayers(const T2tConfiguration& configuration, ModelSummary& summary) {
  const bool performer = configuration.mechanism == T2tMechanism::Performer;
  for (int stage = 1; stage <= 2; ++stage) {
    summary.layers.push_back(
        {.name = "tokens_to_token.attention" + std::to_string(stage) + (performer ? "" : ".attn"),
         .mechanism = summary.mechanism,
         .stage = stage,
         .heads = 1});
  }
  for (std::size_t depth = 0; depth < configuration.backbone.names.blocks.size(); ++depth) {
    summary.layers.push_back({.name = "blocks." + std::to_string(depth) + ".attn",
                              .mechanism = "softmax",
                              .stage = 3,
                              .heads = configuration.backbone.heads});
  }
}

DefinedModel defineT2t(const StateDict& state, const ModelHints& hints) {
  ModelSummary summary;
  const ResolvedMechanism decision =
      resolveT2tMechanism(ShapeReader(state, "T2T-ViT"), hints, summary.alternatives);
  T2tConfiguration configuration = readT2tConfiguration(state, t2tMechanismOf(decision.mechanism));
  configuration.landmarks = hints.landmarks;
  VitConfiguration& backbone = configuration.backbone;
  const ResolvedHeads heads =
      resolveHeads(backbone.channels, defaultT2tHeads(configuration, hints), hints);
  backbone.heads = heads.heads;
  summary.family = t2tFamilyName;
  summary.variant = t2tVariant(configuration);
  summary.mechanism = decision.mechanism;
  summary.mechanismConfidence = decision.confidence;
  summary.reason = "Names and shapes are those of T2T-ViT; " + decision.reason + ".";
  summary.counterfactual = decision.counterfactual;
  describeHeads(heads, summary);
  summary.heads = {1, 1, backbone.heads};
  summary.channels = backbone.channels;
  // Some of the authors' functions set another scale.
  const bool isPublished = publishedT2t(configuration) != nullptr;
  resolveHeadScale("T2T-ViT", isPublished, hints, summary);
  resolveUsualLayers("T2T-ViT", backbone.epsilon, isPublished, hints, summary);
  summary.classes = backbone.classes;
  const int side = squareSide(backbone.positions);
  if (side > 0) summary.transform.height = summary.transform.width = 16 * side;
  summary.transform.cropFraction = 0.9;
  listT2tLayers(configuration, summary);
  DefinedModel model{std::move(summary), std::make_shared<T2tNetwork>(configuration)};
  const PublishedT2t* published = publishedT2t(configuration);
  if (published != nullptr) model.publishedAs = published->name;
  return model;
}

}  // namespace

Family t2tFamily() {
  return {.name = t2tFamilyName,
          .networks = "T2T-ViT",
          .attention = "Performer, Nyströmformer or softmax",
          .recognises = isT2t,
          .define = defineT2t};
}

}  // namespace softscope
