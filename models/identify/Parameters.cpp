#include "models/identify/Parameters.h"

#include "core/network/NetworkModule.h"
#include "core/text/FileText.h"
#include "core/text/Names.h"
#include "core/text/Words.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <string_view>

namespace softscope {

namespace {

/// Entries that training and its tools leave in the state dict of any network.
const std::vector<std::string> trainingLeftovers{
    "*num_batches_tracked",  // counter of a batch norm, which inference does not use
    "*total_ops",           "*total_params",  // thop's counts of operations and parameters
    "n_averaged",  // number of weights that stochastic weight averaging has averaged
    "optimizer*",           "ema.*",         "ema_model.*", "model_ema.*",
};

bool matchesAny(const std::string& name, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matchesPattern(name, pattern); });
}

constexpr std::string_view batchCounter = "num_batches_tracked";

bool isBatchCounter(std::string_view name) {
  return name.size() >= batchCounter.size() &&
         name.substr(name.size() - batchCounter.size()) == batchCounter;
}

}  // namespace

std::vector<std::string> foreignParameters(const std::vector<std::string>& unexpected,
                                           const std::vector<std::string>& harmless) {
  std::vector<std::string> foreign;
  std::copy_if(unexpected.begin(), unexpected.end(), std::back_inserter(foreign),
               [&](const std::string& name) {
                 return !matchesAny(name, trainingLeftovers) && !matchesAny(name, harmless);
               });
  return foreign;
}

std::string foreignText(const ModelSummary& summary) {
  std::vector<std::string> names;
  for (const std::string& name : summary.foreign) names.push_back(quotedText(name));
  return "has " + countedText(std::ssize(names), "parameter") + " that " + summary.family +
         " does not have: " + firstOf(names);
}

void describeBeside(ModelSummary& summary) {
  if (summary.beside.empty()) return;
  std::vector<std::string> names;
  for (const std::string& name : summary.beside) names.push_back(quotedText(name));
  summary.reason += " Beside the network the file has " +
                    countedText(std::ssize(names), "parameter") +
                    " of something that is not computed: " + firstOf(names) + ".";
}

void describeForeign(ModelSummary& summary) {
  if (summary.foreign.empty()) return;
  summary.counterfactual = true;
  summary.reason += " But it " + foreignText(summary) + ". It is another network, or damaged.";
}

std::string shapeText(at::IntArrayRef shape) {
  return "[" + listText(shape) + "]";
}

std::string firstOf(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(shown, names.size()); ++i) {
    text += (i == 0 ? "" : "; ") + names[i];
  }
  if (names.size() > shown) text += "; and " + std::to_string(names.size() - shown) + " more";
  return text;
}

ParameterMatch matchParameters(const torch::nn::Module& network, const StateDict& state) {
  ParameterMatch match;
  std::set<std::string> expected;
  forEachTensor(network, [&](const std::string& name, const torch::Tensor& tensor) {
    expected.insert(name);
    const torch::Tensor* found = state.find(name);
    if (found == nullptr) {
      if (!isBatchCounter(name)) match.missing.push_back(name);
    } else if (!isBatchCounter(name) && found->sizes() != tensor.sizes()) {
      match.wrongShape.push_back(name + " is " + shapeText(found->sizes()) + ", expected " +
                                 shapeText(tensor.sizes()));
    }
  });
  for (const StateDict::Entry& entry : state.entries()) {
    if (expected.count(entry.name) == 0) match.unexpected.push_back(entry.name);
  }
  return match;
}

void loadParameters(torch::nn::Module& network, const StateDict& state,
                    const torch::Device& device) {
  const torch::NoGradGuard noGradient;
  forEachTensor(network, [&](const std::string& name, torch::Tensor tensor) {
    const torch::Tensor* source = state.find(name);
    if (source == nullptr || isBatchCounter(name)) {
      tensor.set_data(tensor.to(device));
    } else {
      tensor.set_data(source->detach().to(device, torch::kFloat32).contiguous());
    }
    tensor.set_requires_grad(false);
  });
}

std::int64_t countParameters(const torch::nn::Module& network) {
  std::int64_t count = 0;
  for (const torch::Tensor& parameter : network.parameters()) count += parameter.numel();
  return count;
}

}  // namespace softscope
