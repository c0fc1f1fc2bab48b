#pragma once

#include "core/checkpoint/PickledTensor.h"

#include <torch/types.h>

#include <cstdint>
#include <string>

namespace softscope {

/// The raw memory blocks that the tensors of a pickle are views of.
class StorageSource {
 public:
  virtual ~StorageSource() = default;
  /// Returns all bytes of the storage with that key as a uint8 vector; the same tensor each time.
  /// Throws Malformed if the file lacks it.
  virtual torch::Tensor bytes(const std::string& key) = 0;
};

/// Builds tensors from their descriptions and the storages of a file, and checks every claim
/// against the bytes that exist.
class TensorRebuild {
 public:
  /// `fileSize`, in bytes, bounds the total bytes of tensors that are not laid out row by row in
  /// their storage and therefore must be copied.
  TensorRebuild(StorageSource& storages, std::uint64_t fileSize);

  /// Returns a contiguous tensor; several may share one storage, as in the file. Throws Malformed.
  torch::Tensor rebuild(const PickledTensor& description);

 private:
  StorageSource& storages_;
  std::uint64_t copyBudget_;
};

}  // namespace softscope
