#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace softscope::test {

/// Returns a recording of one layer `l` with a class token and 2 x 3 patches, and of two logits, as
/// the bytes of a .safetensors file.
inline std::string oneLayerRecording() {
  constexpr std::size_t tokens = 7;
  const std::vector<float> attention(tokens * tokens, 1.0f / tokens);
  const std::vector<std::int64_t> grid{2, 3};
  const std::vector<float> logits{1, 0};
  const std::string header = R"({"l/attn":{"dtype":"F32","shape":[1,7,7],"data_offsets":[0,196]},)"
                             R"("l/grid":{"dtype":"I64","shape":[2],"data_offsets":[196,212]},)"
                             R"("l/prefix":{"dtype":"I64","shape":[],"data_offsets":[212,220]},)"
                             R"("logits":{"dtype":"F32","shape":[2],"data_offsets":[220,228]}})";
  const std::uint64_t length = header.size();
  const std::int64_t prefix = 1;
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof(length));
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(attention.data()), attention.size() * sizeof(float));
  bytes.append(reinterpret_cast<const char*>(grid.data()), grid.size() * sizeof(std::int64_t));
  bytes.append(reinterpret_cast<const char*>(&prefix), sizeof(prefix));
  bytes.append(reinterpret_cast<const char*>(logits.data()), logits.size() * sizeof(float));
  return bytes;
}

}  // namespace softscope::test
