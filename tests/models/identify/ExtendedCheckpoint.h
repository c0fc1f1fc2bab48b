#pragma once

#include "core/model/ModelRequest.h"

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
  ~ExtendedCheckpoint();
  ExtendedCheckpoint(const ExtendedCheckpoint&) = delete;
  ExtendedCheckpoint& operator=(const ExtendedCheckpoint&) = delete;

  ModelRequest request() const;

 private:
  std::string folder_;
};

}  // namespace softscope
