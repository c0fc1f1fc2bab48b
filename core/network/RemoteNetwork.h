#pragma once

#include "core/Progress.h"
#include "core/analysis/reach/Reach.h"
#include "core/model/InputTransform.h"
#include "core/model/Model.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// An additional interface of networks that run elsewhere, where they can be differentiated.
class RemoteReachNetwork {
 public:
  virtual ~RemoteReachNetwork() = default;

  /// Returns what measureReach() returns.
  virtual std::vector<Reach> reach(const InputTensor& input, const ReachRequest& request,
                                   const Progress& progress) = 0;
};

/// Asks a network that runs elsewhere what reaches a token; empty for any other network. Throws
/// like measureReach().
std::optional<std::vector<Reach>> remoteReach(const Model& model, const InputTensor& input,
                                              const ReachRequest& request,
                                              const Progress& progress);

/// How much some heads of a layer add, as HeadShare and LayerShare measure it.
struct RemoteAddition {
  double attentionNorm = 0;
  double projectedNorm = 0;
  double residualNorm = 0;
  double outputNorm = 0;
  /// Present if all heads of a layer were silenced and something stands beside their attention.
  std::optional<double> besideNorm;
};

/// The answer of a network without some heads of a layer.
struct RemoteSilence {
  std::vector<float> logits;
  /// How much the silenced heads add to the tokens; empty if the network's process does not know.
  std::optional<RemoteAddition> addition;
};

/// An additional interface of networks that run elsewhere, which silence heads there.
class RemoteShareNetwork {
 public:
  virtual ~RemoteShareNetwork() = default;

  /// Runs without those heads. Throws InspectionError if that is not possible, and Cancelled.
  virtual RemoteSilence silence(const InputTensor& input, const std::string& layer,
                                const std::vector<int>& heads, const Progress& progress) = 0;
};

}  // namespace softscope
