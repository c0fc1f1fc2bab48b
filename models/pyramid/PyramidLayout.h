#pragma once

#include "models/identify/Family.h"
#include "models/identify/ShapeReader.h"
#include "models/pyramid/PyramidAttention.h"
#include "models/soft/SoftNetwork.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// SOFT's pyramid with another attention in stages 1 to 3.
struct PyramidConfiguration {
  /// Of the pyramid. `convolutions` and `mechanism`, which are SOFT's, are unused; the ratios of
  /// mechanisms without landmarks are 1.
  SoftConfiguration sizes;
  PyramidMechanism mechanism = PyramidMechanism::Softmax;
  /// Performer's m in each stage.
  std::array<int, 3> features{};
  /// Whether neither the weights nor metadata told the heads, or the ratios, of some stage.
  bool headsAssumed = false;
  bool ratiosAssumed = false;
};

/// The mechanisms whose parameters are the projections alone, so that no weights tell them apart.
const std::vector<std::string>& pyramidMechanismsWithoutParameters();

/// Performer or Linformer, whose parameters tell; nothing for the others.
std::optional<PyramidMechanism> mechanismInWeights(const ShapeReader& shapes);

/// What names and shapes tell, then `--heads` for stage 4, then metadata: `heads` (`1,2,4,5`) and
/// Nyströmformer's `ratios` (`8,4,2`). Where nothing tells, heads are 32 channels wide and ratios
/// those of SOFT. Throws ModelError where too little is there.
PyramidConfiguration readPyramidConfiguration(const ShapeReader& shapes, PyramidMechanism mechanism,
                                              const ModelHints& hints);

/// `pyramid_performer_nano`, or `custom`.
std::string pyramidVariant(const PyramidConfiguration& configuration);

/// The configuration of a variant's name, with ten classes and the positions of pictures of 224
/// pixels; nothing for an unknown name.
std::optional<PyramidConfiguration> publishedPyramid(const std::string& variant);

/// What a file must say beside its mechanism for readPyramidConfiguration(): `heads`, and `ratios`
/// where there are landmarks.
std::map<std::string, std::string> pyramidMetadata(const PyramidConfiguration& configuration);

/// The network, its parameters not filled in.
std::shared_ptr<NetworkModule> pyramidNetwork(const PyramidConfiguration& configuration);

/// Draws Performer's random features, which no training changes, the same in every call.
void drawRandomFeatures(NetworkModule& network);

/// Starts a network of unnormalised ELU attention with rows that sum to about one, as those of the
/// other mechanisms do. With biases of 0 they sum to sqrt(n) d, and what attention adds drowns the
/// tokens.
void startEluRowsAtOne(const SoftConfiguration& sizes, NetworkModule& network);

}  // namespace softscope
