#include "core/recording/NpyEntry.h"

#include "core/Error.h"
#include "core/array/NpyFormat.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace softscope {

namespace {

const char* npyName(c10::ScalarType type) {
  switch (type) {
    case c10::ScalarType::Half:
      return "<f2";
    case c10::ScalarType::Float:
      return "<f4";
    case c10::ScalarType::Double:
      return "<f8";
    case c10::ScalarType::Long:
      return "<i8";
    case c10::ScalarType::Byte:
      return "|u1";
    default:
      throw InspectionError(std::string("values of type ") + c10::toString(type) +
                            " cannot be written as .npy");
  }
}

/// The characters of valid UTF-8.
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

std::string encodeTexts(const RecordingFile::Texts& texts, bool isList) {
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

}  // namespace

std::string encodeNpyEntry(const RecordingFile::Value& value, bool isList) {
  if (const auto* texts = std::get_if<RecordingFile::Texts>(&value)) {
    return encodeTexts(*texts, isList);
  }
  const torch::Tensor tensor = std::get<torch::Tensor>(value).contiguous();
  const std::string header = npyHeader(npyName(tensor.scalar_type()), tensor.sizes().vec());
  return header + std::string(static_cast<const char*>(tensor.data_ptr()), tensor.nbytes());
}

}  // namespace softscope
