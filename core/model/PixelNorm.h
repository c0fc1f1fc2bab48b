#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// A mean and a deviation of pixels that many networks are fed with, under a name. Channels are in
/// the order red, green, blue, and values in [0, 1].
struct PixelNorm {
  const char* name;   ///< as in `--mean` and `--std`: `imagenet`
  const char* title;  ///< to be read: `ImageNet's`
  std::array<float, 3> mean;
  std::array<float, 3> deviation;
};

/// `imagenet`, `half` (0.5 and 0.5), `clip` and `none` (0 and 1).
const std::vector<PixelNorm>& pixelNorms();
/// Null for a name that is none of theirs.
const PixelNorm* findPixelNorm(const std::string& name);

/// Reads a value of `--mean`: a name, one number for all channels, or three with commas between.
std::optional<std::array<float, 3>> parsePixelMean(const std::string& text);
/// Reads a value of `--std` likewise; its numbers are above 0.
std::optional<std::array<float, 3>> parsePixelDeviation(const std::string& text);

/// The name of the norm with this mean, else its numbers: `imagenet`, `0.1307,0.1307,0.1307`.
std::string pixelMeanText(const std::array<float, 3>& mean);
std::string pixelDeviationText(const std::array<float, 3>& deviation);
/// The numbers alone: `0.5,0.5,0.5`.
std::string channelsText(const std::array<float, 3>& channels);

}  // namespace softscope
