#pragma once

#include "core/checkpoint/Checkpoint.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>

namespace softscope {

/// Returns the name and shape of every parameter of the published variants, from
/// tests/data/golden/layouts.json, and linear.json and softmax_free.json in tests/data/layouts.
const nlohmann::json& publishedLayouts();
/// Returns the number of trainable parameters of a published variant.
std::int64_t publishedParameters(const std::string& variant);

/// Returns a state of zeros with a published variant's names and shapes, in a file named after the
/// variant.
Checkpoint zeros(const std::string& variant);
/// Returns the checkpoint without the tensor `missing`.
Checkpoint without(const Checkpoint& checkpoint, const std::string& missing);
/// Expects that the checkpoint is recognised as `variant` without any one of its tensors, and that
/// this one alone is said to be missing. `isPassedOver` tells by its name which tensor is not
/// tried.
void expectEachTensorMayBeLost(const Checkpoint& whole, const std::string& variant,
                               const std::function<bool(const std::string&)>& isPassedOver = {});

}  // namespace softscope
