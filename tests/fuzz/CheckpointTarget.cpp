#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "tests/fuzz/InputOnDisk.h"
#include "tests/fuzz/RuleWatch.h"
#include "tests/fuzz/Target.h"

/// Of every format: the reader tells them apart by their bytes, and an index of shards by its name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bool isIndex = size > 0 && data[0] == '{';
  const std::string path = softscope::fuzz::onDisk(data, size, isIndex ? ".index.json" : ".pth");
  const softscope::fuzz::RuleWatch watch(size);
  try {
    static_cast<void>(softscope::readCheckpoint(path));
  } catch (const softscope::Error&) {
    // Refused, in words.
  }
  return 0;
}
