#include "core/array/NpyHeader.h"

#include "core/files/InputFile.h"
#include "core/files/Malformed.h"

#include <charconv>

namespace softscope {

namespace {

constexpr std::string_view npyMagic = "\x93NUMPY";

/// Parses the few forms of Python literals that a .npy header consists of.
class LiteralParser {
 public:
  explicit LiteralParser(std::string_view text) : text_(text) {}

  /// Consumes `symbol` if it comes next after white space, and returns whether it did.
  bool accept(char symbol) {
    skipSpace();
    if (position_ >= text_.size() || text_[position_] != symbol) return false;
    ++position_;
    return true;
  }
  void expect(char symbol) {
    if (!accept(symbol)) fail();
  }
  bool acceptWord(std::string_view word) {
    skipSpace();
    if (text_.substr(position_, word.size()) != word) return false;
    position_ += word.size();
    return true;
  }
  std::string quoted();
  std::int64_t integer();
  [[noreturn]] static void fail() { throw Malformed("has a damaged .npy header"); }

 private:
  void skipSpace() {
    const std::size_t next = text_.find_first_not_of(" \t\r\n", position_);
    position_ = next == std::string_view::npos ? text_.size() : next;
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

std::string LiteralParser::quoted() {
  skipSpace();
  if (position_ >= text_.size()) fail();
  const char quote = text_[position_];
  if (quote != '\'' && quote != '"') fail();
  const std::size_t end = text_.find(quote, position_ + 1);
  if (end == std::string_view::npos) fail();
  std::string value(text_.substr(position_ + 1, end - position_ - 1));
  position_ = end + 1;
  return value;
}

std::int64_t LiteralParser::integer() {
  skipSpace();
  std::int64_t value = 0;
  const char* begin = text_.data() + position_;
  const auto result = std::from_chars(begin, text_.data() + text_.size(), value);
  if (result.ec != std::errc() || value < 0) {
    throw Malformed("has a .npy header whose shape is not made of sizes");
  }
  position_ += static_cast<std::size_t>(result.ptr - begin);
  accept('L');  // Python 2 marked its long integers with an L.
  return value;
}

/// Throws if the non-zero extents ask for more than memory can hold: an extent of zero must not
/// hide this, because strides are products of extents as well.
void requirePossible(const std::vector<std::int64_t>& shape) {
  std::uint64_t count = 1;
  for (const std::int64_t extent : shape) {
    const std::uint64_t factor = extent == 0 ? 1 : static_cast<std::uint64_t>(extent);
    if (__builtin_mul_overflow(count, factor, &count) || count >> 60 != 0) {
      throw Malformed("claims more values than any file can hold");
    }
  }
}

std::vector<std::int64_t> parseShape(LiteralParser& parser) {
  constexpr std::size_t mostDimensions = 64;
  std::vector<std::int64_t> shape;
  parser.expect('(');
  while (!parser.accept(')')) {
    shape.push_back(parser.integer());
    if (shape.size() > mostDimensions) throw Malformed("has a .npy header of too many dimensions");
    if (!parser.accept(',')) {
      parser.expect(')');
      break;
    }
  }
  requirePossible(shape);
  return shape;
}

bool parseTruth(LiteralParser& parser) {
  if (parser.acceptWord("True")) return true;
  if (parser.acceptWord("False")) return false;
  LiteralParser::fail();
}

std::string parseType(LiteralParser& parser) {
  if (parser.accept('[')) throw Malformed("holds records; only arrays of floats can be read");
  return parser.quoted();
}

void parseDictionary(std::string_view text, NpyHeader& header) {
  LiteralParser parser(text);
  bool typeSeen = false;
  bool orderSeen = false;
  bool shapeSeen = false;
  parser.expect('{');
  while (!parser.accept('}')) {
    const std::string key = parser.quoted();
    parser.expect(':');
    if (key == "descr" && !typeSeen) {
      header.type = parseType(parser);
      typeSeen = true;
    } else if (key == "fortran_order" && !orderSeen) {
      header.fortranOrder = parseTruth(parser);
      orderSeen = true;
    } else if (key == "shape" && !shapeSeen) {
      header.shape = parseShape(parser);
      shapeSeen = true;
    } else {
      LiteralParser::fail();
    }
    if (!parser.accept(',')) {
      parser.expect('}');
      break;
    }
  }
  if (!typeSeen || !orderSeen || !shapeSeen) LiteralParser::fail();
}

/// Returns the little-endian number in `count` bytes from `offset`.
std::size_t littleEndian(std::string_view bytes, std::size_t offset, std::size_t count) {
  std::size_t value = 0;
  for (std::size_t index = count; index-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[offset + index]);
  }
  return value;
}

}  // namespace

NpyHeader readNpyHeader(InputFile& file) {
  // NumPy itself reads no header of more than 10 000 characters unless told to.
  constexpr std::size_t longestStart = 64 * 1024;
  return parseNpyHeader(file.head(longestStart));
}

NpyHeader parseNpyHeader(std::string_view bytes) {
  constexpr std::size_t versionOffset = 6;
  constexpr std::size_t lengthOffset = 8;
  if (bytes.substr(0, npyMagic.size()) != npyMagic) throw Malformed("is not a .npy file");
  if (bytes.size() <= versionOffset) throw Malformed("is truncated: the .npy header is cut short");
  const int version = static_cast<unsigned char>(bytes[versionOffset]);
  if (version < 1 || version > 3) {
    throw Malformed("has .npy version " + std::to_string(version) + "; 1, 2 and 3 can be read");
  }
  const std::size_t lengthBytes = version == 1 ? 2 : 4;
  const std::size_t textOffset = lengthOffset + lengthBytes;
  if (bytes.size() < textOffset) throw Malformed("is truncated: the .npy header is cut short");
  const std::size_t textLength = littleEndian(bytes, lengthOffset, lengthBytes);
  if (textLength > bytes.size() - textOffset) {
    throw Malformed("is truncated: the .npy header is cut short");
  }
  NpyHeader header;
  header.dataOffset = textOffset + textLength;
  parseDictionary(bytes.substr(textOffset, textLength), header);
  return header;
}

}  // namespace softscope
