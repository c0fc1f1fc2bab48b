#include "tests/models/identify/ExtendedCheckpoint.h"

#include "core/checkpoint/Safetensors.h"
#include "tests/models/Golden.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace softscope {

namespace {

std::string storedPath(const std::string& checkpoint) {
  constexpr std::string_view golden = "golden/";
  if (checkpoint.starts_with(golden)) return goldenPath(checkpoint.substr(golden.size()));
  return SOFTSCOPE_SOURCE "/resources/checkpoints/" + checkpoint;
}

}  // namespace

ExtendedCheckpoint::ExtendedCheckpoint(const std::string& checkpoint,
                                       const std::vector<std::string>& added,
                                       const std::vector<std::string>& removed) {
  const Checkpoint stored = readCheckpoint(storedPath(checkpoint));
  StateDict state;
  for (const StateDict::Entry& entry : stored.state.entries()) {
    if (std::find(removed.begin(), removed.end(), entry.name) == removed.end()) {
      state.insert(entry.name, entry.tensor);
    }
  }
  for (const std::string& name : added) state.insert(name, torch::ones({3}));
  writeSafetensors(request().path, state, stored.metadata);
}

ModelRequest ExtendedCheckpoint::request() const {
  ModelRequest request;
  request.path = beside("checkpoint.safetensors");
  return request;
}

void ExtendedCheckpoint::writeBeside(const std::string& name, const std::string& text) const {
  writeBytes(beside(name), text);
}

Checkpoint withTensors(Checkpoint checkpoint,
                       const std::function<void(std::string&, torch::Tensor&)>& change) {
  StateDict state;
  for (const StateDict::Entry& entry : checkpoint.state.entries()) {
    std::string name = entry.name;
    torch::Tensor tensor = entry.tensor;
    change(name, tensor);
    state.insert(name, tensor);
  }
  checkpoint.state = std::move(state);
  return checkpoint;
}

}  // namespace softscope
