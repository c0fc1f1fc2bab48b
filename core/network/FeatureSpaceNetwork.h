#pragma once

#include <torch/types.h>

#include <optional>

namespace softscope {

/// The weights through which a network reads its result from the tokens behind its last block.
struct FeatureTensors {
  torch::Tensor weight;  ///< of the final layer norm, [C]
  torch::Tensor bias;    ///< [C]
  double epsilon = 0;
  torch::Tensor projection;  ///< to a space that texts share, [C, width]; undefined without one
};

/// An additional interface of networks whose final norm acts on patches, so that they can be read
/// as the class token is.
class FeatureSpaceNetwork {
 public:
  virtual ~FeatureSpaceNetwork() = default;

  /// Returns nothing if the network has no final norm of its tokens.
  virtual std::optional<FeatureTensors> featureTensors() const = 0;
};

}  // namespace softscope
