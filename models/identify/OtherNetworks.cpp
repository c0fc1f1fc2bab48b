#include "models/identify/OtherNetworks.h"

#include "core/text/FileText.h"
#include "models/identify/Adapters.h"
#include "models/identify/OtherNetworkTable.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

namespace softscope {

namespace {

bool isDigit(char character) {
  return std::isdigit(static_cast<unsigned char>(character)) != 0;
}

/// Returns true if `text` begins with `part`, in which `#` stands for a number.
bool beginsWith(std::string_view text, std::string_view part) {
  std::size_t at = 0;
  for (const char wanted : part) {
    if (wanted != '#') {
      if (at == text.size() || text[at] != wanted) return false;
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && isDigit(text[at])) ++at;
    if (at == begin) return false;
  }
  return true;
}

bool holds(std::string_view name, std::string_view part) {
  if (part.starts_with('^')) return beginsWith(name, part.substr(1));
  for (std::size_t at = name.find(part.front()); at != std::string_view::npos;
       at = name.find(part.front(), at + 1)) {
    if (beginsWith(name.substr(at), part)) return true;
  }
  return false;
}

bool anyHolds(const StateDict& state, std::string_view part) {
  return std::ranges::any_of(state.entries(),
                             [&](const auto& entry) { return holds(entry.name, part); });
}

/// Longer names than any network's are not searched.
bool hasNamesOfANetwork(const StateDict& state) {
  constexpr std::size_t mostLetters = 1 << 20;
  std::size_t letters = 0;
  for (const StateDict::Entry& entry : state.entries()) letters += entry.name.size();
  return letters <= mostLetters;
}

/// Returns the table of a network's words, or null.
const StateDict::Entry* tableOfWords(const StateDict& state) {
  constexpr std::string_view names[] = {"wte.weight",
                                        "word_embeddings.weight",
                                        "embed_tokens.weight",
                                        "tok_embeddings.weight",
                                        "token_embedding.weight",
                                        "shared.weight",
                                        "embedding.weight",
                                        "embeddings.weight"};
  const auto isTable = [&](const StateDict::Entry& entry) {
    return entry.tensor.dim() == 2 &&
           std::ranges::any_of(names, [&](auto name) { return entry.name.ends_with(name); });
  };
  const auto found = std::ranges::find_if(state.entries(), isTable);
  return found == state.entries().end() ? nullptr : &*found;
}

/// Returns true if a name is of queries, by which no network is without attention: a convolutional
/// one may stand beside a transformer.
bool hasQueries(const StateDict& state) {
  constexpr std::string_view queries[] = {"qkv.", "to_q.", "q_proj.", ".query.", "in_proj_weight"};
  return std::ranges::any_of(queries, [&](std::string_view part) { return anyHolds(state, part); });
}

/// Returns true if there is a convolution over grey or coloured pictures, as no network for text
/// has one.
bool convolvesPictures(const StateDict& state) {
  return std::ranges::any_of(state.entries(), [](const StateDict::Entry& entry) {
    const bool isFilter = entry.tensor.dim() == 4 && entry.name.ends_with(".weight");
    return isFilter && (entry.tensor.size(1) == 1 || entry.tensor.size(1) == 3) &&
           entry.tensor.size(2) > 1;
  });
}

bool isOf(const StateDict& state, const OtherNetwork& network) {
  if (network.attendsTo == AttendsTo::Words && convolvesPictures(state)) return false;
  if (network.words > 0) {
    const StateDict::Entry* table = tableOfWords(state);
    if (table == nullptr || table->tensor.size(0) != network.words) return false;
  }
  const auto there = [&](std::string_view part) { return anyHolds(state, part); };
  return std::ranges::all_of(network.has, there) && std::ranges::none_of(network.lacks, there) &&
         (network.attendsTo != AttendsTo::Nothing || !hasQueries(state));
}

/// Returns ` ('wte.weight' has 50257 words)`; empty without such a table.
std::string wordsText(const StateDict& state) {
  const StateDict::Entry* table = tableOfWords(state);
  if (table == nullptr) return {};
  return " (" + quotedText(table->name) + " has " + std::to_string(table->tensor.size(0)) +
         " words)";
}

}  // namespace

std::string otherNetworkText(const StateDict& state, NamesOfOthers names) {
  if (!hasNamesOfANetwork(state)) return {};
  std::string adapters = adapterText(state, names == NamesOfOthers::All);
  if (!adapters.empty()) return adapters;
  const auto& all = otherNetworks();
  const auto found = std::ranges::find_if(all, [&](const OtherNetwork& network) {
    return !(network.isCommon && names == NamesOfOthers::Unmistakable) && isOf(state, network);
  });
  if (found == all.end()) return {};
  const std::string name(found->name);
  switch (found->attendsTo) {
    case AttendsTo::Nothing:
      return name + ", a network without attention, so there is nothing to look at";
    case AttendsTo::Channels:
      return name +
             ", which Softscope does not open yet; it has no attention over tokens to record, but "
             "softscope.jacobian() of the Python package (docs/python.md) measures what mixes them";
    case AttendsTo::Words:
      return name + ", a network for text and not for pictures" + wordsText(state) + "; " +
             recordingAdvice();
    case AttendsTo::Sound:
      return name + ", a network for sound and not for pictures; " + recordingAdvice();
    case AttendsTo::Tokens:
      break;
  }
  return name + ", which Softscope does not open yet; " + recordingAdvice();
}

std::string otherModelText(const std::string& modelType) {
  struct Known {
    std::string_view modelType, name;
    bool isOfSound = false;
  };
  constexpr Known known[] = {
      {"audio-spectrogram-transformer", "Audio Spectrogram Transformer", true},
      {"lw_detr", "LW-DETR"},
      {"lw_detr_vit", "LW-DETR's network for pictures"},
      {"sam_vision_model", "Segment Anything's image encoder"},
      {"sapiens2", "Sapiens2"},
      {"timesformer", "TimeSformer"},
      {"video_llama_3_vision", "VideoLLaMA 3's network for pictures"},
      {"videomae", "VideoMAE"},
      {"vitdet", "ViTDet"},
      {"vitpose", "ViTPose"},
      {"vitpose_backbone", "ViTPose"},
      {"vivit", "ViViT"},
  };
  const auto* found = std::ranges::find(known, std::string_view(modelType), &Known::modelType);
  if (found == std::end(known)) return {};
  return std::string(found->name) +
         (found->isOfSound ? ", a network for sound and not for pictures"
                           : ", which Softscope does not open yet") +
         ", as model_type in config.json says; " + recordingAdvice();
}

std::string recordingAdvice() {
  return "record its attention with the Python package softscope "
         "(docs/python.md), and open the "
         "recording";
}

}  // namespace softscope
