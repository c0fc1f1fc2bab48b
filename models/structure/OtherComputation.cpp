#include "models/structure/OtherComputation.h"

#include "core/Error.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/Metadata.h"
#include "models/identify/OtherNetworks.h"
#include "models/structure/StructureAnswers.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

namespace {

/// Returns the first of config.json's keys that says something which leaves nothing in a file:
/// windows, rotations, several frames, a spectrogram. Empty if none does.
std::string keyOfOtherTokens(const TransformerStructure& read, const ConfigurationFile& said) {
  const auto first = [&](const char* key) {
    const std::vector<int> numbers = numbersInMetadata(said.values, key);
    return numbers.empty() ? 0 : numbers.front();
  };
  const std::int64_t longest = std::max(read.patchRows, read.patchColumns);
  const int window = first("window_size");
  if (window > 0 && (longest == 0 || window < longest)) return "window_size";
  const std::vector<int> whole = numbersInMetadata(said.values, "global_attn_indexes");
  if (!whole.empty() && whole.size() < read.blocks.size()) return "global_attn_indexes";
  // A list for each stage or axis is no number that could be compared.
  for (const char* key :
       {"window_size", "num_windows", "tubelet_size", "frame_patch_size", "num_frames", "frames"}) {
    if (configuredValue(&said, key).starts_with('[')) return key;
  }
  for (const char* key :
       {"window_block_indices", "window_block_indexes", "frequency_stride", "rope_theta"}) {
    if (!configuredValue(&said, key).empty()) return key;
  }
  for (const char* key :
       {"num_windows", "tubelet_size", "frame_patch_size", "num_frames", "frames"}) {
    if (first(key) > 1) return key;
  }
  return {};
}

bool saysYes(const std::string& word) {
  return word == "true" || word == "1" || word == "yes";
}

/// Returns what metadata or config.json say of the computation that leaves nothing in a file and
/// is not computed here: a causal mask, rotations, sums that are scaled. Nothing if they do not.
std::optional<SaidValue> saidOfComputation(const ModelHints& hints) {
  const std::vector<std::string> flags[] = {
      {"causal", "is_causal", "is_decoder", "use_causal_mask", "causal_mask", "causal_attention"},
      {"rope", "use_rope", "rotary", "use_rotary", "rotary_embedding", "use_rotary_embedding",
       "use_rot_pos_emb"}};
  for (const std::vector<std::string>& names : flags) {
    const auto said = valueUnder(names, hints);
    if (said && saysYes(said->text)) return said;
  }
  const auto positions = valueUnder({"positions", "pos_embedding", "positional_encoding",
                                     "pos_encoding", "pos_embed", "position_embedding_type"},
                                    hints);
  if (positions && mentions(positions->text, {"rope", "rotary", "alibi", "relative"})) {
    return positions;
  }
  const auto scale = valueUnder({"residual_scale", "residual_scaling"}, hints);
  const auto factor = scale ? parseNumber(scale->text) : std::nullopt;
  return factor && *factor != 1 ? scale : std::nullopt;
}

}  // namespace

void refuseOtherComputation(const ModelHints& hints) {
  const auto said = saidOfComputation(hints);
  if (!said) return;
  throw ModelError(said->source + " says " + said->name + " " + quotedText(said->text) +
                   ", which no weight shows and Softscope does not compute; if that is of another "
                   "network, save the state dict alone, without it; otherwise " +
                   recordingAdvice());
}

void refuseOtherConfigured(const TransformerStructure& read, const ModelHints& hints) {
  const ConfigurationFile* said = configurationFor(static_cast<int>(read.channels), hints);
  if (said == nullptr) return;
  if (const std::string other = otherModelText(said->modelType); !other.empty()) {
    throw ModelError("is " + other);
  }
  const std::string key = keyOfOtherTokens(read, *said);
  if (key.empty()) return;
  throw ModelError(said->place() + " says " + key + " " + quotedText(configuredValue(said, key)) +
                   ", which no weight shows and Softscope does not compute; if that is of another "
                   "network, keep the two apart; otherwise " +
                   recordingAdvice());
}

}  // namespace softscope
