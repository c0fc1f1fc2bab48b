#pragma once

#include "core/checkpoint/StateDict.h"

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace softscope {

bool startsWith(std::string_view text, std::string_view prefix);
std::string lowerCase(std::string text);

/// Reads a configuration out of whatever tensors are there: every size stands in several of them,
/// so a damaged file is still recognised.
class ShapeReader {
 public:
  /// `network` is the architecture's name in error messages, e.g. `SOFT`.
  ShapeReader(const StateDict& state, std::string network);

  /// Size of dimension `dimension` of the first of `names` that is there with enough dimensions.
  /// Throws ModelError for one that no network has.
  std::optional<int> size(std::initializer_list<std::string> names, int dimension) const;
  /// One more than the largest index below `prefix`, e.g. the blocks of `block1.`; an index of a
  /// thousand and more is damage. Throws ModelError where all that is counted comes to more.
  int count(const std::string& prefix) const;
  /// Whether any name begins with `prefix` and ends with `suffix`.
  bool any(std::string_view prefix, std::string_view suffix = {}) const;
  /// The size, or a ModelError that nothing tells `what`.
  int require(std::optional<int> size, const std::string& what) const;

 private:
  /// The names that begin with `prefix`, in the order of the alphabet.
  std::span<const std::string_view> namesFrom(std::string_view prefix) const;

  const StateDict& state_;
  std::string network_;
  /// In the order of the alphabet, so that a block's are found without looking at all others'.
  std::vector<std::string_view> names_;
  /// What count() said, by prefix.
  mutable std::map<std::string, int, std::less<>> counts_;
};

}  // namespace softscope
