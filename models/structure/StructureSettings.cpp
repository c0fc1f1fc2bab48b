#include "models/structure/StructureSettings.h"

#include "core/model/InputSize.h"
#include "core/model/SettingOption.h"
#include "core/text/Words.h"
#include "models/structure/StructureAnswers.h"

#include <charconv>
#include <cmath>
#include <vector>

namespace softscope {

ResolvedStructure resolveStructure(const TransformerStructure& structure, const ModelHints& hints) {
  ResolvedStructure resolved;
  resolveBlocks(structure, hints, resolved);
  resolvePooling(structure, hints, resolved);
  resolveLayerScale(structure, hints, resolved);
  resolvePatches(structure, hints, resolved);
  resolveHead(structure, hints, resolved);
  if (structure.isMaskedAutoencoder) {
    StructureAnswers(structure, hints, resolved)
        .answer({.option = "part",
                 .usual = "encoder",
                 .choices = {"encoder"},
                 .told = "since the decoder is left out"});
  }
  return resolved;
}

namespace {

std::optional<SaidSize> saidPictureSize(const ModelHints& hints) {
  constexpr std::int64_t longestSide = 8192;
  const auto said = saidValue("size", {}, hints);
  if (!said) return std::nullopt;
  std::vector<std::int64_t> sides;
  const char* at = said->text.data();
  const char* end = at + said->text.size();
  while (at < end && sides.size() < 3) {
    std::int64_t side = 0;
    const auto [stop, error] = std::from_chars(at, end, side);
    if (error != std::errc() || side < 1 || side > longestSide) return std::nullopt;
    sides.push_back(side);
    at = stop < end && (*stop == ',' || *stop == 'x') ? stop + 1 : end;
  }
  if (sides.empty() || sides.size() > 3) return std::nullopt;
  return SaidSize{sides.size() == 3 ? sides[1] : sides.front(), sides.back()};
}

std::optional<SaidSize> chosenPictureSize(const ModelHints& hints) {
  const auto chosen = parseInputSize(hints.size.value_or(""));
  if (!chosen || chosen->height == 0) return std::nullopt;
  return SaidSize{chosen->height, chosen->width};
}

}  // namespace

SaidGrid saidGrid(const ModelHints& hints) {
  const auto text = [&](const std::string& option) -> std::optional<std::string> {
    const auto asked = hints.settings.find(option);
    if (asked != hints.settings.end()) return asked->second;
    const auto beside = saidValue(option, {}, hints);
    if (!beside || !findSettingOption(option)->accepts(beside->text)) return std::nullopt;
    return beside->text;
  };
  const auto number = [&](const std::string& option) -> std::optional<std::int64_t> {
    const auto said = text(option);
    return said ? std::optional<std::int64_t>(std::atoll(said->c_str())) : std::nullopt;
  };
  const auto upTo = [&](const std::string& name, double most) -> std::optional<std::int64_t> {
    const auto said = saidValue(name, {}, hints);
    const auto value = said ? parseNumber(said->text) : std::nullopt;
    const bool isWhole = value && *value >= 1 && *value <= most && std::floor(*value) == *value;
    return isWhole ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
  };
  const auto isTaken = [&](const std::string& option) -> std::optional<bool> {
    const auto said = text(option);
    return said ? std::optional(*said != "none") : std::nullopt;
  };
  constexpr double mostBands = 16;
  constexpr double longestPatch = 1024;
  const auto stride = text("stride");
  const std::string pooling = text("pooling").value_or("");
  return {.size = saidPictureSize(hints),
          .chosenSize = chosenPictureSize(hints),
          .prefixPositions = number("prefix-positions"),
          .channels = upTo("channels", mostBands),
          .patch = upTo("patch", longestPatch),
          .stride = stride ? parseStride(*stride) : std::nullopt,
          .padding = number("padding"),
          .flattensPatches = pooling.starts_with("flatten")
                                 ? std::optional(pooling == "flatten_patches")
                                 : std::nullopt,
          .hasRegisters = isTaken("registers"),
          .hasClassToken = isTaken("class-vector"),
          .isStrideChosen = hints.settings.count("stride") > 0,
          .isPaddingChosen = hints.settings.count("padding") > 0};
}

}  // namespace softscope
