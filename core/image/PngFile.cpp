#include "core/image/Orientation.h"
#include "core/image/PictureFormat.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <zlib.h>

namespace softscope {
namespace {

using namespace std::string_view_literals;

/// Returns the CRC-32 that PNG stores after each chunk.
std::uint32_t checksum(std::span<const std::uint8_t> bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, bytes.data(), bytes.size()));
}

/// Inflates a zlib stream of a few kilobytes of text or profile, up to `most` bytes; if it is
/// damaged, as far as possible.
std::vector<std::uint8_t> inflated(std::span<const std::uint8_t> stream, std::size_t most) {
  z_stream state{};
  if (inflateInit(&state) != Z_OK) return {};
  state.next_in = const_cast<Bytef*>(stream.data());
  state.avail_in =
      static_cast<uInt>(std::min<std::size_t>(stream.size(), std::numeric_limits<uInt>::max()));
  std::vector<std::uint8_t> content;
  std::array<std::uint8_t, 16384> part;
  int result = Z_OK;
  while (result == Z_OK && content.size() < most) {
    state.next_out = part.data();
    state.avail_out = static_cast<uInt>(std::min(part.size(), most - content.size()));
    result = inflate(&state, Z_NO_FLUSH);
    content.insert(content.end(), part.data(), state.next_out);
  }
  inflateEnd(&state);
  return content;
}

