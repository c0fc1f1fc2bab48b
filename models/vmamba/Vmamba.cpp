#include "core/Error.h"
#include "models/identify/Families.h"
#include "models/identify/ParameterNames.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/ShapeReader.h"
#include "models/identify/StoredOptions.h"
#include "models/vmamba/VmambaNetwork.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

struct PublishedVmamba {
  const char* name;
  int channels;   ///< in the first stage; every further stage has twice as many
  int depth;      ///< of the third stage; the others have two blocks
  int expansion;  ///< channels of the state spaces, as a multiple
  int states;
};

constexpr PublishedVmamba publishedVmambas[] = {
    {"vmambav0_tiny_224", 96, 9, 2, 16},   {"vmambav0_small_224", 96, 27, 2, 16},
    {"vmambav0_base_224", 128, 27, 2, 16}, {"vmambav2_tiny_224", 96, 5, 2, 1},
    {"vmambav2_small_224", 96, 15, 2, 1},  {"vmambav2_base_224", 128, 15, 2, 1},
    {"vmambav2v_tiny_224", 96, 8, 1, 1},   {"vmambav2v_small_224", 96, 20, 1, 1},
    {"vmambav2v_base_224", 128, 20, 1, 1},
};

constexpr const char* vmambaOp = ".op.";

bool isVmamba(const StateDict& state) {
  return std::any_of(state.entries().begin(), state.entries().end(), [](const auto& entry) {
    return startsWith(entry.name, "layers.") && entry.name.find(vmambaOp) != std::string::npos &&
           (entry.name.ends_with(".A_logs") || entry.name.ends_with(".x_proj_weight") ||
            entry.name.ends_with(".dt_projs_weight"));
  });
}

[[noreturn]] void refuseVmamba(const std::string& what) {
  throw ModelError("this is a form of VMamba " + what +
                   ", which Softscope does not open; it opens v0 and v05_noz, as published");
}

[[noreturn]] void refuseRelativeOfVmamba(const std::string& what) {
  throw ModelError("this is " + what +
                   ", which Softscope does not open; it has VMamba's names, but scans in another "
                   "order, so it is no VMamba even without the rest");
}

/// Throws ModelError for networks whose blocks hold more than VMamba's.
void requireNoRelativeOfVmamba(const StateDict& state) {
  if (anyContains(state, ".op.multi_scan.")) {
    refuseRelativeOfVmamba("LocalVMamba, by its scans within windows (op.multi_scan)");
  }
  if (anyContains(state, ".conv_branch.")) {
    refuseRelativeOfVmamba("EfficientVMamba, by its convolutions beside the scans (conv_branch)");
  }
}

/// Throws ModelError for forms of VMamba that compute something else.
void requireKnownVmamba(const ShapeReader& shapes, int logRates) {
  if (shapes.any("layers.", ".op.out_norm.0.weight") ||
      shapes.any("layers.", ".op.out_norm.1.weight")) {
    refuseVmamba("with a convolution in its output norm (op.out_norm.0 or .1)");
  }
  if (!shapes.any("layers.", ".op.out_norm.weight") &&
      !shapes.any("layers.", ".op.out_norm.bias")) {
    refuseVmamba("without a norm behind its scans (_onnone, _onsoftmax or _onsigmoid)");
  }
  if (!shapes.any("layers.", ".op.x_proj_weight")) {
    refuseVmamba("without op.x_proj_weight, such as its xv or m0");
  }
  if (logRates == 4) refuseVmamba("with Mamba-2's state spaces (m0)");
}

/// Reads sizes from the first block of a stage that has the tensor.
class VmambaStageReader {
 public:
  VmambaStageReader(const ShapeReader& shapes, int index)
      : shapes_(shapes),
        stage_("layers." + std::to_string(index) + ".blocks."),
        depth_(shapes.count(stage_)) {}

  int depth() const { return depth_; }
  std::optional<int> size(std::initializer_list<const char*> names, int dimension) const {
    for (int block = 0; block < depth_; ++block) {
      for (const char* name : names) {
        const auto size = shapes_.size({stage_ + std::to_string(block) + "." + name}, dimension);
        if (size) return size;
      }
    }
    return std::nullopt;
  }

 private:
  const ShapeReader& shapes_;
  std::string stage_;
  int depth_;
};

VmambaStageConfiguration readVmambaStage(const ShapeReader& shapes, int index) {
  const VmambaStageReader stage(shapes, index);
  const std::string name = "stage " + std::to_string(index + 1);
  VmambaStageConfiguration sizes;
  sizes.depth = shapes.require(stage.depth(), "the blocks of " + name);
  auto channels = stage.size({"norm.weight", "norm.bias", "op.out_proj.weight"}, 0);
  sizes.channels = shapes.require(channels, "the channels of " + name);
  auto inner = stage.size({"op.x_proj_weight"}, 2);
  if (!inner) inner = stage.size({"op.dt_projs_weight", "op.dt_projs_bias"}, 1);
  sizes.inner = shapes.require(inner, "the channels of the state spaces of " + name);
  sizes.states = shapes.require(stage.size({"op.A_logs"}, 1), "the states of " + name);
  sizes.ranks = shapes.require(stage.size({"op.dt_projs_weight"}, 2), "the ranks of " + name);
  sizes.hidden = stage.size({"mlp.fc1.weight", "mlp.fc1.bias"}, 0).value_or(0);
  sizes.filter = stage.size({"op.conv2d.weight"}, 2).value_or(sizes.filter);
  const auto behindGate = stage.size({"mlp.fc2.weight"}, 1);
  if (behindGate && 2 * *behindGate == sizes.hidden) {
    refuseVmamba("with gated mlps (gmlp)");
  }
  return sizes;
}

