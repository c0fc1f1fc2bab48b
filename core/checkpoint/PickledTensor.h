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
  /// Start of this view within the storage with that key (views of storages, in old files).
  std::uint64_t offset = 0;
};

/// A tensor as a pickle describes it. All numbers come from the file, and nothing but their signs
/// has been checked.
struct PickledTensor {
  PickledStorage storage;
  c10::ScalarType type = c10::ScalarType::Byte;
  std::uint64_t offset = 0;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;
};

/// Returns true if the value is a pickled tensor or parameter.
bool isPickledTensor(const PickleValue& value);

/// Describes a pickled tensor. Throws Malformed for unsupported kinds (quantised, sparse, complex).
PickledTensor describeTensor(const PickleValue& value);

/// Returns true if a persistent identifier names a storage (old files also name classes that way).
bool isPickledStorage(const PickleValue& persistentId);
/// Throws Malformed if persistent identifiers are text, as pickle protocol 0 writes them, so that
/// nothing tells which storages a file's tensors have.
void refuseProtocolZero(const PickleTree& tree);
PickledStorage describeStorage(const PickleValue& persistentId);

}  // namespace softscope
