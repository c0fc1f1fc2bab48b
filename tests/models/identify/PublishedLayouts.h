#pragma once

#include "core/checkpoint/Checkpoint.h"

#include <nlohmann/json.hpp>

#include <string>

namespace softscope {

/// tests/data/golden/layouts.json and tests/data/layouts/linear.json: every parameter's name and
/// shape of the published variants.
const nlohmann::json& publishedLayouts();
/// Trainable parameters of a published variant.
std::int64_t publishedParameters(const std::string& variant);

/// A state of zeros with a published variant's names and shapes, in a file of the variant's name.
Checkpoint zeros(const std::string& variant);
/// The checkpoint without the tensor `missing`.
Checkpoint without(const Checkpoint& checkpoint, const std::string& missing);

}  // namespace softscope
