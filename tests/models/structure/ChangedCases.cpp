#include "tests/models/structure/ChangedCases.h"

#include "core/Error.h"
#include "core/checkpoint/Safetensors.h"
#include "core/model/SettingOption.h"
#include "core/network/Inspector.h"
#include "models/OpenModel.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/checkpoint/TestFiles.h"
#include "tests/models/structure/HandWrittenCases.h"

#include <algorithm>
#include <cmath>

namespace softscope::test {

namespace {

ModelRequest requestWith(const Options& options) {
  ModelRequest request;
  for (const auto& [option, value] : options) setOption(request, option, value);
  return request;
}

}  // namespace

Checkpoint rebuilt(const std::string& name, const Pieces& dropped, const Shapes& added) {
  Checkpoint checkpoint = readCheckpoint(HandWrittenCases::request(name, "").path);
  StateDict state;
  for (const StateDict::Entry& entry : checkpoint.state.entries()) {
    const auto isIn = [&](const std::string& piece) {
      return entry.name.find(piece) != std::string::npos;
    };
    if (std::ranges::none_of(dropped, isIn)) state.insert(entry.name, entry.tensor);
  }
  torch::manual_seed(7);
  for (const auto& [tensor, shape] : added) {
    state.insert(tensor, 0.3 * torch::rand(shape) + (tensor.ends_with("running_var") ? 1 : 0));
  }
  checkpoint.state = state;
  return checkpoint;
}

Checkpoint plainNetwork(const Pieces& dropped, const Shapes& added) {
  return rebuilt("scale_gamma", dropped, added);
}

std::set<std::string> doubtsOf(const ModelSummary& summary) {
  std::set<std::string> options;
  for (const NetworkSetting& setting : summary.undetermined()) options.insert(setting.option);
  return options;
}

std::string refusalOfParts(const Checkpoint& checkpoint, const Options& options) {
  return messageOf<ModelError>([&] { identifyModel(checkpoint, requestWith(options)); });
}

std::shared_ptr<const Inspection> answerOf(const Checkpoint& checkpoint, const Options& options,
                                           int height, int width) {
  const TemporaryFolder folder;
  ModelRequest request = requestWith(options);
  request.path = folder.file("other.safetensors");
  writeSafetensors(request.path, checkpoint.state, checkpoint.metadata);
  InputTensor input{height, width, {}, 1};
  for (int i = 0; i < height * width; ++i) {
    input.values.push_back(std::sin(0.37f * static_cast<float>(i)));
  }
  return inspect(*openModel(request), input);
}

}  // namespace softscope::test
