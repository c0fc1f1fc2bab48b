#include "core/Error.h"
#include "core/recording/Recording.h"
#include "tests/fuzz/InputOnDisk.h"
#include "tests/fuzz/RuleWatch.h"
#include "tests/fuzz/Target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = softscope::fuzz::onDisk(data, size, ".npz");
  const softscope::fuzz::RuleWatch watch(size);
  try {
    static_cast<void>(softscope::readRecording(path));
  } catch (const softscope::Error&) {
    // Refused, in words.
  }
  return 0;
}
