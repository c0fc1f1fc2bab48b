#pragma once

#include "core/checkpoint/StateDict.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace softscope {

/// Returns the first parameter in a block of any of these transformers whose name ends in one of
/// `endings` and that has `dimensions` dimensions; nothing if there is none.
std::optional<std::string> parameterOfBlocks(const StateDict& state,
                                             std::initializer_list<std::string_view> endings,
                                             int dimensions);

/// Checks that an attention is used in the transformer that is opened. Attentions are published
/// within several transformers, which differ in more than names. Throws a ModelError that names
/// both if `parameter`, which identifies the attention, is in another transformer than `opened`:
/// `InLine`, `DeiT`.
void requireNetworkForm(const std::string& attention, const std::string& opened,
                        const std::string& parameter);

}  // namespace softscope
