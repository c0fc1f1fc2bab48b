#include "core/model/SettingOption.h"

#include "core/model/PixelNorm.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace softscope {

namespace {

constexpr const char* activationWords = "gelu|gelu_tanh|relu|quick_gelu|silu";
constexpr const char* normWords = "pre|post";
constexpr const char* poolingWords = "cls|mean";

/// Returns true if `text` is one of the words, which are separated by bars.
bool isAmong(std::string_view words, std::string_view text) {
  while (true) {
    const std::size_t bar = words.find('|');
    if (words.substr(0, bar) == text) return true;
    if (bar == std::string_view::npos) return false;
    words.remove_prefix(bar + 1);
  }
}

}  // namespace

const std::vector<SettingOption>& settingOptions() {
  static const std::vector<SettingOption> options{
      {"activation", &ModelRequest::activation, activationWords,
       "Activation of a vision transformer's mlps, where the file does not tell; SimA and XCiT "
       "take "
       "gelu and relu",
       [](const std::string& text) { return isAmong(activationWords, text); }},
      {"epsilon", &ModelRequest::epsilon, "E",
       "Epsilon of a vision transformer's layer norms, where the file does not tell",
       [](const std::string& text) { return parseEpsilon(text).has_value(); }},
      {"norm", &ModelRequest::norm, normWords,
       "Where a vision transformer's blocks have their norms, where the file does not tell: before "
       "attention and mlp, or after the sums",
       [](const std::string& text) { return isAmong(normWords, text); }},
      {"pooling", &ModelRequest::pooling, poolingWords,
       "What a vision transformer's head sees, where the file does not tell: the class token, or "
       "the patches' mean",
       [](const std::string& text) { return isAmong(poolingWords, text); }},
      {"mean", &ModelRequest::mean, "imagenet|half|clip|none|R,G,B",
       "Mean that pictures are normalised with, where the file does not tell; a name says --std, "
       "too",
       [](const std::string& text) { return parsePixelMean(text).has_value(); }},
      {"std", &ModelRequest::deviation, "imagenet|half|clip|none|R,G,B",
       "Deviation that pictures are normalised with, likewise",
       [](const std::string& text) { return parsePixelDeviation(text).has_value(); }},
  };
  return options;
}

const SettingOption* findSettingOption(const std::string& name) {
  const auto& options = settingOptions();
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const SettingOption& option) { return option.name == name; });
  return found == options.end() ? nullptr : &*found;
}

std::optional<double> parseEpsilon(const std::string& text) {
  double epsilon = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, epsilon);
  const bool isRead = error == std::errc() && stop == end && epsilon >= 0 && epsilon < 1;
  return isRead ? std::optional(epsilon) : std::nullopt;
}

std::string epsilonText(double epsilon) {
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, epsilon);
  return {digits, end};
}

}  // namespace softscope
