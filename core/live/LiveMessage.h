#pragma once

#include "core/live/LiveModels.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace softscope {

/// The version of the protocol, which both sides must have; docs/live.md describes it.
inline constexpr int liveProtocol = 1;

/// A frame: `SSL1`, the sizes of both parts (uint32 and uint64, little-endian), JSON, and bytes
/// that the JSON describes.
struct LiveFrame {
  std::string json;
  std::string payload;
};

/// Sizes of the two parts of a frame, as its first 16 bytes announce them.
struct LiveFrameSizes {
  std::uint32_t json = 0;
  std::uint64_t payload = 0;
};

inline constexpr std::size_t liveFrameHead = 16;
inline constexpr std::uint32_t longestLiveJson = 1 << 20;
inline constexpr std::uint64_t largestLivePayload = std::uint64_t(1) << 30;
/// Parses the first 16 bytes of a frame. Throws Malformed if they are no frame of this protocol, or
/// announce more than `largestPayload` or longestLiveJson bytes.
LiveFrameSizes frameSizes(std::string_view head, std::uint64_t largestPayload);
/// Returns the first 16 bytes of a frame.
std::string frameHead(const LiveFrame& frame);

/// The first message of a process.
struct LiveGreeting {
  int protocol = 0;
  std::string token;
  LiveDescription description;
};

struct LiveReply {
  std::int64_t id = 0;
  LiveAnswer answer;
  /// The reason why there is no answer; empty if there is one.
  std::string error;
};

/// One recording of a series.
struct LiveStep {
  std::int64_t step = 0;
  std::string recording;
};

/// A greeting, a picture to open in the window, a reply, or a step.
using LiveMessage = std::variant<LiveGreeting, LivePicture, LiveReply, LiveStep>;

/// Reads a message that a Python process sent. Throws Malformed that names what is wrong.
LiveMessage readLiveMessage(LiveFrame frame);

/// Makes the messages that the window sends.
LiveFrame welcomeFrame(const std::string& program);
LiveFrame refusalFrame(const std::string& reason);
LiveFrame questionFrame(std::int64_t id, const LiveQuestion& question);

}  // namespace softscope
