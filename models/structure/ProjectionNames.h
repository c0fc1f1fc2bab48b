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
/// one. Returns nothing if the letters do not, if queries or values are keys as well, or if the
/// other one is called as an output is, or as what is none.
std::optional<ProjectionOrder> orderProjections(const std::array<std::string, 3>& names);

/// Returns the letters q, k and v that a layer's own name says, in its order: `kv` for
/// `attn.to_kv`, `qkv` for `query_key_value`; empty if it says none.
std::string projectionLetters(const std::string& name);

/// Returns the letter of q, k and v that is not in `letters`, which hold at most two of them.
char letterBeside(const std::string& letters);

/// Returns true if a layer's own name says that it makes nothing but `letter`, q, k or v: `to_q`,
/// `wq`, `tokeys`.
bool saysProjection(const std::string& name, char letter);

/// Returns true if names say that the first of two layers is for keys and the second for values, as
/// `proj_k` and `proj_v`, or Linformer's `E` and `F`, do; false for the contrary; nothing if they
/// tell neither.
std::optional<bool> keysComeFirst(const std::string& first, const std::string& second);

/// Returns true if a layer's own name says that it gates or skips the attention, or places tokens:
/// such a layer is no projection, and no output's.
bool saysBesideAttention(const std::string& name);

/// Returns true if a layer's own name is one of an output projection.
bool isCalledOutput(const std::string& name);

/// Returns true if a layer's own name may be meant for an output projection: `back`, `w_concat`.
bool mayBeCalledOutput(const std::string& name);

/// Returns true if a layer's own name says that it is no output projection: such a matrix may gate
/// what leaves the heads, or be added to it.
bool saysNoOutput(const std::string& name);

/// Returns true if a name within a block says that it is of an mlp.
bool isCalledMlp(const std::string& name);

/// Returns the module that a product stands in, without the numbers of a Sequential of its own:
/// `.attn` for `.attn.to_out.0`.
std::string moduleOfProduct(std::string name);

/// Returns true if the first of two names stands before the second by numbers, as `fc1` before
/// `fc2` and `net.0` before `net.3`; nothing if no numbers tell.
std::optional<bool> precedesByNumber(const std::string& first, const std::string& second);

/// Returns true if words say that the first of two matrices expands what the second contracts, as
/// `up` and `down` do; false for the contrary; nothing if no words tell.
std::optional<bool> expandsByWord(const std::string& first, const std::string& second);

/// Three matrices in the order of queries, keys and values, and the output's if there is one.
struct ToldProjections {
  std::vector<TensorUnit> three;
  std::optional<TensorUnit> output;
};

/// Tells three or four matrices apart. `fits` says whether shapes allow queries, keys and values
/// beside an output, which is null if there is none. Returns nothing if no choice fits. Three
/// matrices alone must all say what they make, since the third may be the output's of keys that are
/// queries. Of four, the keys need not say it where the output does, or where `isOrdered` says that
/// the order of the file tells.
std::optional<ToldProjections> tellProjections(
    const std::vector<TensorUnit>& units, bool isOrdered,
    const std::function<bool(const std::vector<TensorUnit>&, const TensorUnit*)>& fits);

}  // namespace softscope
