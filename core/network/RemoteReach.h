#pragma once

#include "core/Progress.h"
#include "core/analysis/reach/Reach.h"
#include "core/model/InputTransform.h"
#include "core/model/Model.h"

#include <optional>
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

}  // namespace softscope
