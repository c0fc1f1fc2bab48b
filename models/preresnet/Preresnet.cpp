#include "models/identify/Families.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/ShapeReader.h"
#include "models/preresnet/PreresnetConfiguration.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

namespace softscope {

namespace {

constexpr const char* preresnetFamilyName = "preresnet_nl";

/// The mechanism of a network without attention.
constexpr const char* noAttention = "none";

bool namesNonLocal(const std::string& name) {
  return startsWith(name, "stage") && name.find(".nonlocal") != std::string::npos;
}

/// Recognises names such as `stage1.block0.conv1.weight`; CvT has `stage1.blocks.0.`
bool namesResidual(const std::string& name) {
  constexpr std::string_view block = ".block";
  const std::size_t place = name.find(block);
  if (!startsWith(name, "stage") || place == std::string::npos) return false;
  const std::size_t number = place + block.size();
  return number < name.size() && std::isdigit(static_cast<unsigned char>(name[number])) != 0 &&
         (name.find(".conv", number) != std::string::npos ||
          name.find(".norm", number) != std::string::npos);
}

bool hasNames(const StateDict& state, bool (*names)(const std::string&)) {
  return std::any_of(state.entries().begin(), state.entries().end(),
                     [&](const auto& entry) { return names(entry.name); });
}

bool isPreresnet(const StateDict& state) {
  return hasNames(state, namesNonLocal) || hasNames(state, namesResidual);
}

/// Returns the number of channels, in all stages, that the number of heads must divide.
int sharedEmbedding(const PreresnetConfiguration& configuration) {
  int channels = 0;
  for (const PreresnetStageConfiguration& stage : configuration.stages) {
    channels = std::gcd(channels, stage.embedding);
  }
  return channels;
}

/// The weights do not determine the heads; the paper's networks have 1, 2 or 4.
ResolvedHeads resolveNonLocalHeads(int channels, const ModelHints& hints) {
  DefaultHeads usual;
  for (const int heads : {1, 2, 4}) {
    if (channels % heads == 0) usual.possible.push_back(heads);
  }
  usual.heads = usual.possible.back();
  usual.reason =
      "no weight tells the heads, and the paper's networks have 1, 2 or 4, most of them 4";
  return resolveHeads(channels, usual, hints);
}

/// Returns the transform for CIFAR's pictures as they are, or for Tiny-ImageNet's for networks with
/// four stages.
InputTransform preresnetTransform(const PreresnetConfiguration& configuration) {
  InputTransform transform;
  transform.cropFraction = 1;
  transform.height = transform.width = 64;
  if (configuration.stages.size() > 3) return transform;
  transform.height = transform.width = 32;
  if (configuration.classes == 100) {
    transform.mean = {0.5071f, 0.4865f, 0.4409f};
    transform.deviation = {0.2673f, 0.2564f, 0.2762f};
  } else {
    transform.mean = {0.4914f, 0.4822f, 0.4465f};
    transform.deviation = {0.2470f, 0.2435f, 0.2616f};
  }
  return transform;
}

/// Returns the recipe of Cho et al. for CIFAR, but with fewer epochs and a cosine.
TrainingRecipe cifarRecipe() {
  TrainingRecipe recipe;
  recipe.epochs = 40;
  recipe.batch = 128;
  recipe.optimizer = TrainingRecipe::Optimizer::Sgd;
  recipe.learningRate = 0.1;
  recipe.lastLearningRate = 0;
  recipe.warmup = 1;
  recipe.weightDecay = 1e-4;
  recipe.clip = 5;
  recipe.average = 0;
  recipe.labelSmoothing = 0;
  recipe.mixup = 0;
  recipe.cutmix = 0;
  recipe.padding = 4;
  recipe.jitter = 0;
  recipe.size = 32;
  recipe.resize = 32;
  return recipe;
}

void listNonLocalLayers(const PreresnetConfiguration& configuration, ModelSummary& summary) {
  for (std::size_t s = 0; s < configuration.stages.size(); ++s) {
    const int stage = static_cast<int>(s) + 1;
    for (const int block : configuration.stages[s].nonLocal) {
      summary.layers.push_back(
          {.name = "stage" + std::to_string(stage) + ".nonlocal" + std::to_string(block),
           .mechanism = summary.mechanism,
           .stage = stage,
           .heads = configuration.heads});
    }
    if (!configuration.stages[s].nonLocal.empty()) summary.heads.push_back(configuration.heads);
  }
}

void refuseAttention(const ModelHints& hints) {
  const auto trained = hints.metadata.find("mechanism");
  if (trained != hints.metadata.end() && trained->second != noAttention) {
    throw ModelError("the file's metadata says that it was trained with " + trained->second +
                     ", but it has no non-local block; the file may be damaged");
  }
  const std::string none = "this PreResNet has no non-local blocks, so it has no attention; ";
  if (hints.attention && *hints.attention != noAttention) {
    throw ModelError(none + "leave out --attention");
  }
  if (hints.heads) throw ModelError(none + "leave out --heads");
}

/// Defines a network without attention, which can be trained and evaluated to be compared with the
/// others.
DefinedModel definePlain(const PreresnetConfiguration& configuration, const ModelHints& hints) {
  refuseAttention(hints);
  ModelSummary summary;
  summary.family = preresnetFamilyName;
  summary.variant = preresnetVariant(configuration);
  summary.setOnlyMechanism(noAttention);
  summary.reason =
      "Names and shapes are those of a PreResNet without non-local blocks: it has no attention.";
  summary.channels = configuration.stages.back().channels;
  summary.classes = configuration.classes;
  summary.transform = preresnetTransform(configuration);
  return {std::move(summary), std::make_shared<PreresnetNetwork>(configuration)};
}

DefinedModel definePreresnet(const StateDict& state, const ModelHints& hints) {
  if (!hasNames(state, namesNonLocal)) return definePlain(readPreresnetConfiguration(state), hints);
  const MechanismNames names{.network = "A non-local network",
                             .mechanisms = nonLocalMechanisms(),
                             .namedBy = mechanismInName};
  const ResolvedMechanism decision = resolveMechanism(names, hints);
  PreresnetConfiguration configuration = readPreresnetConfiguration(state);
  const int channels = sharedEmbedding(configuration);
  const ResolvedHeads heads = resolveNonLocalHeads(channels, hints);
  configuration.heads = heads.heads;
  configuration.mechanism = *nonLocalMechanism(decision.mechanism);

  ModelSummary summary;
  summary.family = preresnetFamilyName;
  summary.variant = preresnetVariant(configuration);
  summary.mechanism = decision.mechanism;
  summary.alternatives = alternatives(names, decision.mechanism);
  summary.mechanismConfidence = decision.confidence;
  summary.reason =
      "Names and shapes are those of a non-local PreResNet, which all forms of "
      "non-local attention share; " +
      decision.reason + ".";
  summary.counterfactual = decision.counterfactual;
  describeHeads(heads, summary);
  summary.channels = channels;
  summary.classes = configuration.classes;
  summary.transform = preresnetTransform(configuration);
  listNonLocalLayers(configuration, summary);
  if (summary.layers.empty()) {
    throw ModelError(
        "this looks like a non-local PreResNet, but none of its non-local blocks "
        "follows a residual block that is there; the file may be damaged");
  }
  return {std::move(summary), std::make_shared<PreresnetNetwork>(configuration)};
}

TrainableArchitecture preresnetArchitecture(const std::string& name,
                                            const PreresnetConfiguration& configuration) {
  TrainableArchitecture architecture;
  architecture.name = name;
  architecture.mechanism = noAttention;
  architecture.define = [configuration](int classes) {
    PreresnetConfiguration sizes = configuration;
    sizes.classes = classes;
    return std::make_shared<PreresnetNetwork>(sizes);
  };
  architecture.recipe = cifarRecipe();
  architecture.transform = preresnetTransform(configuration);
  if (configuration.hasNonLocal()) {
    architecture.mechanism = mechanismName(configuration.mechanism);
    architecture.metadata = {{"heads", std::to_string(configuration.heads)}};
  }
  architecture.fill = [](NetworkModule& network) {
    dynamic_cast<PreresnetNetwork&>(network).rescaleInitialisation();
  };
  architecture.resized = [name, configuration](const ArchitectureSizes& sizes) {
    return preresnetArchitecture(name, resizedPreresnet(configuration, sizes));
  };
  return architecture;
}

/// Returns `preresnet20`; and with three non-local blocks of four heads in the second stage
/// `preresnet20_nl`, `preresnet20_nl_scaled`, and both with `_magnitude` and `_direction`: 20
/// layers, for CIFAR-10.
std::vector<TrainableArchitecture> trainablePreresnets() {
  std::vector<TrainableArchitecture> trainable;
  for (const char* form : {"", "_nl", "_nl_magnitude", "_nl_direction", "_nl_scaled",
                           "_nl_scaled_magnitude", "_nl_scaled_direction"}) {
    const std::string name = "preresnet20" + std::string(form);
    trainable.push_back(preresnetArchitecture(name, publishedPreresnet(name).value()));
  }
  return trainable;
}

}  // namespace

Family preresnetFamily() {
  return {.name = preresnetFamilyName,
          .networks = "non-local networks",
          .attention = "softmax, scaled, dot product",
          .recognises = isPreresnet,
          .define = definePreresnet,
          .trainable = trainablePreresnets};
}

}  // namespace softscope
