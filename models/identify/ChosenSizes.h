#pragma once

#include <span>
#include <string>
#include <vector>

namespace softscope {

/// Sizes that replace an architecture's own in a training run; an empty list keeps the
/// architecture's.
struct ArchitectureSizes {
  std::vector<int> widths;  ///< channels of each stage; one number for networks of one width
  std::vector<int> heads;   ///< heads of each stage; one number where all blocks have the same

  /// Returns `, width 16,32,64,80, heads 1,2,4,5`; empty for an architecture's own sizes.
  std::string text() const;
};

// The effect of the training options `--width` and `--heads` on an architecture's own sizes.

/// Replaces an architecture's sizes by the given ones; an empty list leaves them unchanged. Throws
/// a ModelError that names `option` unless there are as many as the architecture has.
void chooseSizes(const std::vector<int>& given, std::span<int> sizes, const std::string& option);

/// Throws ModelError unless the `channels` of a stage (from 1; 0 if there are no stages) are
/// divisible by its number of heads.
void requireTrainableHeads(int channels, int heads, std::size_t stage);

}  // namespace softscope
