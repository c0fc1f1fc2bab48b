#pragma once

#include <string>
#include <string_view>

namespace softscope {

/// Whether `LAYER/` before such a part says what a layer's attention is: `attn`, a factor, a query
/// or a key.
bool isAttentionPart(std::string_view part);

/// Whether a recording may have such an entry, of a layer (`LAYER/q`) or of the whole (`logits`).
bool isRecordingKey(std::string_view name);

/// Whether the entry is a list of texts: `classes`, `layers`.
bool isRecordedList(std::string_view name);

/// Every part that may stand behind `LAYER/`, and every name of the whole, for messages.
std::string layerPartsText();
std::string wholeKeysText();

}  // namespace softscope
