#pragma once

#include "core/model/ModelRequest.h"
#include "tests/core/checkpoint/TestFiles.h"

#include <string>
#include <vector>

namespace softscope {

/// A checkpoint of tests/data (`golden/deit/checkpoint.pth`) or resources/checkpoints
/// (`softmax_everyday10.safetensors`) with more tensors, or fewer, in a folder of its own that goes
/// with it.
class ExtendedCheckpoint {
 public:
  ExtendedCheckpoint(const std::string& checkpoint, const std::vector<std::string>& added,
                     const std::vector<std::string>& removed = {});

  ModelRequest request() const;
  /// Writes a file beside it.
  void writeBeside(const std::string& name, const std::string& text) const;
  /// A file or folder beside it.
  std::string beside(const std::string& name) const { return folder_.file(name); }

 private:
  TemporaryFolder folder_;
};

}  // namespace softscope
