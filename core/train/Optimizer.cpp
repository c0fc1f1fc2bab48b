#include "core/train/Optimizer.h"

#include "core/Error.h"

#include <cmath>

namespace softscope {

namespace {

constexpr const char* momentumPrefix = "optimizer.momentum.";
constexpr const char* squarePrefix = "optimizer.square.";

void restore(const StateDict& state, const std::string& name, torch::Tensor& target) {
  if (!target.defined()) return;
  const torch::Tensor* saved = state.find(name);
  if (saved == nullptr || saved->sizes() != target.sizes()) {
    throw TrainingError("the training's state lacks " + name + "; start again without --resume");
  }
  target.copy_(*saved);
}

bool endsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

bool decays(const std::string& name, const torch::Tensor& parameter) {
  return parameter.dim() >= 2 && (name == "weight" || endsWith(name, ".weight"));
}

Optimizer::Optimizer(const torch::nn::Module& network, const OptimizerOptions& options)
    : options_(options) {
  const torch::NoGradGuard noGradient;
  for (const auto& parameter : network.named_parameters()) {
    Entry entry{parameter.key(), parameter.value(), torch::zeros_like(parameter.value()), {}, 0};
    if (options.method == OptimizerOptions::Method::AdamW) {
      entry.square = torch::zeros_like(parameter.value());
    }
    if (decays(entry.name, entry.parameter)) entry.weightDecay = options.weightDecay;
    entries_.push_back(std::move(entry));
  }
}

void Optimizer::clearGradients() {
  for (Entry& entry : entries_) entry.parameter.mutable_grad().reset();
}

double Optimizer::clipGradients(double limit) {
  const torch::NoGradGuard noGradient;
  std::vector<torch::Tensor> norms;
  for (const Entry& entry : entries_) {
    if (entry.parameter.grad().defined()) norms.push_back(entry.parameter.grad().norm());
  }
  if (norms.empty()) return 0;
  const double norm = at::stack(norms).norm().item<double>();
  if (limit > 0 && norm > limit) {
    for (const Entry& entry : entries_) {
      if (entry.parameter.grad().defined()) entry.parameter.grad().mul_(limit / norm);
    }
  }
  return norm;
}

void Optimizer::step(double learningRate) {
  const torch::NoGradGuard noGradient;
  ++steps_;
  for (Entry& entry : entries_) {
    if (!entry.parameter.grad().defined()) continue;
    if (options_.method == OptimizerOptions::Method::AdamW) {
      stepAdamW(entry, learningRate);
    } else {
      stepSgd(entry, learningRate);
    }
  }
}

void Optimizer::stepAdamW(Entry& entry, double learningRate) const {
  const torch::Tensor& gradient = entry.parameter.grad();
  const double beta = options_.momentum;
  const double squareBeta = options_.secondMomentum;
  const double count = static_cast<double>(steps_);
  const double correction = 1 - std::pow(beta, count);
  const double squareCorrection = std::sqrt(1 - std::pow(squareBeta, count));
  entry.parameter.mul_(1 - learningRate * entry.weightDecay);
  entry.momentum.mul_(beta).add_(gradient, 1 - beta);
  entry.square.mul_(squareBeta).addcmul_(gradient, gradient, 1 - squareBeta);
  const torch::Tensor scale = entry.square.sqrt().div_(squareCorrection).add_(options_.epsilon);
  entry.parameter.addcdiv_(entry.momentum, scale, -learningRate / correction);
}

void Optimizer::stepSgd(Entry& entry, double learningRate) const {
  const torch::Tensor gradient = entry.parameter.grad().add(entry.parameter, entry.weightDecay);
  entry.momentum.mul_(options_.momentum).add_(gradient);
  entry.parameter.add_(gradient.add(entry.momentum, options_.momentum), -learningRate);
}

void Optimizer::save(StateDict& state) const {
  for (const Entry& entry : entries_) {
    state.insert(momentumPrefix + entry.name, entry.momentum);
    if (entry.square.defined()) state.insert(squarePrefix + entry.name, entry.square);
  }
}

void Optimizer::load(const StateDict& state, std::int64_t steps) {
  const torch::NoGradGuard noGradient;
  for (Entry& entry : entries_) {
    restore(state, momentumPrefix + entry.name, entry.momentum);
    restore(state, squarePrefix + entry.name, entry.square);
  }
  steps_ = steps;
}

}  // namespace softscope
