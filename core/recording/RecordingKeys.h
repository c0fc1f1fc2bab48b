#pragma once

#include <string>
#include <string_view>

namespace softscope {

/// Returns true if the part after `LAYER/` describes a layer's attention: `attn`, a factor, a
/// query, a key or the blocks of windows.
bool isAttentionPart(std::string_view part);

/// Returns true if a recording may have an entry with this name, for a layer (`LAYER/q`) or for the
/// whole (`logits`).
bool isRecordingKey(std::string_view name);

/// Returns true if the entry is a list of texts: `classes`, `layers`.
bool isRecordedList(std::string_view name);

/// Lists every part that may follow `LAYER/`, and every name that applies to the whole recording,
/// for error messages.
std::string layerPartsText();
std::string wholeKeysText();

}  // namespace softscope
