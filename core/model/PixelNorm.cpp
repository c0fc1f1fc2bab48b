#include "core/model/PixelNorm.h"

#include "core/text/Words.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace softscope {

namespace {

using Channels = std::array<float, 3>;

std::optional<Channels> parseChannels(const std::string& text) {
  Channels numbers{};
  std::size_t count = 0;
  const char* at = text.data();
  const char* end = at + text.size();
  while (count < numbers.size()) {
    const auto [stop, error] = std::from_chars(at, end, numbers[count]);
    if (error != std::errc() || !std::isfinite(numbers[count])) return std::nullopt;
    ++count;
    if (stop == end) break;
    if (*stop != ',') return std::nullopt;
    at = stop + 1;
    if (count == numbers.size()) return std::nullopt;
  }
  if (count == 1) numbers.fill(numbers[0]);
  if (count == 2) return std::nullopt;
  return numbers;
}

std::string normText(const Channels& numbers, Channels PixelNorm::*of) {
  const auto& norms = pixelNorms();
  const auto named = std::find_if(norms.begin(), norms.end(),
                                  [&](const PixelNorm& norm) { return norm.*of == numbers; });
  return named == norms.end() ? channelsText(numbers) : named->name;
}

}  // namespace

const std::vector<PixelNorm>& pixelNorms() {
  static const std::vector<PixelNorm> norms{
      {"imagenet", "ImageNet's", {0.485f, 0.456f, 0.406f}, {0.229f, 0.224f, 0.225f}},
      {"half", "0.5", {0.5f, 0.5f, 0.5f}, {0.5f, 0.5f, 0.5f}},
      {"clip",
       "CLIP's",
       {0.48145466f, 0.4578275f, 0.40821073f},
       {0.26862954f, 0.26130258f, 0.27577711f}},
      {"none", "none", {0, 0, 0}, {1, 1, 1}},
  };
  return norms;
}

const PixelNorm* findPixelNorm(const std::string& name) {
  const auto& norms = pixelNorms();
  const auto found = std::find_if(norms.begin(), norms.end(),
                                  [&](const PixelNorm& norm) { return norm.name == name; });
  return found == norms.end() ? nullptr : &*found;
}

std::optional<Channels> parsePixelMean(const std::string& text) {
  if (const PixelNorm* norm = findPixelNorm(text)) return norm->mean;
  return parseChannels(text);
}

std::optional<Channels> parsePixelDeviation(const std::string& text) {
  if (const PixelNorm* norm = findPixelNorm(text)) return norm->deviation;
  const auto numbers = parseChannels(text);
  const bool isPositive =
      numbers && std::all_of(numbers->begin(), numbers->end(), [](float n) { return n > 0; });
  return isPositive ? numbers : std::nullopt;
}

std::string channelsText(const Channels& channels) {
  std::string text;
  for (const float number : channels) {
    text += (text.empty() ? "" : ",") + numberText(number);
  }
  return text;
}

std::string pixelMeanText(const Channels& mean) {
  return normText(mean, &PixelNorm::mean);
}

std::string pixelDeviationText(const Channels& deviation) {
  return normText(deviation, &PixelNorm::deviation);
}

}  // namespace softscope
