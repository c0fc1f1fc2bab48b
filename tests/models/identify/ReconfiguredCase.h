#pragma once

#include "core/model/ModelRequest.h"
#include "tests/core/checkpoint/TestFiles.h"

#include <string>

namespace softscope {

/// A copy of a golden case, as goldenPath() names it, beside whose weights another configuration
/// stands.
class ReconfiguredCase {
 public:
  /// Merges `changes` into config.json, or into open_clip_config.json where the case has one; no
  /// changes remove the file.
  ReconfiguredCase(const std::string& name, const std::string& changes);

  std::string path() const { return folder_.file("case"); }
  ModelRequest request() const;

 private:
  TemporaryFolder folder_;
};

}  // namespace softscope
