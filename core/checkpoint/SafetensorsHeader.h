#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace softscope {

/// The header in front of a .safetensors file's tensors.
struct SafetensorsHeader {
  struct Tensor {
    std::string name;
    c10::ScalarType type = c10::ScalarType::Float;
    std::vector<std::int64_t> shape;
    /// First byte of the tensor, counted from the end of the header.
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  /// The tensors, in the order of the header.
  std::vector<Tensor> tensors;
  std::map<std::string, std::string> metadata;
};

/// Parses the JSON text and checks that the tensors fill the `dataSize` bytes behind it without
/// gaps or overlaps. Throws Malformed.
SafetensorsHeader parseSafetensorsHeader(std::string_view text, std::uint64_t dataSize);

}  // namespace softscope
