#pragma once

#include <span>
#include <string>
#include <vector>

namespace softscope {

/// Sizes that a training chooses instead of an architecture's own; these where a list is empty.
struct ArchitectureSizes {
  std::vector<int> widths;  ///< channels of each stage; one number for networks of one width
  std::vector<int> heads;   ///< of each stage; one number for networks with one number of heads

  /// `, width 16,32,64,80, heads 1,2,4,5`; empty for an architecture's own.
  std::string text() const;
};

// What `--width` and `--heads` of a training make of an architecture's own sizes.

/// Puts the numbers that were given in the place of an architecture's; none leave it as it is.
/// Throws ModelError, naming `option`, unless there are as many as the architecture has.
void chooseSizes(const std::vector<int>& given, std::span<int> sizes, const std::string& option);

/// Throws ModelError unless the `channels` of a stage (from 1; 0 where there are no stages) divide
/// among its heads.
void requireTrainableHeads(int channels, int heads, std::size_t stage);

}  // namespace softscope
