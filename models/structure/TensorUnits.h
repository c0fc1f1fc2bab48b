#pragma once

#include "core/checkpoint/StateDict.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace softscope {

/// The tensors of one layer of a state dict: NAME.weight (or NAME_weight) with NAME.bias and the
/// statistics of a batch norm; or a parameter or buffer that stands alone.
struct TensorUnit {
  /// Dotted path of the layer, or of the single tensor.
  std::string name;
  /// Names of the tensors; `bias` is empty if there is none.
  std::string weight;
  std::string bias;
  std::vector<std::int64_t> shape;      ///< of the weight or the single tensor
  std::vector<std::int64_t> biasShape;  ///< empty without a bias
  /// True for a parameter or buffer that is called neither weight nor bias.
  bool isBare = false;
  /// True if there are running statistics, which only batch norms have.
  bool isBatchNorm = false;

  std::int64_t size(std::size_t dimension) const { return shape[dimension]; }
  bool hasDimensions(std::size_t count) const { return shape.size() == count; }
  /// True for the matrix of a layer.
  bool isMatrix() const { return hasDimensions(2) && !isBare; }
  /// True for a weight of `channels` numbers, and a bias of as many if there is one.
  bool isNorm(std::int64_t channels) const;
};

/// Returns the units of a state dict, in the order of the file.
std::vector<TensorUnit> tensorUnits(const StateDict& state);

/// Returns false if the names are in alphabetical order within each type of numbers, as safetensors
/// sorts them, so that their order says nothing of the network; also if several files that are
/// sorted so were joined.
bool keepsLayerOrder(const StateDict& state);

/// Returns false for more tensors, or longer names, than self-written networks have.
bool isReadableByStructure(const StateDict& state);

/// Returns the longest path that all names are below: `a.b` for `a.b.c` and `a.b.d.e`. Of a single
/// name, the path that it is in.
std::string commonPath(std::span<const std::string> names);

/// Returns the part of a dotted name before its last dot: `a.b` for `a.b.c`; empty for a name
/// without dots.
std::string parentPath(const std::string& name);

/// Returns the last part of a dotted path in lower case.
std::string lastPartOfName(const std::string& name);

/// Returns true for a path and for the names below it; false if the path is empty.
bool isAtOrBelow(const std::string& name, const std::string& path);

/// Returns the number that a layer has in its Sequential; -1 if it has a name.
int numberOfSibling(const std::string& name);

/// Returns the number that ends a name, as in `norm2` or `net.0`; -1 without one.
int numberAtEnd(const std::string& name);

/// Returns true if one of `wanted` is a word of a name: a run of letters, in lower case.
bool hasWord(const std::string& name, std::initializer_list<std::string_view> wanted);

/// Returns true if the last part of a module's name says that it is a norm: `ln1`, `attn_norm`,
/// `final_rms`.
bool isCalledNorm(const std::string& module);

/// Returns true if one of `words` occurs in the lower-case text.
bool mentions(std::string_view text, std::initializer_list<std::string_view> words);

}  // namespace softscope
