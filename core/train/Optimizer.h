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
  double secondMomentum = 0.999;  ///< AdamW's decay of squared gradients
  double epsilon = 1e-8;          ///< AdamW's
};

/// Whether weight decay pulls a parameter towards zero: matrices and filters, yes; biases, norms,
/// position tables, class tokens and other vectors, no.
bool decays(const std::string& name, const torch::Tensor& parameter);

/// Changes a network's parameters by their gradients. Its state is tensors with names, so that it
/// can be kept in a file and go on to the last bit.
class Optimizer {
 public:
  /// Keeps the network's parameters, which must be on their device already.
  Optimizer(const torch::nn::Module& network, const OptimizerOptions& options);

  void clearGradients();
  /// Scales all gradients so that their l2 norm together is at most `limit`; 0: leaves them.
  /// Returns what it was.
  double clipGradients(double limit);
  void step(double learningRate);

  /// Adds the state under `optimizer.`, sharing memory.
  void save(StateDict& state) const;
  /// Takes up a saved state and the count of steps. Throws TrainingError where a tensor is missing.
  void load(const StateDict& state, std::int64_t steps);

 private:
  struct Entry {
    std::string name;
    torch::Tensor parameter;
    torch::Tensor momentum;
    torch::Tensor square;  ///< AdamW's
    double weightDecay = 0;
  };

  void stepAdamW(Entry& entry, double learningRate) const;
  void stepSgd(Entry& entry, double learningRate) const;

  OptimizerOptions options_;
  std::vector<Entry> entries_;
  std::int64_t steps_ = 0;
};

}  // namespace softscope
