#include "core/attention/LandmarkChoice.h"

#include <algorithm>

namespace softscope {

std::string nameOf(LandmarkSource source) {
  switch (source) {
    case LandmarkSource::Trained:
      return "trained";
    case LandmarkSource::Pooled:
      return "pooled";
    case LandmarkSource::Random:
      return "random";
    case LandmarkSource::First:
      break;
  }
  return "first";
}

std::optional<LandmarkSource> landmarkSourceNamed(const std::string& name) {
  const auto* found = std::find_if(landmarkSources.begin(), landmarkSources.end(),
                                   [&](LandmarkSource source) { return nameOf(source) == name; });
  return found == landmarkSources.end() ? std::nullopt : std::optional(*found);
}

std::string LandmarkChoice::text() const {
  if (isTrained()) return {};
  std::string text = count ? std::to_string(*count) + " " : std::string();
  text += nameOf(source) + " landmarks";
  if (source == LandmarkSource::Random) text += ", seed " + std::to_string(seed);
  return text;
}

}  // namespace softscope
