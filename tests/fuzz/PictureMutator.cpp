#include "tests/fuzz/Mutation.h"

#include <vector>
#include <zlib.h>

// Changes a PNG chunk by chunk, with lengths and checksums that belong to it; other pictures as
// bytes.

namespace {

using Chunks = std::vector<std::string>;

constexpr std::size_t signatureBytes = 8;
constexpr std::size_t mostChunks = 64;

std::uint32_t bigEndianAt(const std::string& bytes, std::size_t at) {
  return __builtin_bswap32(static_cast<std::uint32_t>(softscope::fuzz::numberAt(bytes, at, 4)));
}

std::string bigEndian(std::size_t value) {
  return softscope::fuzz::numberBytes(__builtin_bswap32(static_cast<std::uint32_t>(value)), 4);
}

/// Type and content of each.
Chunks chunksOf(const std::string& png) {
  Chunks chunks;
  for (std::size_t at = signatureBytes; at + 12 <= png.size() && chunks.size() < mostChunks;) {
    const std::size_t length = bigEndianAt(png, at);
    if (length > png.size() - at - 12) break;
    chunks.push_back(png.substr(at + 4, 4 + length));
    at += 12 + length;
  }
  return chunks;
}

std::string pngOf(const std::string& signature, const Chunks& chunks) {
  std::string png = signature;
  for (const std::string& chunk : chunks) {
    const auto checksum = crc32_z(0, reinterpret_cast<const Bytef*>(chunk.data()), chunk.size());
    png += bigEndian(chunk.size() - 4) + chunk + bigEndian(checksum);
  }
  return png;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  softscope::fuzz::Random random(seed);
  const std::string picture(reinterpret_cast<const char*>(data), size);
  Chunks chunks = picture.starts_with("\x89PNG") ? chunksOf(picture) : Chunks();
  if (chunks.empty() || random() % 8 == 0) return LLVMFuzzerMutate(data, size, most);
  std::string& chunk = chunks[random() % chunks.size()];
  const std::size_t room = most > size ? most - size : 0;
  chunk = chunk.substr(0, 4) + softscope::fuzz::mutated(chunk.substr(4), chunk.size() - 4 + room);
  return softscope::fuzz::store(pngOf(picture.substr(0, signatureBytes), chunks), data, size, most);
}
