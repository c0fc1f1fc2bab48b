#pragma once

#include "models/identify/ShapeReader.h"

#include <cstddef>
#include <string>
#include <vector>

namespace softscope {

/// A published network of MILA's build or VSSD's.
struct PublishedPyramid {
  const char* name;
  int channels;  ///< in the first stage; every further stage has twice as many
  std::vector<int> depths;
};

/// Returns the name of the published pyramid that has stages of these sizes, or `custom`.
template <typename Published, typename Stage>
std::string publishedPyramid(const Published& published, const std::vector<Stage>& stages) {
  for (const PublishedPyramid& pyramid : published) {
    bool fits = pyramid.depths.size() == stages.size();
    for (std::size_t i = 0; fits && i < stages.size(); ++i) {
      fits = stages[i].depth == pyramid.depths[i] && stages[i].channels == pyramid.channels << i;
    }
    if (fits) return pyramid.name;
  }
  return "custom";
}

/// Reads the sizes of the stem, of what leads from stage to stage and of the head, which MILA and
/// VSSD call alike. Throws ModelError, naming what the file lacks.
template <typename Configuration>
void readStemAndHead(const ShapeReader& shapes, Configuration& configuration) {
  for (std::size_t i = 0; i + 1 < configuration.stages.size(); ++i) {
    shapes.require(configuration.stages[i].downsampleHidden,
                   "what leads out of stage " + std::to_string(i + 1));
  }
  const std::string stem = "patch_embed.";
  configuration.stemChannels = shapes.require(
      shapes.size({stem + "conv1.conv.weight", stem + "conv1.norm.weight"}, 0), "its stem");
  configuration.stemHidden = shapes.require(
      shapes.size({stem + "conv3.0.conv.weight", stem + "conv3.0.norm.weight"}, 0), "its stem");
  configuration.classes = shapes.size({"head.weight", "head.bias"}, 0).value_or(0);
}

}  // namespace softscope