struct Chunk {
  std::string type;
  std::span<const std::uint8_t> content;
  std::span<const std::uint8_t> whole;  ///< the chunk including length, type and checksum
  bool sound = false;                   ///< true if the checksum is right

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

std::string_view textOf(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Removes the part before the first zero byte from `text`, together with the zero, and returns
/// that part.
std::string_view takeField(std::string_view& text) {
  const auto end = std::min(text.find('\0'), text.size());
  const std::string_view field = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return field;
}

/// Key and value of a text chunk, compressed or not.
struct PngText {
  std::string_view key;
  std::string value;
};

PngText readText(const Chunk& chunk) {
  constexpr std::size_t longest = 1 << 20;
  std::string_view rest = textOf(chunk.content);
  PngText text;
  text.key = takeField(rest);
  bool compressed = chunk.type == "zTXt";
  if (compressed) rest.remove_prefix(std::min<std::size_t>(1, rest.size()));
  if (chunk.type == "iTXt") {
    compressed = rest.starts_with('\1');
    rest.remove_prefix(std::min<std::size_t>(2, rest.size()));
    takeField(rest);  // the language tag
    takeField(rest);  // the key in that language
  }
  if (compressed) {
    const auto content =
        inflated({reinterpret_cast<const std::uint8_t*>(rest.data()), rest.size()}, longest);
    text.value.assign(content.begin(), content.end());
  } else {
    text.value = rest.substr(0, longest);
  }
  return text;
}

/// Returns the bytes of a profile that ImageMagick writes as text: a line break, a name, the number
/// of bytes, and the bytes in hexadecimal digits.
std::vector<std::uint8_t> rawProfile(std::string_view text) {
  for (int line = 0; line < 3; ++line) {
    const auto end = text.find('\n');
    if (end == text.npos) return {};
    text.remove_prefix(end + 1);
  }
  std::string digits;
  std::ranges::copy_if(text, std::back_inserter(digits),
                       [](unsigned char c) { return std::isxdigit(c) != 0; });
  std::vector<std::uint8_t> bytes(digits.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::from_chars(digits.data() + 2 * i, digits.data() + 2 * i + 2, bytes[i], 16);
  }
  return bytes;
}

/// Reads the chunks that do not contain pixels.
class AncillaryChunks {
 public:
  void read(const Chunk& chunk) {
    if (!chunk.sound) return;
    const std::string& type = chunk.type;
    if (type == "eXIf" && !orientation_.exif) orientation_.exif = exifOrientation(chunk.content);
    if (type == "tEXt" || type == "zTXt" || type == "iTXt") readOrientation(chunk);
    if (type == "tRNS") transparent_ = true;
    if (type == "acTL" && chunk.content.size() >= 4) frames_ = numberAt(chunk, 0);
    if (type == "sRGB") isSrgb_ = true;
    if (type == "gAMA" && chunk.content.size() >= 4) gamma_ = numberAt(chunk, 0);
    if (type == "iCCP") readProfile(chunk);
    if (type == "cICP" && chunk.content.size() >= 2) readColorCodes(chunk);
  }

  void describe(PictureHeader& header) const {
    header.orientation = orientation_.chosen();
    header.hasAlpha = header.hasAlpha || transparent_;
    header.pages = std::max<std::uint64_t>(1, frames_);
    if (frames_ > 0) header.pageKind = PageKind::Frame;
    header.profile = profile();
  }

 private:
  static std::uint32_t numberAt(const Chunk& chunk, std::size_t at) {
    const auto b = chunk.content.subspan(at, 4);
    return static_cast<std::uint32_t>(b[0]) << 24 | static_cast<std::uint32_t>(b[1] << 16) |
           static_cast<std::uint32_t>(b[2] << 8) | b[3];
  }

  void readOrientation(const Chunk& chunk) {
    std::string_view content = textOf(chunk.content);
    const std::string_view key = takeField(content);
    const bool exif = key == "Raw profile type exif" || key == "Raw profile type APP1";
    const bool xmp = key == "XML:com.adobe.xmp" || key == "Raw profile type xmp";
    // A few texts suffice, however many there are.
    constexpr int mostTexts = 8;
    if (!exif && !xmp && key != "exif:Orientation") return;
    if (++texts_ > mostTexts) return;
    if (exif && !orientation_.exif) {
      orientation_.exif = exifOrientation(rawProfile(readText(chunk).value));
    } else if (xmp && !orientation_.xmp) {
      const PngText text = readText(chunk);
      orientation_.xmp = key.starts_with("Raw") ? xmpOrientation(textOf(rawProfile(text.value)))
                                                : xmpOrientation(text.value);
    } else if (!exif && !xmp && !orientation_.text) {
      orientation_.text = orientationDigit(readText(chunk).value);
    }
  }

  void readProfile(const Chunk& chunk) {
    constexpr std::size_t largestProfile = 1 << 20;
    std::string_view rest = textOf(chunk.content);
    takeField(rest);
    if (rest.empty() || hasProfile_) return;
    const auto icc = inflated(
        {reinterpret_cast<const std::uint8_t*>(rest.data()) + 1, rest.size() - 1}, largestProfile);
    hasProfile_ = true;
    if (icc.empty()) return;  // There is no profile that could be applied.
    profile_ = unusedProfile(icc);
  }

  /// Reads the colour codes of ITU-T H.273: 1 and 13 are sRGB.
  void readColorCodes(const Chunk& chunk) {
    const int primaries = chunk.content[0];
    const int transfer = chunk.content[1];
    hasCodes_ = true;
    if (primaries == 1 && transfer == 13) return;
    codes_ = "its colour space (primaries " + std::to_string(primaries) + ", transfer " +
             std::to_string(transfer) + ")";
  }

  std::string profile() const {
    if (hasCodes_) return codes_;
    if (hasProfile_) return profile_;
    constexpr std::uint32_t usual = 45'455;  // 1 / 2.2, in units of 1 / 100 000.
    constexpr std::uint32_t near = 1'500;
    if (isSrgb_ || gamma_ == 0 || (gamma_ > usual - near && gamma_ < usual + near)) return "";
    const std::string thousandths = std::to_string(gamma_ % 100'000 / 100 + 1000);
    return "its gamma of " + std::to_string(gamma_ / 100'000) + "." + thousandths.substr(1);
  }

  StatedOrientation orientation_;
  int texts_ = 0;
  bool transparent_ = false;
  std::uint64_t frames_ = 0;
  bool isSrgb_ = false;
  std::uint32_t gamma_ = 0;
  bool hasProfile_ = false;
  std::string profile_;
  bool hasCodes_ = false;
  std::string codes_;
};

void describeSamples(const EncodedPicture& file, PictureHeader& header) {
  constexpr int greyAlpha = 4;
  constexpr int colorAlpha = 6;
  constexpr int grey = 0;
  const int type = file.byte(25);
  header.width = file.big32(16);
  header.height = file.big32(20);
  header.bits = file.byte(24) == 16 ? 16 : 8;
  header.isGrey = type == grey || type == greyAlpha;
  header.hasAlpha = type == greyAlpha || type == colorAlpha;
}

}  // namespace

PictureHeader examinePng(const EncodedPicture& file) {
  PictureHeader header;
  AncillaryChunks ancillary;
  const auto signature = file.slice(0, 8);
  // Pass only the chunks that make up the pixels to the decoder: it would print warnings for many
  // of the others, and a transparent colour must not become an alpha channel.
  header.replacement.assign(signature.begin(), signature.end());
  bool hasData = false;
  bool hasPalette = false;
  for (std::size_t offset = 8;;) {
    const Chunk chunk = readChunk(file, offset);
    if (offset == 8 && (chunk.type != "IHDR" || chunk.content.size() != 13)) {
      file.refuse("is damaged: the PNG does not begin with its header");
    }
    const bool isRepeated =
        (chunk.type == "IHDR" && offset > 8) || (chunk.type == "PLTE" && hasPalette);
    if (isRepeated) {
      file.refuse("is damaged: the PNG has " +
                  std::string(chunk.type == "PLTE" ? "two palettes" : "two headers") +
                  ", of which each reader takes another; save it again");
    }
    hasPalette = hasPalette || chunk.type == "PLTE";
    if (chunk.isCritical()) {
      checkCritical(file, chunk);
      header.replacement.insert(header.replacement.end(), chunk.whole.begin(), chunk.whole.end());
    } else {
      ancillary.read(chunk);
    }
    hasData = hasData || chunk.type == "IDAT";
    if (chunk.type == "IEND") break;
    offset += chunk.whole.size();
  }
  if (!hasData) file.refuse("is damaged: the PNG holds no picture data");
  describeSamples(file, header);
  ancillary.describe(header);
  return header;
}

}  // namespace softscope
