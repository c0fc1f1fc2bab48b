#pragma once

#include "core/checkpoint/StateDict.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace softscope {

/// The transformer that a block's parameter is in, by how its name begins: `DeiT` (`blocks.0.`),
/// `PVT` (`block1.0.`), `Swin` (`layers.0.`) or `CSwin` (`stage1.0.`); empty for other names.
std::string networkForm(std::string_view parameter);

/// The first parameter of a block of any of these whose name ends in one of `endings` and that has
/// so many dimensions; nothing where there is none.
std::optional<std::string> parameterOfBlocks(const StateDict& state,
                                             std::initializer_list<std::string_view> endings,
                                             int dimensions);

/// Attentions are published within several transformers, which differ in more than names. Throws
/// ModelError that names both where the parameter that tells the attention is in another
/// transformer than the one that is opened: `InLine`, `DeiT`.
void requireNetworkForm(const std::string& attention, const std::string& opened,
                        const std::string& parameter);

}  // namespace softscope
