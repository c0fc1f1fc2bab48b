#pragma once

#include "widgets/workspace/WorkspaceState.h"

#include <string>

namespace softscope {

/// The files that a window without arguments shows, which nobody chose.
class BundledContent {
 public:
  BundledContent() = default;
  BundledContent(const std::string& picture, const std::string& model);

  /// True if a workspace has something to open that is not bundled.
  bool opensMore(const WorkspaceState& state) const;
  /// True if a workspace holds what its user opened, pinned, named or collected.
  bool holdsWork(const WorkspaceState& state) const;

 private:
  std::string picture_;
  std::string model_;
};

}  // namespace softscope
