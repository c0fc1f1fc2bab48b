#include "core/Error.h"
#include "core/text/Words.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/Families.h"
#include "models/identify/OtherNetworks.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/ShapeReader.h"
#include "models/identify/StoredOptions.h"
#include "models/lra/LraNetwork.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

constexpr int lraHeadWidth = 32;
constexpr const char* lraBlock = "model.transformer_";

/// The one block of models with `tied_weights`, which runs several times.
constexpr const char* tiedLraBlock = "model.transformer.";

bool isLra(const StateDict& state) {
  return std::any_of(state.entries().begin(), state.entries().end(), [](const auto& entry) {
    const bool isBlock = startsWith(entry.name, lraBlock) || startsWith(entry.name, tiedLraBlock);
    return isBlock && entry.name.find(".mha.W_") != std::string::npos;
  });
}

/// Throws ModelError for what LRA's code also writes and Softscope does not compute.
void requireComputedLra(const ShapeReader& shapes) {
  if (shapes.any(tiedLraBlock)) {
    throw ModelError(
        "it is one of the Long Range Arena's models with tied_weights, whose only block runs as "
        "often as no weight tells; " +
        recordingAdvice());
  }
  if (shapes.any(lraBlock, ".mha.attn.query_key.weight") ||
      shapes.any(lraBlock, ".mha.attn.to_qk.weight")) {
    throw ModelError(
        "it is one of the Long Range Arena's models with Reformer's attention, whose hashes are "
        "drawn anew at every run; " +
        recordingAdvice());
  }
}

/// Reads a size from the first block that has one of the tensors.
std::optional<int> lraSize(const ShapeReader& shapes, int depth,
                           std::initializer_list<const char*> names, int dimension) {
  for (int block = 0; block < depth; ++block) {
    for (const char* name : names) {
      const auto size = shapes.size({lraBlock + std::to_string(block) + "." + name}, dimension);
      if (size) return size;
    }
  }
  return std::nullopt;
}

int lraSide(int tokens) {
  const int side = squareSide(tokens);
  if (side > 0) return side;
  throw ModelError("its " + std::to_string(tokens) +
                   " positions make no square picture; of LRA's models, those of pictures can be "
                   "opened");
}

LraMechanism lraMechanismNamed(const std::string& name) {
  if (name == "elu") return LraMechanism::Elu;
  if (name == "linformer") return LraMechanism::Linformer;
  if (name == "performer") return LraMechanism::Performer;
  return name == "nystrom" ? LraMechanism::Nystrom : LraMechanism::Softmax;
}

/// Returns the attention that a name in lower case tells, `attn_type` or a file's name. Words of
/// LRA's code and of Skyformer's; those that are not computed come first, so that a name that holds
/// one is never read as that of a computed one.
std::optional<std::string> lraAttentionNamed(const std::string& name) {
  struct Word {
    const char* part;
    const char* attention;
  };
  constexpr Word words[] = {
      {"skyformer", "skyformer"}, {"sketched", "skyformer"}, {"kernelized", "kernelized"},
      {"rbf", "kernelized"},      {"bigbird", "bigbird"},    {"longformer", "longformer"},
      {"linformer", "linformer"}, {"informer", "informer"},  {"reformer", "reformer"},
      {"performer", "performer"}, {"softmax", "softmax"},    {"linear", "elu"},
      {"nystrom", "nystrom"}};
  for (const Word& word : words) {
    if (name.find(word.part) != std::string::npos) return word.attention;
  }
  const std::string none = "none";
  const auto isLetter = [&](std::size_t at) {
    return at < name.size() && std::isalpha(static_cast<unsigned char>(name[at])) != 0;
  };
  const std::size_t at = name.find(none);
  const bool isWord =
      at != std::string::npos && (at == 0 || !isLetter(at - 1)) && !isLetter(at + none.size());
  return isWord ? std::optional<std::string>(none) : std::nullopt;
}

