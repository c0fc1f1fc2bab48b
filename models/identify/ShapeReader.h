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

/// Returns the side of the square that `count` entries form, or 0 if they do not form one.
int squareSide(int count);
/// Returns the side of the square that `count` entries form, or throws ModelError: its `count`
/// `entries`, such as `positions of stage 2`, make no square.
int requireSquare(int count, const std::string& entries = "positions");

/// Reads a configuration from the tensors that exist: several of them reveal each size, so a
/// damaged file is still recognised.
class ShapeReader {
 public:
  /// `network` is the architecture's name in error messages, e.g. `SOFT`.
  ShapeReader(const StateDict& state, std::string network);

  /// Returns the size of dimension `dimension` of the first of `names` that exists and has enough
  /// dimensions. Throws ModelError for a size that no network has.
  std::optional<int> size(std::initializer_list<std::string> names, int dimension) const;
  /// Returns one more than the largest index after `prefix`, e.g. the number of blocks for
  /// `block1.`; an index of a thousand or more means that the file is damaged. Throws ModelError if
  /// all counts together exceed that.
  int count(const std::string& prefix) const;
  /// Returns true if any name begins with `prefix` and ends with `suffix`.
  bool any(std::string_view prefix, std::string_view suffix = {}) const;
  /// Returns the size, or throws a ModelError that nothing determines `what`.
  int require(std::optional<int> size, const std::string& what) const;

 private:
  /// Returns the names that begin with `prefix`, in alphabetical order.
  std::span<const std::string_view> namesFrom(std::string_view prefix) const;

  const StateDict& state_;
  std::string network_;
  /// Names in alphabetical order, so that those of a block are found without looking at all others.
  std::vector<std::string_view> names_;
  /// Results of count(), by prefix.
  mutable std::map<std::string, int, std::less<>> counts_;
};

}  // namespace softscope
