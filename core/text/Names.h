#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

/// Returns true if the name of a layer or a parameter matches a shell pattern of `*`, `?` and
/// `[...]`. A `*` also matches dots.
bool matchesPattern(const std::string& name, const std::string& pattern);

/// Returns true if `text` selects the layer: as its whole name, as a pattern that matches it, or as
/// its beginning up to a dot, as the window's tree shows it (`block3.0` for
/// `block3.0.att.mha.attn`).
bool meansLayer(const std::string& text, const std::string& layer);

/// Returns true if `text` contains a wildcard, so that it is a pattern rather than a name.
bool isPattern(const std::string& text);

/// Names that differ in numbers alone, such as `epoch_5` and `epoch_10`.
struct NumberedNames {
  struct Member {
    /// The number that is called a step, `epoch=1-step=100`, if it tells the names apart, or else
    /// the first in which they differ.
    std::int64_t number = 0;
    /// Place in the list of names.
    std::size_t index = 0;
  };
  /// The names' common text with a `*` for each number in which they differ, `epoch_*`; the name
  /// itself if it is alone.
  std::string shared;
  /// In ascending order of their numbers; those of one number in the order of the list.
  std::vector<Member> members;

  /// True if there are at least two names, and no two of them have the same number.
  bool isSeries() const;
};

/// Puts names that differ in numbers alone together; those of several folders (`run1/epoch_5`) by
/// folder, if a folder has more than one. Groups are in the order of what they share.
std::vector<NumberedNames> groupByNumber(const std::vector<std::string>& names);

/// Returns the names in the given order, with numbers appended to repeated ones: `name`, `name_2`,
/// ...
std::vector<std::string> uniqueNames(const std::vector<std::string>& names);

}  // namespace softscope