/// Returns the hints with the attention that a training's configuration or config.json holds under
/// `attn_type`, as Softscope's own metadata say it.
ModelHints withLraAttentionType(const ModelHints& hints) {
  constexpr const char* key = "attn_type";
  ModelHints told = hints;
  auto stored = storedValue(key, hints);
  const std::string configured = configuredValue(&hints.configuration, key);
  if (!stored && !configured.empty()) stored = lowerCase(configured);
  if (!stored || told.metadata.contains("mechanism")) return told;
  told.metadata["mechanism"] = lraAttentionNamed(*stored).value_or(*stored);
  return told;
}

/// Returns the mechanisms that the tensors in the blocks allow.
MechanismNames lraMechanisms(const ShapeReader& shapes) {
  MechanismNames names{
      .network = "LRA's models", .mechanisms = {}, .namedBy = nullptr, .usualIsCertain = true};
  if (shapes.any(lraBlock, ".mha.attn.E")) {
    names.mechanisms = {"linformer"};
  } else if (shapes.any(lraBlock, ".projection_matrix")) {
    names.mechanisms = {"performer"};
  } else if (shapes.any(lraBlock, ".mha.attn.conv.weight")) {
    names.mechanisms = {"nystrom"};
  } else {
    names.mechanisms = {"softmax", "elu", "nystrom"};
    names.usualIsCertain = false;
    names.namedBy = lraAttentionNamed;
  }
  return names;
}

LraConfiguration readLraConfiguration(const ShapeReader& shapes) {
  LraConfiguration sizes;
  LraAttentionOptions& attention = sizes.attention;
  sizes.depth = shapes.require(shapes.count(lraBlock), "its blocks");
  const std::string embeddings = "model.embeddings.";
  auto channels = shapes.size(
      {embeddings + "word_embeddings.weight", embeddings + "position_embeddings.weight"}, 1);
  if (!channels) channels = shapes.size({"model.norm.weight", "model.norm.bias"}, 0);
  attention.channels = shapes.require(channels, "its width");
  sizes.values = shapes.size({embeddings + "word_embeddings.weight"}, 0).value_or(512);
  auto tokens = shapes.size({embeddings + "position_embeddings.weight"}, 0);
  if (!tokens) tokens = lraSize(shapes, sizes.depth, {"mha.attn.E"}, 2);
  attention.tokens = shapes.require(tokens, "its positions");
  sizes.side = lraSide(attention.tokens);
  auto inner = lraSize(shapes, sizes.depth,
                       {"mha.W_q.weight", "mha.W_k.weight", "mha.W_v.weight", "mha.W_q.bias"}, 0);
  if (!inner) inner = lraSize(shapes, sizes.depth, {"mha.ff.weight"}, 1);
  attention.inner = shapes.require(inner, "the channels of its heads");
  sizes.hidden = shapes.require(
      lraSize(shapes, sizes.depth, {"mlpblock.0.weight", "mlpblock.0.bias"}, 0), "its mlps");
  const std::string head = "seq_classifer.mlpblock.";
  sizes.classes = shapes.size({head + "2.weight", head + "2.bias"}, 0).value_or(0);
  sizes.headHidden = shapes.size({head + "0.weight", head + "0.bias"}, 0).value_or(sizes.hidden);
  return sizes;
}

/// Returns the heads, which some attentions' tensors tell.
ResolvedHeads lraHeads(const ShapeReader& shapes, const LraConfiguration& sizes,
                       const ModelHints& hints) {
  const int inner = sizes.attention.inner;
  auto told = lraSize(shapes, sizes.depth, {"mha.attn.E", "mha.attn.conv.weight"}, 0);
  const auto width = lraSize(shapes, sizes.depth, {"mha.attn.attn_fn.projection_matrix"}, 1);
  if (width) told = headsOfWidth("LRA's Performer", inner, *width);
  if (told) {
    requireWholeHeads("one of LRA's models", inner, *told, 1);
    requireHeadsOfWeights("this model", *told, hints);
    ModelHints none;
    return resolveHeads(inner, certainHeads(*told, "from the weights' shapes"), none);
  }
  const bool isPublished = inner == 64 && sizes.attention.channels == 64 && sizes.depth == 2;
  if (isPublished) {
    return resolveHeads(inner, certainHeads(inner / lraHeadWidth, "as in published models"), hints);
  }
  const int usual = inner % lraHeadWidth == 0 ? inner / lraHeadWidth : 1;
  return resolveHeads(inner,
                      {.heads = usual,
                       .reason = "no weight tells the heads, which are 32 wide in published models",
                       .possible = possibleHeads(inner)},
                      hints);
}

