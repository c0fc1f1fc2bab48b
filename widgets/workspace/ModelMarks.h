#pragma once

#include <string>
#include <vector>

namespace softscope {

/// A head of a model's layer, counted from 0.
struct HeadOfLayer {
  std::string layer;
  int head = 0;

  bool operator==(const HeadOfLayer&) const = default;
};

/// How a user has set one open model apart from the others; kept while it is opened with other
/// settings, and in the workspace.
struct ModelMarks {
  /// The model stays open, but is left out where several models are shown.
  bool isSilenced = false;
  /// The heads that Compare shows in place of chosen layers, in the order in which they were
  /// collected.
  std::vector<HeadOfLayer> collected;
};

}  // namespace softscope
