#include "core/model/InputSize.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/Metadata.h"
#include "models/identify/ResolvedSetting.h"
#include "models/identify/ShapeReader.h"
#include "models/vit/VitLayout.h"
#include "models/vit/VitOpenSettings.h"
#include "models/vit/VitSettings.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

/// timm's key of the size of a network's pictures.
constexpr const char* vitPicturesKey = "img_size";

/// Returns what config.json says of the number of prefix tokens that have positions, directly or by
/// the size of the pictures.
std::optional<int> saidPlacedPrefix(const VitConfiguration& configuration,
                                    const ConfigurationFile* said) {
  if (said == nullptr) return std::nullopt;
  const int all = configuration.prefixTokens();
  const std::string isWithout = configuredValue(said, "no_embed_class");
  if (!isWithout.empty()) return isWithout == "true" ? 0 : all;
  std::vector<int> sides = numbersInMetadata(said->values, "img_size");
  if (sides.empty() && said->transform.height && said->transform.width) {
    sides = {*said->transform.height, *said->transform.width};
  }
  if (sides.empty()) return std::nullopt;
  const int patches = (sides.front() / configuration.patch) * (sides.back() / configuration.patch);
  const int placed = configuration.prefixPositions + configuration.positions - patches;
  return placed == 0 || placed == all ? std::optional(placed) : std::nullopt;
}

/// Returns what timm's name of a network tells of it likewise, if config.json leaves out what is
/// usual.
std::optional<int> namedPlacedPrefix(const VitConfiguration& configuration,
                                     const ConfigurationFile* said) {
  const std::string name = said == nullptr ? "" : said->architecture;
  if (name.starts_with("flexivit_")) return 0;
  const bool isKnown =
      name.starts_with("vit_") || name.starts_with("deit_") || name.starts_with("eva");
  return isKnown ? std::optional(configuration.prefixTokens()) : std::nullopt;
}

/// Returns the sides of the pictures that a network was trained on as the file's metadata or
/// config.json tell them: height and width, or one number for both; empty if neither does. The size
/// in preprocessor_config.json is that of a later use.
std::vector<int> saidVitSides(const ConfigurationFile* said, const ModelHints& hints) {
  std::vector<int> sides = numbersInMetadata(hints.metadata, vitPicturesKey);
  if (said == nullptr || !sides.empty()) return sides;
  for (const char* key : {vitPicturesKey, "image_size"}) {
    if (sides.empty()) sides = numbersInMetadata(said->values, key);
  }
  const ConfiguredTransform& transform = said->transform;
  const bool isOfNetwork = said->transformFile == said->fileName;
  if (!sides.empty() || !isOfNetwork || !transform.height || !transform.width) return sides;
  return {*transform.height, *transform.width};
}

constexpr std::pair<const char*, PositionResize> namedResizes[] = {
    {"antialiased", PositionResize::Antialiased},
    {"plain", PositionResize::Plain},
    {"offset", PositionResize::Offset}};

/// Returns true if the positions are resized for the pictures that the network is given: of the
/// size that the user chose, or the file's metadata tell, or else the usual one.
bool resizesPositions(const VitConfiguration& configuration, InputTransform transform,
                      const ModelHints& hints) {
  const auto stored = hints.metadata.find("input_size");
  const auto size = parseInputSize(hints.size                       ? *hints.size
                                   : stored == hints.metadata.end() ? ""
                                                                    : stored->second);
  if (size && size->kind == InputSize::Kind::Full) return true;
  if (size) transform = withInputSize(transform, *size);
  const int side = squareSide(configuration.positions) * configuration.patch;
  return transform.height != side || transform.width != side;
}

}  // namespace

