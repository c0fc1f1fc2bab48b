#pragma once

#include "core/checkpoint/StateDict.h"

#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

struct OptimizerOptions {
  enum class Method {
    AdamW,  ///< Adam with decoupled weight decay
    Sgd,    ///< with Nesterov's momentum; weight decay is part of the gradient
  };
  Method method = Method::AdamW;
  double weightDecay = 0.05;
  double momentum = 0.9;
  double secondMomentum = 0.999;  ///< decay of squared gradients in AdamW
  double epsilon = 1e-8;          ///< used by AdamW
};

/// Returns true if weight decay applies to a parameter: it does to matrices and filters, but not to
/// biases, norms, position tables, class tokens and other vectors.
bool decays(const std::string& name, const torch::Tensor& parameter);

/// Updates a network's parameters from their gradients. Its state consists of named tensors, so
/// that it can be saved to a file and continue exactly.
class Optimizer {
 public:
  /// Keeps the network's parameters, which must already be on their device.
  Optimizer(const torch::nn::Module& network, const OptimizerOptions& options);

  void clearGradients();
  /// Scales all gradients so that their joint l2 norm is at most `limit`; 0 leaves them unchanged.
  /// Returns the norm before scaling.
  double clipGradients(double limit);
  void step(double learningRate);

  /// Adds the state under `optimizer.`, sharing memory.
  void save(StateDict& state) const;
  /// Restores the tensors that save() put into `state`, and sets the number of steps taken so far
  /// to `steps`. Throws TrainingError if a tensor is missing or has another shape.
  void load(const StateDict& state, std::int64_t steps);

 private:
  struct Entry {
    std::string name;
    torch::Tensor parameter;
    torch::Tensor momentum;
    torch::Tensor square;  ///< used by AdamW
    double weightDecay = 0;
  };

  void stepAdamW(Entry& entry, double learningRate) const;
  void stepSgd(Entry& entry, double learningRate) const;

  OptimizerOptions options_;
  std::vector<Entry> entries_;
  std::int64_t steps_ = 0;
};

}  // namespace softscope
