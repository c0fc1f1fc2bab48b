#include "models/vit/VitRotationSettings.h"

#include "models/identify/ConfiguredValues.h"
#include "models/identify/StoredOptions.h"

#include <utility>
#include <vector>

namespace softscope {

namespace {

std::vector<std::pair<const char*, std::string>> usualArguments(const UsualRotation& usual) {
  return {{"rope_type", usual.type},
          {"rope_grid_indexing", "ij"},
          {"rope_grid_offset", "0"},
          {"rope_rotate_half", usual.rotatesHalves}};
}

}  // namespace

void requireUsualRotation(const UsualRotation& usual, const ConfigurationFile* said) {
  for (const auto& [key, value] : usualArguments(usual)) {
    std::vector<std::string> computed{value};
    if (value == "0") computed.emplace_back("0.0");
    requireConfigured(said, key, computed, usual.network);
  }
}

void describeUsualRotation(const UsualRotation& usual, bool isPublished,
                           const ConfigurationFile* said, const ModelHints& hints,
                           ModelSummary& summary) {
  for (const auto& [key, value] : usualArguments(usual)) {
    resolveFixedOption({key, value, usual.network}, isPublished, said, hints, summary);
  }
}

}  // namespace softscope
