#include "core/array/NpyFormat.h"

#include "core/files/InputFile.h"
#include "core/files/Malformed.h"

#include <Eigen/Core>

#include <algorithm>
#include <charconv>
#include <cstring>

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

using Shape = std::vector<std::int64_t>;

/// Returns the bytes per value of the float types that can be read. Throws Malformed for any other
/// type.
std::size_t valueSize(const std::string& type) {
  if (type == "<f2") return 2;
  if (type == "<f4") return 4;
  if (type == "<f8") return 8;
  if (type == ">f2" || type == ">f4" || type == ">f8") {
    throw Malformed("is big-endian (" + type + "); save it as little-endian float32");
  }
  const bool plain = type.size() <= 16 && type.find_first_not_of(
                                              "<>|=abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV"
                                              "WXYZ0123456789[]") == std::string::npos;
  throw Malformed("holds values of type " + (plain ? "'" + type + "'" : std::string("unknown")) +
                  "; only float16, float32 and float64 can be read");
}

/// Returns the number of values in a shape. Throws Malformed unless they fit in `bytes`.
std::size_t countWithin(const Shape& shape, std::uint64_t bytes, std::size_t sizeOfValue) {
  for (const std::int64_t extent : shape) {
    if (extent == 0) return 0;
  }
  std::uint64_t needed = sizeOfValue;
  for (const std::int64_t extent : shape) {
    if (__builtin_mul_overflow(needed, static_cast<std::uint64_t>(extent), &needed) ||
        needed > bytes) {
      throw Malformed("is truncated: its shape asks for more values than the file holds");
    }
  }
  return static_cast<std::size_t>(needed / sizeOfValue);
}

template <typename Stored>
std::vector<float> convert(const char* data, std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t index = 0; index < count; ++index) {
    Stored stored;
    std::memcpy(&stored, data + index * sizeof(Stored), sizeof(Stored));
    values[index] = static_cast<float>(stored);
  }
  return values;
}

std::vector<float> toFloats(const char* data, std::size_t count, std::size_t sizeOfValue) {
  if (sizeOfValue == 2) return convert<Eigen::half>(data, count);
  if (sizeOfValue == 8) return convert<double>(data, count);
  std::vector<float> values(count);
  if (count > 0) std::memcpy(values.data(), data, count * sizeof(float));
  return values;
}

/// Reorders values whose first index runs fastest into row-major order.
std::vector<float> fromFortranOrder(const std::vector<float>& values, const Shape& shape) {
  std::vector<std::size_t> strides(shape.size());
  std::size_t stride = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    strides[axis] = stride;
    stride *= static_cast<std::size_t>(shape[axis]);
  }
  std::vector<float> ordered;
  ordered.reserve(values.size());
  std::vector<std::int64_t> index(shape.size(), 0);
  std::size_t source = 0;
  while (ordered.size() < values.size()) {
    ordered.push_back(values[source]);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      source += strides[axis];
      if (++index[axis] < shape[axis]) break;
      source -= strides[axis] * static_cast<std::size_t>(shape[axis]);
      index[axis] = 0;
    }
  }
  return ordered;
}

