#pragma once

#include "core/checkpoint/PickledTensor.h"

#include <torch/types.h>

#include <cstdint>
#include <string>

namespace softscope {

/// The raw memory blocks that a pickle's tensors are views of.
class StorageSource {
 public:
  virtual ~StorageSource() = default;
  /// All bytes of the storage of that key, a uint8 vector; the same tensor each time it is asked
  /// for. Throws Malformed where the file lacks it.
  virtual torch::Tensor bytes(const std::string& key) = 0;
};

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
