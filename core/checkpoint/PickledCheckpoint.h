#pragma once

#include "core/checkpoint/PickleValue.h"
#include "core/checkpoint/StorageSource.h"

#include <cstdint>
#include <memory>

namespace softscope {

/// A file that torch.save wrote, whichever its format: the pickled value and the storages it names,
/// which are read when a tensor needs them.
struct PickledCheckpoint {
  std::unique_ptr<PickleTree> tree;
  const PickleValue* root = nullptr;
  std::unique_ptr<StorageSource> storages;
  std::uint64_t fileSize = 0;
};

}  // namespace softscope
