#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

/// The properties that a pickle may claim for one float32 tensor.
struct TensorClaim {
  std::vector<std::int64_t> sizes = {2};
  std::vector<std::int64_t> strides = {1};
  std::int64_t offset = 0;
  std::int64_t storageCount = 2;
  std::string storageClass = "FloatStorage";
  std::string storageKey = "0";
};

/// Returns the pickle of `{'a': tensor}`.
std::string pickleOf(const TensorClaim& claim);
std::string pickledInteger(std::int64_t value);
std::string pickledText(const std::string& text);

using ZipEntries = std::vector<std::pair<std::string, std::string>>;

/// Returns a zip archive of uncompressed entries.
std::string zipOf(const ZipEntries& entries);
/// Returns the entries of a checkpoint that torch.save could have written.
ZipEntries checkpointEntries(const std::string& pickle, const std::string& storage);
std::string zipCheckpoint(const TensorClaim& claim, const std::string& storage);

/// Returns a checkpoint in the older format with one storage, `0`, of `count` elements.
std::string legacyCheckpoint(const std::string& pickle, std::uint64_t count,
                             const std::string& storage, bool littleEndian = true);

/// Returns a .safetensors file; its length field is the header's actual length unless one is given.
std::string safetensorsOf(const std::string& header, const std::string& data);
std::string littleEndianBytes(std::uint64_t value, int count);

}  // namespace softscope
