#include "models/identify/Parameters.h"

#include "core/network/NamedTensors.h"
#include "core/text/Words.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>

namespace softscope {

namespace {

constexpr std::string_view batchCounter = "num_batches_tracked";

bool isBatchCounter(std::string_view name) {
  return name.size() >= batchCounter.size() &&
         name.substr(name.size() - batchCounter.size()) == batchCounter;
}

}  // namespace

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
