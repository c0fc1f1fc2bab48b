#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/model/ModelSummary.h"
#include "models/OpenModel.h"
#include "tests/fuzz/Target.h"

#include <c10/core/Allocator.h>
#include <torch/version.h>

#include <cstddef>
#include <sstream>
#include <string>
#include <sys/mman.h>

namespace {

/// Parameters whose memory may not be touched: a network is made before its shapes are compared
/// with the file's, and nobody reads or fills it by then. Small blocks, such as a counter's, are
/// LibTorch's own.
class UntouchedMemory : public c10::Allocator {
 public:
  UntouchedMemory() : small_(c10::GetAllocator(c10::DeviceType::CPU)) {
    c10::SetAllocator(c10::DeviceType::CPU, this);
  }

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 3)
  c10::DataPtr allocate(std::size_t bytes) override {
    return blockOf(bytes);
  }
  void copy_data(void* to, const void* from, std::size_t count) const override {
    small_->copy_data(to, from, count);
  }
#else
  c10::DataPtr allocate(std::size_t bytes) const override {
    return blockOf(bytes);
  }
#endif

 private:
  c10::DataPtr blockOf(std::size_t bytes) const {
    constexpr std::size_t largestSmall = 256;
    if (bytes <= largestSmall) return small_->allocate(bytes);
    static void* const closed =
        mmap(nullptr, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return {closed, c10::DeviceType::CPU};
  }

  c10::Allocator* small_;
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
  static UntouchedMemory parameters;
  try {
    static_cast<void>(softscope::identifyModel(
        checkpointOf(std::string(reinterpret_cast<const char*>(data), size))));
  } catch (const softscope::Error&) {
    // Of no network.
  }
  return 0;
}
