#pragma once

#include "models/attention/MechanismImplementation.h"
#include "models/attention/PyramidKernel.h"
#include "models/identify/Family.h"
#include "models/identify/ShapeReader.h"
#include "models/layers/TransformerBlock.h"
#include "models/soft/SoftNetwork.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// `mha`: the projections W_q, W_k, W_v and ff around the kernel of a mechanism.
class PyramidAttentionImpl final : public StageAttention {
 public:
  explicit PyramidAttentionImpl(const PyramidAttentionOptions& options);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid,
                        Recorder* recorder) override;

 private:
  int heads_;
  Linear queryProjection_{nullptr};
  Linear keyProjection_{nullptr};
  Linear valueProjection_{nullptr};
  std::shared_ptr<PyramidKernel> kernel_;
  Linear output_{nullptr};
};
TORCH_MODULE(PyramidAttention);

/// Returns every mechanism that SOFT's pyramid supports, in the order in which they are listed.
const std::vector<const MechanismImplementation*>& pyramidMechanisms();
/// Returns the mechanism with this name, or null.
const MechanismImplementation* findPyramidMechanism(const std::string& name);

/// SOFT's pyramid with another attention in stages 1 to 3.
struct PyramidConfiguration {
  /// Sizes of the pyramid. `convolutions` and `mechanism`, which are SOFT's, are unused; the ratios
  /// of mechanisms without landmarks are 1.
  SoftConfiguration sizes;
  const MechanismImplementation* implementation = findPyramidMechanism("softmax");
  /// Performer's m in each stage.
  std::array<int, 3> features{};
  /// True if neither the weights nor metadata give the heads, or the ratios, of some stage.
  bool headsAssumed = false;
  /// Source of the heads in stages whose weights do not determine them, to be shown after them.
  std::string headsSource = {};
  bool ratiosAssumed = false;
};

/// Returns the properties of stages 1 to 3 that a new network's initial values depend on.
std::vector<PyramidStage> stagesOf(const PyramidConfiguration& configuration);

/// Returns the mechanisms whose only parameters are the projections, so that weights do not
/// distinguish them.
std::vector<std::string> pyramidMechanismsWithoutParameters();

/// Returns the mechanism whose own parameter is present; null if there is none.
const MechanismImplementation* mechanismInWeights(const ShapeReader& shapes);

/// Reads the configuration from names and shapes, then from `--heads` for stage 4 or all, then from
/// metadata: `heads` (`1,2,4,5`) and Nyströmformer's `ratios` (`8,4,2`). If nothing determines
/// them, heads are 32 channels wide and ratios are those of SOFT. Throws ModelError if information
/// is missing.
PyramidConfiguration readPyramidConfiguration(const ShapeReader& shapes,
                                              const MechanismImplementation& implementation,
                                              const ModelHints& hints);

/// Returns `pyramid_performer_nano`, or `custom`.
std::string pyramidVariant(const PyramidConfiguration& configuration);

/// Returns the configuration for a variant's name, with ten classes and positions for pictures of
/// 224 pixels; nothing for an unknown name.
std::optional<PyramidConfiguration> publishedPyramid(const std::string& variant);

/// Returns the pyramid with other channels and heads, and with the number of Performer's features
/// that suits these heads. Throws ModelError for sizes that do not fit.
PyramidConfiguration resizedPyramid(PyramidConfiguration configuration,
                                    const ArchitectureSizes& sizes);

/// Returns the metadata that readPyramidConfiguration() needs besides the mechanism: `heads`, and
/// `ratios` if there are landmarks.
std::map<std::string, std::string> pyramidMetadata(const PyramidConfiguration& configuration);

/// Creates the network; its parameters are not filled in.
std::shared_ptr<NetworkModule> pyramidNetwork(const PyramidConfiguration& configuration);

}  // namespace softscope
