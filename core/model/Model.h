#pragma once

#include "core/model/ModelSummary.h"

#include <memory>
#include <utility>

namespace softscope {

class Network;

/// A network with its weights, and what is known about both. Shared between the window and its
/// worker; never changes once opened. Names no tensor type, so that a window may hold it.
class Model {
 public:
  Model(ModelSummary summary, std::shared_ptr<Network> network)
      : summary_(std::move(summary)), network_(std::move(network)) {}

  const ModelSummary& summary() const { return summary_; }
  Network& network() const { return *network_; }

 private:
  ModelSummary summary_;
  std::shared_ptr<Network> network_;
};

}  // namespace softscope
