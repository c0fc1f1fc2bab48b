#pragma once

#include "core/checkpoint/PickleValue.h"

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

/// A storage as a pickle's persistent identifier describes it. Counts are in elements.
struct PickledStorage {
  std::string key;
  c10::ScalarType type = c10::ScalarType::Byte;
  std::uint64_t count = 0;
  /// Where it begins inside the storage of that key (views of storages, in old files).
  std::uint64_t offset = 0;
};

/// A tensor as a pickle describes it; all numbers are the file's own and unchecked beyond signs.
struct PickledTensor {
  PickledStorage storage;
  c10::ScalarType type = c10::ScalarType::Byte;
  std::uint64_t offset = 0;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;
};

/// Whether the value is what pickling a tensor or a parameter leaves.
bool isPickledTensor(const PickleValue& value);

/// Throws Malformed for kinds of tensor that are not supported (quantised, sparse, complex).
PickledTensor describeTensor(const PickleValue& value);

/// Whether a persistent identifier names a storage (old files also name classes that way).
bool isPickledStorage(const PickleValue& persistentId);
PickledStorage describeStorage(const PickleValue& persistentId);

}  // namespace softscope
