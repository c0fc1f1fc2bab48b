#include "core/recording/RecordingKeys.h"

#include "core/recording/RecordingFile.h"
#include "core/text/Words.h"

#include <algorithm>
#include <array>

namespace softscope {

namespace {

constexpr std::array attentionParts{"attn", "left", "middle", "right", "q", "k", "blocks"};

constexpr std::array plainParts{"rows",      "cols",   "kernel",           "scale", "v",
                                "grid",      "prefix", "prefix_names",     "xy",    "stage",
                                "mechanism", "beside", "mean_of_channels", "q_l1",  "k_l1"};

// Entries that `softscope record` writes for the mechanisms it knows, beside numbers named
// `parameter_`.
constexpr std::array knownMechanismParts{"suffix",      "A",         "A_inv",
                                         "convolution", "landmarks", "A64",
                                         "A64_left",    "A64_right", "landmark_tokens"};

constexpr std::array wholeKeys{"picture",    "region", "input",   "mean",   "std",
                               "input_size", "logits", "classes", "layers", "mechanism",
                               "variant",    "note",   "refused"};

template <typename Names>
bool isOneOf(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool isAttentionPart(std::string_view part) {
  return isOneOf(attentionParts, part);
}

bool isRecordingKey(std::string_view name) {
  const auto [layer, part] = splitAtLayer(name);
  if (layer.empty()) return isOneOf(wholeKeys, name);
  return isAttentionPart(part) || isOneOf(plainParts, part) || isOneOf(knownMechanismParts, part) ||
         part.starts_with("parameter_");
}

bool isRecordedList(std::string_view name) {
  return name == "classes" || name == "layers" || name == "refused" ||
         name.ends_with("/prefix_names");
}

std::string layerPartsText() {
  return listText(attentionParts) + ", " + listText(plainParts);
}

std::string wholeKeysText() {
  return listText(wholeKeys);
}

}  // namespace softscope