VmambaConfiguration readVmambaConfiguration(const ShapeReader& shapes) {
  VmambaConfiguration configuration;
  const int stages = shapes.require(shapes.count("layers."), "its stages");
  requireKnownVmamba(shapes, shapes.size({"layers.0.blocks.0.op.A_logs"}, 0).value_or(0));
  for (int index = 0; index < stages; ++index) {
    configuration.stages.push_back(readVmambaStage(shapes, index));
  }
  const VmambaStageReader first(shapes, 0);
  const auto projected = first.size({"op.in_proj.weight"}, 0);
  configuration.isGated = projected && *projected == 2 * configuration.stages.front().inner;
  configuration.storesMaps = first.size({"op.in_proj.weight", "op.out_proj.weight"}, 3).has_value();
  configuration.hasConvolutionBias = first.size({"op.conv2d.bias"}, 0).has_value();
  configuration.mergesPatches = shapes.any("layers.", ".downsample.reduction.weight") ||
                                shapes.any("layers.", ".downsample.norm.weight");
  if (shapes.any("patch_embed.5.") || shapes.any("patch_embed.7.")) {
    configuration.stemChannels = shapes.require(
        shapes.size({"patch_embed.0.weight", "patch_embed.0.bias", "patch_embed.2.weight"}, 0),
        "its stem");
  }
  configuration.classes =
      shapes.size({"classifier.head.weight", "classifier.head.bias"}, 0).value_or(0);
  return configuration;
}

/// Returns the name of the published network with these sizes, or `custom`.
std::string vmambaVariant(const VmambaConfiguration& configuration) {
  std::vector<int> depths;
  std::vector<int> channels;
  for (const VmambaStageConfiguration& stage : configuration.stages) {
    depths.push_back(stage.depth);
    channels.push_back(stage.channels);
  }
  const VmambaStageConfiguration& first = configuration.stages.front();
  for (const PublishedVmamba& variant : publishedVmambas) {
    const int width = variant.channels;
    if (depths == std::vector<int>{2, 2, variant.depth, 2} &&
        channels == std::vector<int>{width, 2 * width, 4 * width, 8 * width} &&
        first.inner == variant.expansion * width && first.states == variant.states) {
      return variant.name;
    }
  }
  return "custom";
}

/// Returns true for the repository's names of forms that compute what `v0` and `v05_noz` do and
/// differ in the code that runs: `v2`, `v3noz`, `v04_noz_no32`. Further letters and digits stand
/// for other scans (`v052d`) or other activations (`_oact`).
bool isPublishedForm(std::string name) {
  for (const std::string ending : {"_no32", "noz", "_"}) {
    const std::size_t at = name.find(ending);
    if (at != std::string::npos) name.erase(at, ending.size());
  }
  return name.size() >= 2 && name.size() <= 3 && name.front() == 'v' &&
         std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Resolves the options that leave nothing in the weights: the scans' order and what follows them,
/// and the activations.
void resolveVmambaOptions(const VmambaConfiguration& configuration, const ModelHints& hints,
                          ModelSummary& summary) {
  const std::string form = configuration.isGated ? "v0" : "v05_noz";
  StoredOption known{.key = "MODEL.VSSM.SSM_FORWARDTYPE",
                     .usual = form,
                     .isCertain = summary.isPublished(),
                     .reason = "no published VMamba has these sizes, and no weight tells it",
                     .network = "VMamba",
                     .computed = {form}};
  known.accepts = isPublishedForm;
  const std::string variant = summary.variant;
  resolveStoredOption(known, hints, summary);
  summary.variant = variant;  // Any accepted form computes the same.
  known.accepts = nullptr;
  known.key = "MODEL.VSSM.SSM_ACT_LAYER";
  known.usual = "silu";
  known.computed = {"silu"};
  resolveStoredOption(known, hints, summary);
  if (configuration.stages.front().hidden == 0) return;
  known.key = "MODEL.VSSM.MLP_ACT_LAYER";
  known.usual = "gelu";
  known.computed = {"gelu"};
  resolveStoredOption(known, hints, summary);
}

DefinedModel defineVmamba(const StateDict& state, const ModelHints& hints) {
  requireOnly("VMamba", "vmamba", hints);
  requireHeadsOfWeights("VMamba, whose four scans are its heads,", 4, hints);
  requireNoRelativeOfVmamba(state);
  const VmambaConfiguration configuration = readVmambaConfiguration(ShapeReader(state, "VMamba"));
  ModelSummary summary;
  summary.family = "vmamba";
  summary.variant = vmambaVariant(configuration);
  summary.setOnlyMechanism("vmamba");
  summary.reason =
      "Names and shapes are those of VMamba: op.A_logs is its alone. Heads are its scans along "
      "rows, along columns, and both backwards; every channel has a matrix of its own, and what is "
      "shown is their mean.";
  resolveVmambaOptions(configuration, hints, summary);
  summary.channels = configuration.stages.back().channels;
  summary.classes = configuration.classes;
  for (std::size_t s = 0; s < configuration.stages.size(); ++s) {
    for (int i = 0; i < configuration.stages[s].depth; ++i) {
      summary.layers.push_back(
          {.name = "layers." + std::to_string(s) + ".blocks." + std::to_string(i) + ".op",
           .mechanism = "vmamba",
           .stage = static_cast<int>(s) + 1,
           .heads = 4});
    }
    summary.heads.push_back(4);
  }
  return {std::move(summary), std::make_shared<VmambaNetwork>(configuration)};
}

}  // namespace

Family vmambaFamily() {
  return {.name = "vmamba",
          .networks = "VMamba",
          .attention = "hidden attention of state spaces",
          .recognises = isVmamba,
          .define = defineVmamba};
}

}  // namespace softscope
