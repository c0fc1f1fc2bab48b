#include "core/files/Malformed.h"
#include "core/live/LiveMessage.h"
#include "tests/fuzz/RuleWatch.h"
#include "tests/fuzz/Target.h"

#include <algorithm>
#include <string_view>

/// An input is a stream of messages, as a Python process sends them; it may end anywhere.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace softscope;
  std::string_view stream(reinterpret_cast<const char*>(data), size);
  const fuzz::RuleWatch watch(size);
  try {
    while (stream.size() >= liveFrameHead) {
      const LiveFrameSizes sizes = frameSizes(stream.substr(0, liveFrameHead), largestLivePayload);
      stream.remove_prefix(liveFrameHead);
      const auto take = [&stream](std::uint64_t count) {
        const std::string_view part = stream.substr(0, static_cast<std::size_t>(count));
        stream.remove_prefix(part.size());
        return std::string(part);
      };
      LiveFrame frame;
      frame.json = take(sizes.json);
      frame.payload = take(sizes.payload);
      static_cast<void>(readLiveMessage(std::move(frame)));
    }
  } catch (const Malformed&) {
    // Refused, in words.
  }
  return 0;
}
