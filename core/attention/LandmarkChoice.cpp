#include "core/attention/LandmarkChoice.h"

#include <algorithm>
#include <string_view>

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

std::string noteWithoutLandmarks(const std::string& note) {
  const auto isDigit = [](char letter) { return letter >= '0' && letter <= '9'; };
  const auto skipNumber = [&](std::string_view& rest) {
    rest.remove_prefix(static_cast<std::size_t>(
        std::find_if_not(rest.begin(), rest.end(), isDigit) - rest.begin()));
  };
  const auto skip = [](std::string_view& rest, std::string_view text) {
    const bool isThere = rest.starts_with(text);
    if (isThere) rest.remove_prefix(text.size());
    return isThere;
  };
  std::string_view rest = note;
  skipNumber(rest);
  if (rest.size() < note.size()) skip(rest, " ");
  const bool names =
      std::any_of(landmarkSources.begin(), landmarkSources.end(),
                  [&](LandmarkSource source) { return skip(rest, nameOf(source) + " landmarks"); });
  if (!names) return note;
  if (skip(rest, ", seed ")) skipNumber(rest);
  skip(rest, ", ");
  return std::string(rest);
}

}  // namespace softscope