std::vector<int> divisorsOf(int number) {
  std::vector<int> divisors;
  for (int divisor = 1; divisor <= number; ++divisor) {
    if (number % divisor == 0) divisors.push_back(divisor);
  }
  return divisors;
}

/// Returns the number after the dash in `image_nystrom-64.model`, or in the file's own dictionary.
std::optional<std::pair<int, std::string>> saidLandmarks(const ModelHints& hints) {
  for (const char* key : {"landmarks", "num_landmarks", "config.num_landmarks"}) {
    const auto found = hints.metadata.find(key);
    if (found == hints.metadata.end()) continue;
    if (const int number = std::atoi(found->second.c_str()); number > 0) {
      return std::pair(number, std::string("from the file's metadata"));
    }
  }
  const std::string mark = "nystrom-";
  const std::string name = lowerCase(hints.fileName);
  const std::size_t at = name.find(mark);
  const int number = at == std::string::npos ? 0 : std::atoi(name.c_str() + at + mark.size());
  if (number <= 0) return std::nullopt;
  return std::pair(number, "since the file is called " + hints.fileName);
}

/// Determines the landmarks of LRA's Nyströmformer, runs of tokens that divide all of them.
NetworkSetting lraLandmarks(int tokens, const ModelHints& hints) {
  const std::vector<int> divisors = divisorsOf(tokens);
  const auto isPossible = [&](int number) {
    return std::find(divisors.begin(), divisors.end(), number) != divisors.end();
  };
  constexpr int usualMost = 64;
  NetworkSetting setting{.option = "landmarks", .source = "assumed"};
  int chosen = 1;
  for (const int divisor : divisors) {
    if (divisor <= usualMost && divisor < tokens) chosen = divisor;
  }
  const auto said = saidLandmarks(hints);
  const bool isSaid = said && isPossible(said->first);
  if (isSaid) {
    chosen = said->first;
    setting.source = said->second;
  }
  if (hints.landmarks.isTrained() && hints.landmarks.count) {
    const int asked = *hints.landmarks.count;
    if (!isPossible(asked)) {
      throw ModelError("--landmarks " + std::to_string(asked) + " does not divide its " +
                       std::to_string(tokens) + " tokens into runs of one length");
    }
    setting.isCounterfactual = isSaid && chosen != asked;
    setting.source = "chosen with --landmarks";
    chosen = asked;
  } else if (!isSaid) {
    setting.why = "no weight tells them, and only published files' names do";
  }
  setting.value = std::to_string(chosen);
  setting.choices = {setting.value};
  for (const int divisor : divisors) {
    if (divisor > 1 && divisor != chosen) setting.choices.push_back(std::to_string(divisor));
  }
  return setting;
}

/// Resolves the options of LRA's code that leave nothing in the weights. What it pools and a
/// Performer's function are the same in all of its own experiments with pictures.
void resolveLraOptions(LraConfiguration& sizes, const ModelHints& hints, ModelSummary& summary) {
  StoredOption known{.key = "pooling_mode",
                     .usual = "mean",
                     .isCertain = summary.isPublished(),
                     .reason = "nobody published a model of these sizes, and no weight tells it",
                     .network = "LRA's models",
                     .computed = {"mean"}};
  resolveStoredOption(known, hints, summary);
  if (sizes.attention.mechanism != LraMechanism::Performer) return;
  known.key = "kernel_type";
  known.usual = "relu";
  known.computed = {"relu"};
  resolveStoredOption(known, hints, summary);
  constexpr int valuesOfSkyformer = 256;
  known.key = "key_maximum";
  known.usual = sizes.values == valuesOfSkyformer ? "all_heads" : "head";
  known.isCertain = false;
  known.reason =
      "no weight tells it; performer-pytorch takes the largest exponent of keys in each head, its "
      "first releases and Skyformer's code among all heads";
  known.computed = {"head", "all_heads"};
  const bool isOfAll = resolveStoredOption(known, hints, summary) == "all_heads";
  sizes.attention.largestOfKeys = isOfAll ? LargestOver::AllHeads : LargestOver::Head;
}

