#pragma once

#include "core/checkpoint/PickledTensor.h"
#include "core/checkpoint/StorageSource.h"

#include <cstdint>

namespace softscope {

/// Makes tensors from their descriptions and the storages of a file, checking every claim against
/// the bytes that are there.
class TensorRebuild {
 public:
  /// `copyLimit` bounds the bytes of all tensors that are not laid out row by row in their storage
  /// and so must be copied.
  TensorRebuild(StorageSource& storages, std::uint64_t copyLimit);

  /// A contiguous tensor; several may share one storage, as they did in the file. Throws Malformed.
  torch::Tensor rebuild(const PickledTensor& description);

 private:
  StorageSource& storages_;
  std::uint64_t copyBudget_;
};

}  // namespace softscope
