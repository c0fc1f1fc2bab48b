#pragma once

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// The numbers of heads that a network is said to have: one number, for its last stage, or one for
/// each stage.
class HeadCounts {
 public:
  HeadCounts(int heads) : counts_{heads} {}
  /// `counts` must not be empty.
  explicit HeadCounts(std::vector<int> counts) : counts_(std::move(counts)) {}

  int last() const { return counts_.back(); }
  const std::vector<int>& counts() const { return counts_; }
  bool isOneNumber() const { return counts_.size() == 1; }
  /// Returns `4`, or `1,3,4`.
  std::string text() const;

  bool operator==(const HeadCounts&) const = default;

 private:
  std::vector<int> counts_;
};

/// Parses `4` or `1,3,4`; returns nothing for any other text, or for numbers outside 1 ... 1024.
std::optional<HeadCounts> parseHeadCounts(const std::string& text);

}  // namespace softscope
