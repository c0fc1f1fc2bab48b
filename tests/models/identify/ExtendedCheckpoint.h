#pragma once

#include "core/checkpoint/Checkpoint.h"
#include "core/model/ModelRequest.h"
#include "tests/core/checkpoint/TestFiles.h"

#include <functional>
#include <string>
#include <vector>

namespace softscope {

/// A copy of a checkpoint of tests/data (`golden/deit/checkpoint.pth`) or resources/checkpoints
/// (`softmax_everyday10.safetensors`) with tensors added or removed, in a temporary folder that is
/// removed with it.
class ExtendedCheckpoint {
 public:
  ExtendedCheckpoint(const std::string& checkpoint, const std::vector<std::string>& added,
                     const std::vector<std::string>& removed = {});

  ModelRequest request() const;
  /// Writes a file beside the checkpoint.
  void writeBeside(const std::string& name, const std::string& text) const;
  /// Returns the path of a file or folder beside the checkpoint.
  std::string beside(const std::string& name) const { return folder_.file(name); }

 private:
  TemporaryFolder folder_;
};

/// Returns a checkpoint with each tensor and its name as `change` makes them.
Checkpoint withTensors(Checkpoint checkpoint,
                       const std::function<void(std::string&, torch::Tensor&)>& change);

}  // namespace softscope