std::optional<NetworkSetting> resolvePositionResize(VitConfiguration& configuration,
                                                    const InputTransform& transform,
                                                    const ModelHints& hints) {
  const VitNames& names = configuration.names;
  const bool isOpen = names.library.empty() && !names.hasFlatTokens && !names.positions.empty() &&
                      configuration.onlyGrid.count() == 0 && configuration.biasSide == 0 &&
                      squareSide(configuration.positions) > 0;
  if (!isOpen) return std::nullopt;
  SettingKnowledge known{.option = "position-resize"};
  known.reason =
      "networks of these names resize positions as timm, as MAE and MSN or as DINO, and no weight "
      "tells it";
  const VitAuthority authority(configuration, hints);
  for (const auto& [word, resize] : namedResizes) {
    known.choices.emplace_back(word);
    if (resize == configuration.resize) known.usual = word;
  }
  for (const std::string& part : hints.beside) {
    if (!configuration.facts.resize) configuration.facts.resize = resizeOfPretraining(part);
  }
  if (!usesFact(configuration.facts.resize, known) && authority.named) {
    known.isCertain = true;
    known.reason = authority.source();
  }
  const bool isAsked =
      hints.settings.contains(known.option) || hints.metadata.contains(known.option);
  NetworkSetting setting = resolveSetting(known, hints);
  for (const auto& [word, resize] : namedResizes) {
    if (setting.value == word) configuration.resize = resize;
  }
  if (isAsked || resizesPositions(configuration, transform, hints)) return setting;
  if (known.isCertain) {
    // Kept by conversion, which loses what tells it.
    return configuration.facts.resize ? std::optional(std::move(setting)) : std::nullopt;
  }
  setting.why.clear();
  setting.idleHeight = setting.idleWidth =
      squareSide(configuration.positions) * configuration.patch;
  setting.source = "assumed for pictures of other sizes than " +
                   inputSizeText({InputSize::Kind::Whole, setting.idleHeight, setting.idleWidth});
  return setting;
}

std::optional<NetworkSetting> resolvePlacedPrefix(VitConfiguration& configuration,
                                                  const ModelHints& hints) {
  const VitNames& names = configuration.names;
  const int all = configuration.prefixTokens();
  const int entries = configuration.prefixPositions + configuration.positions;
  const bool isTimms = names.library.empty() && !names.hasFlatTokens && !names.addsRegistersLater;
  if (!isTimms || names.positions.empty() || all == 0) return std::nullopt;
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  const auto told = saidPlacedPrefix(configuration, said);
  const auto place = [&](int count) {
    configuration.prefixPositions = count;
    configuration.positions = entries - count;
  };
  const bool isOpen = configuration.prefixPositions > 0 && arePatchesAlone(entries, all);
  const std::string option = "prefix-positions";
  const std::string read = std::to_string(configuration.prefixPositions);
  const std::string positions = std::to_string(entries) + " positions";
  // A table of no square may be of patches alone all the same.
  const bool isAsked = hints.settings.contains(option) || hints.metadata.contains(option);
  const bool isRead = !told || *told == configuration.prefixPositions;
  if (!isOpen && isRead && !isAsked) return std::nullopt;
  SettingKnowledge known{.option = option, .usual = read};
  known.isCertain = !isOpen;
  known.reason = isOpen ? "its " + positions +
                              " may be of patches alone, which form a square, or of the tokens "
                              "before them and patches that form none"
                        : "by its " + positions;
  known.choices = {std::to_string(all), "0"};
  const auto count = told || !isOpen ? told : namedPlacedPrefix(configuration, said);
  if (count) known.configured = std::to_string(*count);
  NetworkSetting setting = resolveSetting(known, hints);
  place(std::stoi(setting.value));
  return setting;
}

std::optional<NetworkSetting> resolveVitGrid(VitConfiguration& configuration,
                                             const ModelHints& hints) {
  const TokenGrid& only = configuration.onlyGrid;
  const int patch = configuration.patch;
  if (only.count() > 0) {
    const std::vector<int> sides{only.height * patch, only.width * patch};
    return toldSetting(vitPicturesKey, listedNumbers(sides), hints);
  }
  const bool isOpen = !configuration.names.positions.empty() &&
                      !configuration.takesTablesForSquares && configuration.biasSide == 0;
  if (!isOpen) return std::nullopt;
  const std::vector<int> sides =
      saidVitSides(configurationFor(configuration.channels, hints), hints);
  if (sides.size() != 2) return std::nullopt;
  const TokenGrid grid{sides[0] / patch, sides[1] / patch};
  // `convert` keeps the only grid of a network, which may be a square.
  const bool isKept =
      isWrittenBySoftscope(hints.metadata) && hints.metadata.contains(vitPicturesKey);
  const bool isOnly = isKept || grid.height != grid.width;
  if (!isOnly || grid.count() != configuration.positions) return std::nullopt;
  configuration.onlyGrid = grid;
  return toldSetting(vitPicturesKey, listedNumbers(sides), hints);
}

}  // namespace softscope
