#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/model/ModelSummary.h"
#include "models/OpenModel.h"
#include "tests/fuzz/Target.h"

#include <sstream>
#include <string>

namespace {

/// What a file of the names and shapes of a network's tensors, one a line, and of metadata,
/// `key=value`, stands for. The tensors hold nothing: each is one number, seen everywhere.
softscope::Checkpoint checkpointOf(const std::string& text) {
  constexpr std::int64_t longestSide = 4096;
  constexpr std::size_t mostDimensions = 5;
  softscope::Checkpoint checkpoint;
  checkpoint.path = "names.pth";
  checkpoint.weights = "raw";
  const torch::Tensor number = torch::zeros({1});
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos) {
      checkpoint.metadata[line.substr(0, equals)] = line.substr(equals + 1);
      continue;
    }
    std::istringstream words(line);
    std::string name;
    words >> name;
    std::vector<std::int64_t> shape;
    for (std::int64_t side = 0; shape.size() < mostDimensions && words >> side;) {
      if (side < 0 || side > longestSide) return checkpoint;
      shape.push_back(side);
    }
    const std::vector<std::int64_t> strides(shape.size(), 0);
    if (!name.empty()) checkpoint.state.insert(name, number.as_strided(shape, strides));
  }
  return checkpoint;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    static_cast<void>(softscope::identifyModel(
        checkpointOf(std::string(reinterpret_cast<const char*>(data), size))));
  } catch (const softscope::Error&) {
    // Of no network.
  }
  return 0;
}
