#include "models/swin/PublishedSwins.h"

#include "models/identify/GivenNames.h"

#include <algorithm>
#include <iterator>
#include <regex>

namespace softscope {

namespace {

const PublishedSwin publishedSwins[] = {
    {"tiny", 96, {2, 2, 6, 2}, 232, 260},       {"small", 96, {2, 2, 18, 2}, 246, 260},
    {"base", 128, {2, 2, 18, 2}, 238, 272},     {"large", 192, {2, 2, 18, 2}, 256, 292},
    {"tiny", 96, {2, 2, 6, 2}, 224, 256, true}, {"small", 96, {2, 2, 18, 2}, 224, 256, true},
    {"base", 96, {2, 2, 30, 2}, 224, 256, true}};

bool hasSizesOf(const PublishedSwin& variant, const SwinConfiguration& configuration) {
  std::vector<int> depths;
  for (const SwinStage& stage : configuration.stages) depths.push_back(stage.depth);
  return configuration.patch == 4 && !(variant.isS3 && configuration.isV2) &&
         variant.depths == depths && variant.channels == configuration.stages.front().channels;
}

/// Returns true if a network is of the sizes that its name says: `tiny`, or `s3_tiny`.
bool isOfNamedSize(const std::string& size, const SwinConfiguration& configuration) {
  return std::ranges::any_of(publishedSwins, [&](const PublishedSwin& variant) {
    const std::string name = std::string(variant.isS3 ? "s3_" : "") + variant.size;
    return name == size && hasSizesOf(variant, configuration);
  });
}

/// Returns true if a name with a word for the size tells what its network has. A configuration says
/// what it has beside that at any size.
bool tells(const GivenName& given, const std::string& size, const SwinConfiguration& configuration,
           const ModelHints& hints) {
  if (given.isConfigured) return swinFile(configuration, hints) != nullptr;
  return isOfNamedSize(size, configuration);
}

}  // namespace

const PublishedSwin* publishedSwin(const SwinConfiguration& configuration) {
  const auto* found = std::ranges::find_if(publishedSwins, [&](const PublishedSwin& variant) {
    return hasSizesOf(variant, configuration);
  });
  return found == std::end(publishedSwins) ? nullptr : found;
}

std::optional<NamedSwin> namedSwin(const SwinConfiguration& configuration,
                                   const ModelHints& hints) {
  static const std::regex sizes(
      "_(tiny|small|base|large)_(?:.*_)?window([0-9]{1,3})(?:to([0-9]{1,3}))?_"
      "(?:[0-9]{2,4}to)?([0-9]{2,4})");
  for (const GivenName& given : givenNames(hints)) {
    const std::string name = timmNameIn(given.name.substr(0, 256)).architecture;
    std::smatch found;
    if (!std::regex_search(name, found, sizes) || !tells(given, found[1], configuration, hints))
      continue;
    NamedSwin named{.window = std::stoi(found[2]), .side = std::stoi(found[4])};
    named.source = given.place + name;
    if (found[3].matched) {
      named.pretrainedWindow = named.window;
      named.window = std::stoi(found[3]);
    }
    if (named.window > 0 && named.side > 0) return named;
  }
  return std::nullopt;
}

std::optional<int> namedSwinSide(const SwinConfiguration& configuration, const ModelHints& hints,
                                 int unit) {
  static const std::regex names(
      "swin_((?:s3_)?(?:tiny|small|base|large))(?:_patch[0-9]+_window[0-9]+)?_([0-9]{3,4})");
  for (const GivenName& given : givenNames(hints)) {
    const std::string name = timmNameIn(given.name.substr(0, 256)).architecture;
    std::smatch found;
    if (!std::regex_match(name, found, names) || !tells(given, found[1], configuration, hints))
      continue;
    const int side = std::stoi(found[2]);
    if (side > 0 && side <= 8192 && side % unit == 0) return side;
  }
  return std::nullopt;
}

}  // namespace softscope
