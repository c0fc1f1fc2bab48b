#pragma once

#include "models/structure/TensorUnits.h"

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// The order of three names as queries, keys and values.
struct ProjectionOrder {
  std::array<std::size_t, 3> order{};
  /// True if the name of the keys has a k, and is not just what remains.
  bool saysKey = false;
};

/// Tells three names apart by the letters of the part in which they differ: q, v, and the other
/// one. Returns nothing if the letters do not.
std::optional<ProjectionOrder> orderProjections(const std::array<std::string, 3>& names);

/// Returns the letters q, k and v that a layer's own name says, in its order: `kv` for
/// `attn.to_kv`, `qkv` for `query_key_value`; empty if it says none.
std::string projectionLetters(const std::string& name);

/// Three matrices in the order of queries, keys and values, and the output's if there is one.
struct ToldProjections {
  std::vector<TensorUnit> three;
  std::optional<TensorUnit> output;
};

/// Tells three or four matrices apart. `fits` says whether shapes allow three of them beside an
/// output, which is null if there is none. Returns nothing if no choice fits.
std::optional<ToldProjections> tellProjections(
    const std::vector<TensorUnit>& units,
    const std::function<bool(const std::vector<TensorUnit>&, const TensorUnit*)>& fits);

}  // namespace softscope
