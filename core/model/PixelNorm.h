#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// A named mean and deviation of pixels that many networks are fed with. Channels are in the order
/// red, green, blue, for values in [0, 1].
struct PixelNorm {
  const char* name;   ///< the name in `--mean` and `--std`: `imagenet`
  const char* title;  ///< the name in text: `ImageNet's`
  std::array<float, 3> mean;
  std::array<float, 3> deviation;
};

/// Returns `imagenet`, `half` (0.5 and 0.5), `clip` and `none` (0 and 1).
const std::vector<PixelNorm>& pixelNorms();
/// Returns the mean and deviation that pixelNorms() lists under this name; null for an unknown
/// name.
const PixelNorm* findPixelNorm(const std::string& name);

/// Parses a value of `--mean`: a name, one number for all channels, or three separated by commas.
std::optional<std::array<float, 3>> parsePixelMean(const std::string& text);
/// Parses a value of `--std`: a name, or one or three numbers above 0.
std::optional<std::array<float, 3>> parsePixelDeviation(const std::string& text);

/// Returns the name of the norm with this mean, or else its numbers: `imagenet`,
/// `0.1307,0.1307,0.1307`.
std::string pixelMeanText(const std::array<float, 3>& mean);
std::string pixelDeviationText(const std::array<float, 3>& deviation);
/// Returns the numbers: `0.5,0.5,0.5`.
std::string channelsText(const std::array<float, 3>& channels);

}  // namespace softscope
