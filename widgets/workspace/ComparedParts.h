#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace softscope {

class OpenModels;
struct LayerInspection;

/// The content of one row of Compare: a layer of a model, or one head of that layer.
struct ComparedPart {
  /// Index into OpenModels::all().
  std::size_t model = 0;
  /// Null while the model has nothing to show.
  const LayerInspection* layer = nullptr;
  /// Empty for all heads.
  std::optional<int> head;
};

/// Returns what Compare shows, model by model: the heads that were collected or, if there are none,
/// each model's chosen layer. Silenced models are left out, and heads that the model no longer has.
std::vector<ComparedPart> comparedParts(const OpenModels& models);

/// Returns how many heads are collected that their models have, silenced or not.
std::size_t collectedHeads(const OpenModels& models);

}  // namespace softscope
