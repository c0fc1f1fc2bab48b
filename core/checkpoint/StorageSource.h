#pragma once

#include <torch/types.h>

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

}  // namespace softscope
