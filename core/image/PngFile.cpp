#include "core/image/Orientation.h"
#include "core/image/PictureFormat.h"

#include <cctype>
#include <string>
#include <string_view>
#include <zlib.h>

namespace softscope {
namespace {

using namespace std::string_view_literals;

/// CRC-32 as PNG stores it after each chunk.
std::uint32_t checksum(std::span<const std::uint8_t> bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, bytes.data(), bytes.size()));
}

struct Chunk {
  std::string type;
  std::span<const std::uint8_t> content;
  std::span<const std::uint8_t> whole;  ///< with length, type and checksum
  bool sound = false;                   ///< the checksum is right

  bool isCritical() const { return std::isupper(static_cast<unsigned char>(type[0])) != 0; }
};

Chunk readChunk(const EncodedPicture& file, std::size_t offset) {
  Chunk chunk;
  const std::size_t length = file.big32(offset);
  const auto typeAndContent = file.slice(offset + 4, length + 4);
  chunk.type.assign(typeAndContent.begin(), typeAndContent.begin() + 4);
  chunk.content = typeAndContent.subspan(4);
  chunk.whole = file.slice(offset, length + 12);
  chunk.sound = checksum(typeAndContent) == file.big32(offset + 8 + length);
  return chunk;
}

void checkCritical(const EncodedPicture& file, const Chunk& chunk) {
  if (chunk.type != "IHDR" && chunk.type != "PLTE" && chunk.type != "IDAT" &&
      chunk.type != "IEND") {
    file.refuse("is damaged or uses a PNG extension that Softscope does not read");
  }
  if (!chunk.sound) file.refuse("is damaged: the checksum of a PNG chunk is wrong");
}

}  // namespace

PictureHeader examinePng(const EncodedPicture& file) {
  PictureHeader header;
  const auto signature = file.slice(0, 8);
  // Only the chunks that make the pixels go to the decoder. It would print a warning for many of
  // the others, and a transparent colour must not become an alpha channel.
  header.replacement.assign(signature.begin(), signature.end());
  bool hasData = false;
  for (std::size_t offset = 8;;) {
    const Chunk chunk = readChunk(file, offset);
    if (offset == 8 && (chunk.type != "IHDR" || chunk.content.size() != 13)) {
      file.refuse("is damaged: the PNG does not begin with its header");
    }
    if (chunk.isCritical()) {
      checkCritical(file, chunk);
      header.replacement.insert(header.replacement.end(), chunk.whole.begin(), chunk.whole.end());
    } else if (chunk.type == "eXIf" && chunk.sound) {
      header.orientation = exifOrientation(chunk.content);
    }
    hasData = hasData || chunk.type == "IDAT";
    if (chunk.type == "IEND") break;
    offset += chunk.whole.size();
  }
  if (!hasData) file.refuse("is damaged: the PNG holds no picture data");
  header.width = file.big32(16);
  header.height = file.big32(20);
  return header;
}

}  // namespace softscope
