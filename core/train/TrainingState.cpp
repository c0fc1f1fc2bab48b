#include "core/train/TrainingState.h"

#include "core/Error.h"
#include "core/checkpoint/Safetensors.h"
#include "core/network/NetworkModule.h"
#include "core/text/Words.h"

#include <cmath>

namespace softscope {

namespace {

constexpr const char* networkPrefix = "network.";
constexpr const char* averagedWeightPrefix = "average.";
constexpr const char* descriptionPrefix = "description.";

void save(StateDict& state, const std::string& prefix, const torch::nn::Module& network) {
  forEachTensor(network, [&](const std::string& name, const torch::Tensor& tensor) {
    state.insert(prefix + name, tensor);
  });
}

void load(const Checkpoint& file, const std::string& prefix, const torch::nn::Module& network) {
  forEachTensor(network, [&](const std::string& name, torch::Tensor tensor) {
    const torch::Tensor* saved = file.state.find(prefix + name);
    if (saved == nullptr || saved->sizes() != tensor.sizes()) {
      throw CheckpointError(file.path, "is the state of another network's training (" + name +
                                           " does not fit); start again without --resume");
    }
    tensor.copy_(*saved);
  });
}

double numberIn(const Checkpoint& file, const std::string& key) {
  const auto entry = file.metadata.find(key);
  const auto number = entry == file.metadata.end() ? std::nullopt : parseNumber(entry->second);
  if (!number || !std::isfinite(*number) || *number < 0) {
    throw CheckpointError(file.path, "is no training's state: it does not say its " + key);
  }
  return *number;
}

void requireSameDescription(const Checkpoint& file,
                            const std::map<std::string, std::string>& description) {
  std::vector<std::string> differences;
  for (const auto& [name, value] : description) {
    const auto saved = file.metadata.find(descriptionPrefix + name);
    if (saved != file.metadata.end() && saved->second == value) continue;
    const std::string before = saved == file.metadata.end() ? "unset" : saved->second;
    differences.push_back(name + " was " + before + ", now " + value);
  }
  if (differences.empty()) return;
  throw TrainingError(file.path + ": belongs to another training (" + listText(differences) +
                      "); give the same options and data, or start again without --resume");
}

}  // namespace

void writeTrainingState(const std::string& path, const TrainingPosition& position,
                        const TrainingTensors& tensors,
                        const std::map<std::string, std::string>& description) {
  StateDict state;
  save(state, networkPrefix, tensors.network);
  save(state, averagedWeightPrefix, tensors.average);
  tensors.optimizer.save(state);
  std::map<std::string, std::string> metadata{
      {"epoch", std::to_string(position.epoch)},
      {"step", std::to_string(position.step)},
      {"loss_sum", numberText(position.lossSum)},
      {"seconds", numberText(position.seconds)},
      {"history", position.history},
  };
  for (const auto& [name, value] : description) metadata[descriptionPrefix + name] = value;
  writeSafetensors(path, state, metadata);
}

TrainingPosition readTrainingState(const std::string& path, const TrainingTensors& tensors,
                                   const std::map<std::string, std::string>& description,
                                   std::int64_t stepsPerEpoch) {
  const Checkpoint file = readSafetensors(path);
  TrainingPosition position;
  position.epoch = static_cast<std::int64_t>(numberIn(file, "epoch"));
  position.step = static_cast<std::int64_t>(numberIn(file, "step"));
  position.lossSum = numberIn(file, "loss_sum");
  position.seconds = numberIn(file, "seconds");
  if (const auto history = file.metadata.find("history"); history != file.metadata.end()) {
    position.history = history->second;
  }
  requireSameDescription(file, description);
  const torch::NoGradGuard noGradient;
  load(file, networkPrefix, tensors.network);
  load(file, averagedWeightPrefix, tensors.average);
  tensors.optimizer.load(file.state, position.epoch * stepsPerEpoch + position.step);
  return position;
}

}  // namespace softscope
