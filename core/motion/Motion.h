#pragma once

#include "core/Progress.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace softscope {

/// The pixels of one picture of a motion, row by row from the top: red, green, blue and opacity.
struct MotionFrame {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgba;
};

/// How fast frames follow each other, and how often all of them are shown.
struct MotionPace {
  double framesPerSecond = 8;
  /// Number of times that the motion is shown; 0 for ever.
  int loops = 0;
};

/// Returns the frame at an index. Encoders hold one frame at a time, and may ask for it again.
using FrameAt = std::function<MotionFrame(std::size_t index)>;

/// The longest side, in pixels, that all readers of a motion take.
inline constexpr int longestMotionSide = 16383;

/// Encodes frames of one size, which must be opaque, as a GIF whose frames share 255 colours,
/// chosen from all of them. GIF counts time in hundredths of a second; what is rounded from one
/// frame is added to the next. Asks for every frame twice. Throws Error and Cancelled.
std::string encodeGif(std::size_t count, const FrameAt& frameAt, const MotionPace& pace,
                      const Progress& progress);

/// Encodes frames of one size as an animated WebP, without any loss. A frame that equals the one
/// before it makes that one longer. Throws Error and Cancelled.
std::string encodeWebP(std::size_t count, const FrameAt& frameAt, const MotionPace& pace,
                       const Progress& progress);

}  // namespace softscope