std::string lraReason(const MechanismNames& names, const ResolvedMechanism& decision) {
  const std::string decided = decision.reason.empty() ? "." : "; " + decision.reason + ".";
  const std::string others =
      " LRA's \"none\" and Skyformer's, kernelized, Informer's and BigBird's attention leave the "
      "same tensors and are not computed.";
  return "Names and shapes are those of LRA's models: every pixel of a grey picture is a token, "
         "and "
         "black ones are masked, as published code does with 0" +
         decided + (names.usualIsCertain ? std::string() : others);
}

DefinedModel defineLra(const StateDict& state, const ModelHints& hints) {
  const ShapeReader shapes(state, "LRA's model of pictures");
  requireComputedLra(shapes);
  const MechanismNames names = lraMechanisms(shapes);
  const ResolvedMechanism decision = resolveMechanism(names, withLraAttentionType(hints));
  LraConfiguration configuration = readLraConfiguration(shapes);
  LraAttentionOptions& attention = configuration.attention;
  const int depth = configuration.depth;
  attention.mechanism = lraMechanismNamed(decision.mechanism);
  const ResolvedHeads heads = lraHeads(shapes, configuration, hints);
  attention.heads = heads.heads;
  attention.filter = lraSize(shapes, depth, {"mha.attn.conv.weight"}, 2).value_or(0);
  attention.projected =
      attention.mechanism == LraMechanism::Performer
          ? lraSize(shapes, depth, {"mha.attn.attn_fn.projection_matrix"}, 0).value_or(0)
          : lraSize(shapes, depth, {"mha.attn.E"}, 1).value_or(0);

  ModelSummary summary;
  summary.family = "lra";
  summary.mechanism = decision.mechanism;
  summary.alternatives = alternatives(names, decision.mechanism);
  summary.mechanismConfidence = decision.confidence;
  summary.counterfactual = decision.counterfactual;
  summary.reason = lraReason(names, decision);
  const bool isPublished = attention.tokens == 1024 && attention.channels == 64 && depth == 2 &&
                           attention.inner == 64 && configuration.hidden == 128;
  summary.variant = isPublished ? "lra_image" : "custom";
  describeHeads(heads, summary);
  if (attention.mechanism == LraMechanism::Nystrom) {
    const NetworkSetting landmarks = lraLandmarks(attention.tokens, hints);
    attention.landmarks = std::atoi(landmarks.value.c_str());
    summary.counterfactual = summary.counterfactual || landmarks.isCounterfactual;
    summary.settings.push_back(landmarks);
  }
  resolveLraOptions(configuration, hints, summary);
  summary.channels = attention.channels;
  summary.heads = {attention.heads};
  summary.classes = configuration.classes;
  InputTransform& transform = summary.transform;
  transform.extent = InputTransform::Extent::Whole;
  transform.filter = InputTransform::Filter::Bilinear;
  transform.height = transform.width = configuration.side;
  transform.channels = 1;
  transform.mean = {0, 0, 0};
  transform.deviation = {1.0f / 255, 1.0f / 255, 1.0f / 255};
  for (int i = 0; i < depth; ++i) {
    summary.layers.push_back({.name = lraBlock + std::to_string(i) + ".mha",
                              .mechanism = decision.mechanism,
                              .stage = 1,
                              .heads = attention.heads});
  }
  return {.summary = std::move(summary),
          .network = std::make_shared<LraNetwork>(configuration),
          // Pixels are numbers of embeddings in all of them.
          .publishedAs = "lra_image"};
}

}  // namespace

Family lraFamily() {
  return {.name = "lra",
          .networks = "the Long Range Arena's models of pictures",
          .attention = "softmax, linear, Linformer, Performer, Nyströmformer",
          .recognises = isLra,
          .define = defineLra};
}

}  // namespace softscope
