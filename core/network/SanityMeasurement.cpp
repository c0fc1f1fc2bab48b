#include "core/Error.h"
#include "core/network/Measurements.h"
#include "core/network/NetworkModule.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cctype>
#include <map>

namespace softscope {

namespace {

constexpr const char* answerPart = "head";
constexpr const char* firstPart = "embedding";

/// Returns an attention layer's name up to its last number: `block1.0` for
/// `block1.0.att.mha.attn`.
std::string blockOfLayer(const std::string& layer) {
  std::size_t end = layer.size();
  while (end > 0 && !std::isdigit(static_cast<unsigned char>(layer[end - 1]))) --end;
  return layer.substr(0, end);
}

/// Returns the last block that a parameter belongs to; empty if there is none.
std::string blockOfParameter(const std::string& name, const std::vector<std::string>& blocks) {
  for (const std::string& block : blocks) {
    if (name.starts_with(block + ".")) return block;
  }
  return {};
}

/// Returns the block that runs after one of the blocks, or what reads the answer.
std::string partBehind(const std::string& block, const std::vector<std::string>& blocks) {
  const auto next = std::ranges::find(blocks, block) + 1;
  return next == blocks.end() ? answerPart : *next;
}

/// The parameters of each part.
std::map<std::string, std::vector<torch::Tensor>> partsOf(const Model& model,
                                                          std::vector<std::string>& order) {
  const auto* network = dynamic_cast<const NetworkModule*>(&model.network());
  if (network == nullptr) {
    throw InspectionError("the network has no weights here that could be drawn anew");
  }
  std::vector<std::string> blocks;
  for (const LayerSummary& layer : model.summary().layers) {
    const std::string block = blockOfLayer(layer.name);
    if (!block.empty() && std::ranges::find(blocks, block) == blocks.end()) blocks.push_back(block);
  }
  std::map<std::string, std::vector<torch::Tensor>> parts;
  std::string partOfOthers = firstPart;
  for (const auto& parameter : network->named_parameters()) {
    const std::string block = blockOfParameter(parameter.key(), blocks);
    parts[block.empty() ? partOfOthers : block].push_back(parameter.value());
    if (!block.empty()) partOfOthers = partBehind(block, blocks);
  }
  std::ranges::reverse(blocks);
  order = {answerPart};
  order.insert(order.end(), blocks.begin(), blocks.end());
  order.emplace_back(firstPart);
  std::erase_if(order, [&](const std::string& part) { return !parts.contains(part); });
  return parts;
}

void drawAnew(const torch::Tensor& parameter, const at::Generator& generator) {
  const at::NoGradGuard noGradient;
  const torch::Tensor host = parameter.to(torch::kCPU, torch::kFloat32);
  const double mean = host.mean().item<double>();
  const double deviation = host.numel() > 1 ? host.std().item<double>() : 0;
  parameter.copy_(at::normal(mean, deviation, host.sizes(), generator));
}

}  // namespace

std::vector<std::string> randomisedParts(const Model& model) {
  std::vector<std::string> order;
  partsOf(model, order);
  return order;
}

ModelSanity measureSanity(const Model& model, const InputTensor& input,
                          const ClassMapRequest& request, const Progress& progress) {
  const ClassMaps trained = measureClassMaps(model, input, request, progress);
  ModelSanity sanity;
  sanity.classNames = model.summary().classNames;
  sanity.classIndex = trained.classIndex;
  const auto parts = partsOf(model, sanity.parts);
  ClassMapRequest again = request;
  again.classIndex = trained.classIndex;
  // The seed is fixed, so that a command gives the same numbers again.
  const at::Generator generator = at::detail::createCPUGenerator(1);
  std::vector<ClassMaps> randomised;
  for (const std::string& part : sanity.parts) {
    progress.report(
        static_cast<double>(randomised.size()) / static_cast<double>(sanity.parts.size()), part);
    for (const torch::Tensor& parameter : parts.at(part)) drawAnew(parameter, generator);
    randomised.push_back(measureClassMaps(model, input, again, progress));
  }
  sanity.curves = sanityCurves(trained, randomised);
  return sanity;
}

}  // namespace softscope
