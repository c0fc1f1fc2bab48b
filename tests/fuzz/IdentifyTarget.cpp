#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/model/ModelSummary.h"
#include "core/network/CpuAllocator.h"
#include "models/OpenModel.h"
#include "tests/fuzz/Target.h"

#include <cstddef>
#include <sstream>
#include <string>
#include <sys/mman.h>

namespace {

/// Parameters whose memory may not be touched: a network is made before its shapes are compared
/// with the file's, and nobody reads or fills it by then. Small blocks are
/// LibTorch's own: a counter's, and those for the first 64 rows of a table of positions, which are
/// looked at for sines.
class UntouchedMemory final : public softscope::CpuAllocator {
  c10::DataPtr blockOf(std::size_t bytes) const override {
    constexpr std::size_t largestSmall = std::size_t{2} << 20;
    if (bytes <= largestSmall) return usualBlock(bytes);
    static void* const closed =
        mmap(nullptr, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return {closed, c10::DeviceType::CPU};
  }
};

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
  [[maybe_unused]] static const UntouchedMemory parameters;
  try {
    static_cast<void>(softscope::identifyModel(
        checkpointOf(std::string(reinterpret_cast<const char*>(data), size))));
  } catch (const softscope::Error&) {
    // Of no network.
  }
  return 0;
}
