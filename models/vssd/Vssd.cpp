#include "core/Error.h"
#include "core/text/Words.h"
#include "models/identify/Families.h"
#include "models/identify/Metadata.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/ShapeReader.h"
#include "models/identify/StoredOptions.h"
#include "models/mila/MilaLayout.h"
#include "models/vssd/VssdNetwork.h"

#include <algorithm>
#include <string>
#include <utility>

namespace softscope {

namespace {

const PublishedPyramid publishedVssds[] = {
    {"vssd_micro", 48, {2, 2, 8, 4}},
    {"vssd_tiny", 64, {2, 4, 8, 4}},
    {"vssd_small", 64, {3, 4, 21, 5}},
    {"vssd_base", 96, {3, 4, 21, 5}},
};

constexpr const char* vssdGroupsKey = "MODEL.VMAMBA2.SSD_NGROUPS";

bool isVssd(const StateDict& state) {
  return std::any_of(state.entries().begin(), state.entries().end(), [](const auto& entry) {
    return startsWith(entry.name, "layers.") && entry.name.ends_with(".attn.dt_bias");
  });
}

/// Reads a size from the first of a stage's blocks that has one of the tensors.
std::optional<int> vssdSize(const ShapeReader& shapes, const std::string& stage, int depth,
                            std::initializer_list<const char*> names, int dimension) {
  for (int block = 0; block < depth; ++block) {
    for (const char* name : names) {
      const auto size =
          shapes.size({stage + "blocks." + std::to_string(block) + "." + name}, dimension);
      if (size) return size;
    }
  }
  return std::nullopt;
}

VssdStageConfiguration readVssdStage(const ShapeReader& shapes, int index) {
  const std::string stage = "layers." + std::to_string(index) + ".";
  const std::string name = "stage " + std::to_string(index + 1);
  VssdStageConfiguration sizes;
  sizes.depth = shapes.require(shapes.count(stage + "blocks."), "the blocks of " + name);
  const auto size = [&](std::initializer_list<const char*> names, int dimension) {
    return vssdSize(shapes, stage, sizes.depth, names, dimension);
  };
  sizes.channels =
      shapes.require(size({"norm1.weight", "norm1.bias", "norm2.weight", "norm2.bias"}, 0),
                     "the channels of " + name);
  sizes.hidden = size({"mlp.fc1.weight", "mlp.fc1.bias"}, 0).value_or(4 * sizes.channels);
  sizes.downsampleHidden =
      shapes
          .size({stage + "downsample.conv.0.conv.weight", stage + "downsample.conv.0.conv.bias"}, 0)
          .value_or(0);
  const auto heads = size({"attn.dt_bias", "attn.A_log", "attn.D"}, 0);
  if (!heads) return sizes;
  sizes.heads = *heads;
  auto inner = size({"attn.out_proj.weight"}, 1);
  if (!inner) inner = size({"attn.norm.weight", "attn.norm.bias"}, 0);
  sizes.inner = shapes.require(inner, "the channels of the state spaces of " + name);
  const auto rows = size({"attn.in_proj.weight"}, 0);
  const auto mixed = size({"attn.conv2d.weight", "attn.conv2d.bias"}, 0);
  const int twice = rows ? *rows - 2 * sizes.inner - sizes.heads
                         : shapes.require(mixed, "the states of " + name) - sizes.inner;
  if (twice < 2 || twice % 2 != 0 || sizes.heads < 1 || sizes.inner % sizes.heads != 0) {
    throw ModelError("the sizes of the state spaces of " + name +
                     " contradict each other; the file may be damaged");
  }
  sizes.state = twice / 2;
  return sizes;
}

VssdConfiguration readVssdConfiguration(const StateDict& state) {
  const ShapeReader shapes(state, "VSSD");
  VssdConfiguration configuration;
  const int stages = shapes.require(shapes.count("layers."), "its stages");
  for (int index = 0; index < stages; ++index) {
    configuration.stages.push_back(readVssdStage(shapes, index));
  }
  readStemAndHead(shapes, configuration);
  const std::string ofDetector = "outnorm" + std::to_string(stages - 1);
  if (shapes.any(ofDetector + ".")) configuration.norm = ofDetector;
  return configuration;
}

/// Returns hints whose heads, if they are of all stages, are those of one stage.
ModelHints hintsOfStage(const ModelHints& hints, std::size_t stage, std::size_t stages) {
  ModelHints ofStage = hints;
  const auto told = headsInMetadata(hints.metadata);
  if (told && told->counts().size() == stages) {
    ofStage.metadata["heads"] = std::to_string(told->counts()[stage]);
  }
  return ofStage;
}

/// Gives stages of softmax attention, which come last, the heads that are told, or else twice those
/// of the stage before, as in all published networks. Returns what was decided if there is such a
/// stage.
std::optional<ResolvedHeads> decideVssdHeads(VssdConfiguration& configuration, bool isPublished,
                                             const ModelHints& hints) {
  std::optional<ResolvedHeads> decision;
  int before = 1;
  for (std::size_t s = 0; s < configuration.stages.size(); ++s) {
    VssdStageConfiguration& stage = configuration.stages[s];
    if (stage.inner == 0) {
      const bool fits = stage.channels % (2 * before) == 0;
      DefaultHeads usual = certainHeads(fits ? 2 * before : 1, "twice those of the stage before");
      usual.possible = possibleHeads(stage.channels);
      if (!isPublished) {
        usual.isCertain = false;
        usual.reason =
            "no published VSSD has these sizes, and no weight tells the heads of a stage "
            "with softmax attention";
      }
      decision =
          resolveHeads(stage.channels, usual, hintsOfStage(hints, s, configuration.stages.size()));
      stage.heads = decision->heads;
    }
    before = stage.heads;
  }
  if (!decision) requireHeadsOfWeights("VSSD", before, hints);
  return decision;
}

/// Throws ModelError if groups do not divide what they group.
void groupVssdStage(const std::string& groups, std::size_t index, VssdStageConfiguration& stage) {
  stage.groups = groups == "-1" ? stage.heads : std::stoi(groups);
  if (stage.heads % stage.groups == 0 && stage.state % stage.groups == 0) return;
  throw ModelError("the file's metadata says " + std::string(vssdGroupsKey) + " " + groups +
                   ", which divides " + std::to_string(stage.heads) + " heads and " +
                   std::to_string(stage.state) + " states of stage " + std::to_string(index + 1) +
                   " into no whole numbers; softscope convert --set " + vssdGroupsKey +
                   "=N corrects it");
}

/// Resolves the repository's options that leave nothing in the weights of the state spaces.
void resolveVssdOptions(VssdConfiguration& configuration, const ModelHints& hints,
                        ModelSummary& summary) {
  const bool attends =
      std::ranges::any_of(configuration.stages, [](const auto& stage) { return stage.inner > 0; });
  if (!attends) return;
  StoredOption known{.key = vssdGroupsKey,
                     .usual = "1",
                     .isCertain = summary.isPublished(),
                     .reason = "no published VSSD has these sizes, and no weight tells it",
                     .network = "VSSD",
                     .computed = {"-1 (a group for each head)", "a number of groups"}};
  known.accepts = [](const std::string& text) {
    const auto groups = parseNumber<int>(text);
    return groups && (*groups == -1 || *groups > 0);
  };
  const std::string groups = resolveStoredOption(known, hints, summary);
  known.accepts = nullptr;
  known.key = "MODEL.VMAMBA2.SSD_POSITIVE_DA";
  known.usual = "true";
  known.computed = {"true", "false"};
  const bool isPositive = resolveStoredOption(known, hints, summary) == "true";
  // Its causal scans have the same weights.
  known.key = "MODEL.VMAMBA2.LINEAR_ATTN_DUALITY";
  known.computed = {"true"};
  resolveStoredOption(known, hints, summary);
  for (std::size_t s = 0; s < configuration.stages.size(); ++s) {
    VssdStageConfiguration& stage = configuration.stages[s];
    if (stage.inner == 0) continue;
    groupVssdStage(groups, s, stage);
    stage.isPositive = isPositive;
  }
}

void listVssdLayers(const VssdConfiguration& configuration, ModelSummary& summary) {
  for (std::size_t s = 0; s < configuration.stages.size(); ++s) {
    const VssdStageConfiguration& stage = configuration.stages[s];
    for (int i = 0; i < stage.depth; ++i) {
      summary.layers.push_back(
          {.name = "layers." + std::to_string(s) + ".blocks." + std::to_string(i) + ".attn",
           .mechanism = stage.inner > 0 ? "vssd" : "softmax",
           .stage = static_cast<int>(s) + 1,
           .heads = stage.heads});
    }
    summary.heads.push_back(stage.heads);
  }
}

DefinedModel defineVssd(const StateDict& state, const ModelHints& given) {
  const ModelHints hints = withStoredHeads("MODEL.VMAMBA2.NUM_HEADS", given);
  requireOnly("VSSD", "vssd", hints);
  VssdConfiguration configuration = readVssdConfiguration(state);
  ModelSummary summary;
  summary.family = "vssd";
  summary.variant = publishedPyramid(publishedVssds, configuration.stages);
  const auto heads = decideVssdHeads(configuration, summary.isPublished(), hints);
  summary.setOnlyMechanism("vssd");
  summary.reason =
      "Names and shapes are those of VSSD: attn.dt_bias beside attn.conv2d is its alone.";
  if (heads) describeHeads(*heads, summary);
  resolveVssdOptions(configuration, hints, summary);
  summary.channels = configuration.stages.back().channels;
  summary.classes = configuration.classes;
  listVssdLayers(configuration, summary);
  return {.summary = std::move(summary),
          .network = std::make_shared<VssdNetwork>(configuration),
          // Norms of the earlier stages, for detection.
          .harmless = {"outnorm?.*"}};
}

}  // namespace

Family vssdFamily() {
  return {.name = "vssd",
          .networks = "VSSD",
          .attention = "hidden attention of state spaces",
          .recognises = isVssd,
          .define = defineVssd};
}

}  // namespace softscope