std::string shapeText(const Shape& shape) {
  std::string text = "(";
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    text += (axis > 0 ? ", " : "") + std::to_string(shape[axis]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

/// Returns the code points of valid UTF-8.
std::vector<std::uint32_t> pointsOf(const std::string& text) {
  std::vector<std::uint32_t> points;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if ((byte & 0xc0) == 0x80 && !points.empty()) {
      points.back() = points.back() << 6 | (byte & 0x3f);
    } else {
      const std::uint32_t mask = byte < 0x80   ? 0x7f
                                 : byte < 0xe0 ? 0x1f
                                 : byte < 0xf0 ? 0x0f
                                               : 0x07;
      points.push_back(byte & mask);
    }
  }
  return points;
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

FloatArray decodeNpy(std::string_view bytes) {
  const NpyHeader header = parseNpyHeader(bytes);
  const std::size_t sizeOfValue = valueSize(header.type);
  const std::size_t count =
      countWithin(header.shape, bytes.size() - header.dataOffset, sizeOfValue);
  FloatArray array;
  array.shape = header.shape;
  array.values = toFloats(bytes.data() + header.dataOffset, count, sizeOfValue);
  if (header.fortranOrder && count > 0) array.values = fromFortranOrder(array.values, array.shape);
  return array;
}

FloatArray readNpyIntegerArray(InputFile& file) {
  const NpyHeader header = readNpyHeader(file);
  const bool areBytes = header.type == "|u1";
  const bool areShort = header.type == "<i4";
  if (!areBytes && !areShort && header.type != "<i8") {
    throw Malformed("holds values of another type than the integers uint8, int32 and int64");
  }
  const std::size_t sizeOfValue = areBytes ? 1 : areShort ? 4 : 8;
  const std::size_t count = countWithin(header.shape, file.size() - header.dataOffset, sizeOfValue);
  std::string bytes(count * sizeOfValue, '\0');
  file.read(header.dataOffset, bytes.data(), bytes.size());
  FloatArray array;
  array.shape = header.shape;
  array.values = areBytes   ? convert<std::uint8_t>(bytes.data(), count)
                 : areShort ? convert<std::int32_t>(bytes.data(), count)
                            : convert<std::int64_t>(bytes.data(), count);
  if (header.fortranOrder && count > 0) array.values = fromFortranOrder(array.values, array.shape);
  return array;
}

FloatArray readNpyArray(InputFile& file) {
  const NpyHeader header = readNpyHeader(file);
  const std::size_t sizeOfValue = valueSize(header.type);
  const std::size_t count = countWithin(header.shape, file.size() - header.dataOffset, sizeOfValue);
  FloatArray array;
  array.shape = header.shape;
  if (sizeOfValue == sizeof(float)) {
    array.values.resize(count);
    file.read(header.dataOffset, array.values.data(), count * sizeof(float));
  } else {
    std::string bytes(count * sizeOfValue, '\0');
    file.read(header.dataOffset, bytes.data(), bytes.size());
    array.values = toFloats(bytes.data(), count, sizeOfValue);
  }
  if (header.fortranOrder && count > 0) array.values = fromFortranOrder(array.values, array.shape);
  return array;
}

std::string npyHeader(const std::string& type, const std::vector<std::int64_t>& shape) {
  constexpr std::size_t prefix = 10;
  constexpr std::size_t alignment = 64;
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shapeText(shape) + ", }";
  // NumPy's own writer pads the header so that the values start on a cache line, and ends it with a
  // line feed.
  const std::size_t unpadded = prefix + header.size() + 1;
  header.append((alignment - unpadded % alignment) % alignment, ' ');
  header += '\n';

  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  return bytes;
}

std::string encodeNpy(const FloatArray& array) {
  std::string bytes = npyHeader("<f4", array.shape);
  bytes.append(reinterpret_cast<const char*>(array.values.data()),
               array.values.size() * sizeof(float));
  return bytes;
}

std::string encodeNpyTexts(const std::vector<std::string>& texts, bool isList) {
  std::vector<std::vector<std::uint32_t>> all;
  std::size_t longest = 1;
  for (const std::string& text : texts) {
    all.push_back(pointsOf(text));
    longest = std::max(longest, all.back().size());
  }
  std::string bytes;
  for (std::vector<std::uint32_t>& points : all) {
    points.resize(longest, 0);
    bytes.append(reinterpret_cast<const char*>(points.data()), 4 * longest);
  }
  std::vector<std::int64_t> shape;
  if (isList) shape.push_back(std::ssize(texts));
  return npyHeader("<U" + std::to_string(longest), shape) + bytes;
}

}  // namespace softscope
