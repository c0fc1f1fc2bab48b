#pragma once

#include "models/identify/Family.h"
#include "models/identify/ShapeReader.h"
#include "models/pyramid/PyramidMechanisms.h"
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
  const MechanismImplementation* implementation = findPyramidMechanism("softmax");
  /// Performer's m in each stage.
  std::array<int, 3> features{};
  /// Whether neither the weights nor metadata told the heads, or the ratios, of some stage.
  bool headsAssumed = false;
  /// Who told those of stages whose weights do not, to stand behind them.
  std::string headsSource = {};
  bool ratiosAssumed = false;
};

/// What a new network's first values depend on, of stages 1 to 3.
std::vector<PyramidStage> stagesOf(const PyramidConfiguration& configuration);

/// The mechanisms whose parameters are the projections alone, so that no weights tell them apart.
std::vector<std::string> pyramidMechanismsWithoutParameters();

/// The mechanism whose own parameter is there; null where there is none.
const MechanismImplementation* mechanismInWeights(const ShapeReader& shapes);

/// What names and shapes tell, then `--heads` for stage 4 or all, then metadata: `heads`
/// (`1,2,4,5`) and Nyströmformer's `ratios` (`8,4,2`). Where nothing tells, heads are 32 channels
/// wide and ratios those of SOFT. Throws ModelError where too little is there.
PyramidConfiguration readPyramidConfiguration(const ShapeReader& shapes,
                                              const MechanismImplementation& implementation,
                                              const ModelHints& hints);

/// `pyramid_performer_nano`, or `custom`.
std::string pyramidVariant(const PyramidConfiguration& configuration);

/// The configuration of a variant's name, with ten classes and the positions of pictures of 224
/// pixels; nothing for an unknown name.
std::optional<PyramidConfiguration> publishedPyramid(const std::string& variant);

/// The pyramid with other channels and heads, and as many of Performer's features as these heads
/// have. Throws ModelError for sizes that do not fit.
PyramidConfiguration resizedPyramid(PyramidConfiguration configuration,
                                    const ArchitectureSizes& sizes);

/// What a file must say beside its mechanism for readPyramidConfiguration(): `heads`, and `ratios`
/// where there are landmarks.
std::map<std::string, std::string> pyramidMetadata(const PyramidConfiguration& configuration);

/// The network, its parameters not filled in.
std::shared_ptr<NetworkModule> pyramidNetwork(const PyramidConfiguration& configuration);

}  // namespace softscope
