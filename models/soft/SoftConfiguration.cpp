#include "models/soft/SoftConfiguration.h"

#include "core/Error.h"
#include "models/identify/Metadata.h"
#include "models/identify/ResolvedHeads.h"

#include <algorithm>
#include <string>
#include <vector>

namespace softscope {

SoftConfiguration readSoftPyramid(const ShapeReader& shapes) {
  SoftConfiguration configuration;
  for (std::size_t s = 0; s < SoftConfiguration::stages; ++s) {
    const std::string stage = std::to_string(s + 1);
    const std::string embedding = "patch_embed" + stage + ".proj." + (s == 0 ? "6" : "0");
    configuration.channels[s] =
        shapes.require(shapes.size({embedding + ".weight", embedding + ".bias"}, 0),
                       "the channels of stage " + stage);
    configuration.depths[s] =
        shapes.require(shapes.count("block" + stage + "."), "the blocks of stage " + stage);
    configuration.positions[s] =
        shapes.size({"pos_embed" + stage}, 1).value_or(configuration.positions[s]);
    const std::string hidden = "block" + stage + (s < 3 ? ".0.att.ff1" : ".0.mlp.fc1");
    configuration.hidden[s] = shapes.size({hidden + ".weight", hidden + ".bias"}, 0)
                                  .value_or(4 * configuration.channels[s]);
  }
  configuration.queryBias =
      shapes.any("block4.0.attn.q.bias") || shapes.any("block4.0.attn.kv.bias");
  configuration.stem = shapes.size({"patch_embed1.proj.0.weight", "patch_embed1.proj.0.bias"}, 0)
                           .value_or(configuration.stem);
  configuration.classes = shapes.size({"head.weight", "head.bias"}, 0).value_or(0);
  return configuration;
}

SoftConfiguration nanoPyramid(int classes) {
  return {.channels = {32, 64, 128, 160},
          .heads = {1, 2, 4, 5},
          .depths = {1, 2, 3, 2},
          .hidden = {128, 256, 512, 640},
          .classes = classes};
}

SoftConfiguration resizedPyramid(SoftConfiguration configuration, const ArchitectureSizes& sizes) {
  const std::array<int, SoftConfiguration::stages> usual = configuration.channels;
  chooseSizes(sizes.widths, configuration.channels, "--width");
  chooseSizes(sizes.heads, configuration.heads, "--heads");
  for (std::size_t s = 0; s < SoftConfiguration::stages; ++s) {
    configuration.hidden[s] = configuration.hidden[s] * configuration.channels[s] / usual[s];
    requireTrainableHeads(configuration.channels[s], configuration.heads[s], s + 1);
  }
  return configuration;
}

int usualLastHeads(const SoftConfiguration& configuration) {
  const int channels = configuration.channels[3];
  const int width = configuration.channels[2] / configuration.heads[2];
  if (channels % width == 0) return channels / width;
  return channels % 32 == 0 ? channels / 32 : 1;
}

void requireHeadsOfStages(const SoftConfiguration& configuration, const ModelHints& hints) {
  if (!hints.heads || hints.heads->isOneNumber()) return;
  const std::vector<int>& asked = hints.heads->counts();
  const std::vector<int> told(configuration.heads.begin(), configuration.heads.begin() + 3);
  if (asked.size() == configuration.heads.size() &&
      std::equal(told.begin(), told.end(), asked.begin())) {
    return;
  }
  throw ModelError("its weights say heads " + listedNumbers(told) +
                   " in stages 1 to 3, which --heads " + hints.heads->text() +
                   " contradicts; --heads N is of stage 4 alone");
}

NetworkSetting assumedRatios(const SoftConfiguration& configuration) {
  return {.option = "ratios",
          .value = listedNumbers(configuration.ratios),
          .source = "assumed",
          .choices = {},
          .why = "no weight tells of how many queries each landmark is made"};
}

void listSoftLayers(const SoftConfiguration& configuration, ModelSummary& summary) {
  summary.heads.assign(configuration.heads.begin(), configuration.heads.end());
  for (std::size_t s = 0; s < SoftConfiguration::stages; ++s) {
    for (int depth = 0; depth < configuration.depths[s]; ++depth) {
      const std::string block = "block" + std::to_string(s + 1) + "." + std::to_string(depth);
      summary.layers.push_back({.name = block + (s < 3 ? ".att.mha.attn" : ".attn"),
                                .mechanism = s < 3 ? summary.mechanism : "softmax",
                                .stage = static_cast<int>(s) + 1,
                                .heads = configuration.heads[s]});
    }
  }
}

}  // namespace softscope
