#include "core/recording/NpzEntries.h"

#include "core/array/InputFile.h"
#include "core/array/Malformed.h"
#include "core/array/NpyHeader.h"
#include "core/array/ZipArchive.h"
#include "core/checkpoint/FileText.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>

namespace softscope {

namespace {

constexpr std::string_view npyEnding = ".npy";

struct NpyType {
  std::string_view name;
  c10::ScalarType type;
};
constexpr NpyType npyTypes[] = {
    {"<f2", c10::ScalarType::Half},   {"<f4", c10::ScalarType::Float},
    {"<f8", c10::ScalarType::Double}, {"<i8", c10::ScalarType::Long},
    {"<i4", c10::ScalarType::Int},    {"<i2", c10::ScalarType::Short},
    {"|i1", c10::ScalarType::Char},   {"|u1", c10::ScalarType::Byte},
    {"|b1", c10::ScalarType::Bool},
};

std::int64_t countOf(const NpyHeader& header, std::size_t available, std::size_t sizeOfValue) {
  std::uint64_t count = 1;
  for (const std::int64_t extent : header.shape) {
    if (extent == 0) return 0;
    if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(extent), &count) ||
        count > available / sizeOfValue) {
      throw Malformed("is truncated: its shape asks for more values than it holds");
    }
  }
  if (count > available / sizeOfValue) throw Malformed("is truncated: it has no values");
  return static_cast<std::int64_t>(count);
}

torch::Tensor decodeNumbers(const NpyHeader& header, std::string_view data, c10::ScalarType type) {
  const std::int64_t count = countOf(header, data.size(), c10::elementSize(type));
  std::vector<std::int64_t> shape = header.shape;
  // Fortran's order is that of the transposed array.
  if (header.fortranOrder) std::reverse(shape.begin(), shape.end());
  torch::Tensor tensor = torch::empty(shape, type);
  // (Of nothing there is no address, which memcpy() may not be given.)
  if (count > 0) {
    std::memcpy(tensor.data_ptr(), data.data(),
                static_cast<std::size_t>(count) * c10::elementSize(type));
  }
  if (!header.fortranOrder) return tensor;
  std::vector<std::int64_t> axes(shape.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    axes[i] = static_cast<std::int64_t>(axes.size() - 1 - i);
  }
  return tensor.permute(axes).contiguous();
}

/// A text of `U`, four bytes a character, or `S`, one; both are filled up with zeros.
std::string decodeText(std::string_view bytes, bool isUnicode) {
  if (!isUnicode) {
    const std::size_t last = bytes.find_last_not_of('\0');
    return std::string(bytes.substr(0, last == std::string_view::npos ? 0 : last + 1));
  }
  std::string text;
  for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    std::uint32_t point = 0;
    std::memcpy(&point, bytes.data() + i, 4);
    if (point == 0) break;
    if (!appendUtf8(text, point)) throw Malformed("holds a text that is not Unicode");
  }
  return text;
}

/// Characters of each text of `<U12` or `|S12`; nothing for any other type.
std::optional<std::size_t> textLength(std::string_view type) {
  if (!type.starts_with("<U") && !type.starts_with("|S")) return std::nullopt;
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(type.data() + 2, type.data() + type.size(), length);
  const bool whole = error == std::errc() && end == type.data() + type.size();
  if (!whole || length > (std::size_t{1} << 20)) return std::nullopt;
  return length;
}

RecordingFile::Texts decodeTexts(const NpyHeader& header, std::string_view data,
                                 std::size_t length) {
  const bool isUnicode = header.type[1] == 'U';
  const std::size_t size = length * (isUnicode ? 4 : 1);
  RecordingFile::Texts texts;
  // NumPy writes texts without any character as of one.
  const std::int64_t count = countOf(header, data.size(), std::max<std::size_t>(size, 1));
  constexpr std::int64_t mostTexts = 100'000;
  if (count > mostTexts) throw Malformed("holds more than 100 000 texts");
  for (std::int64_t i = 0; i < count; ++i) {
    texts.push_back(decodeText(data.substr(static_cast<std::size_t>(i) * size, size), isUnicode));
    if (!isUtf8(texts.back())) throw Malformed("holds a text that is not UTF-8");
  }
  return texts;
}

}  // namespace

RecordingFile::Value decodeNpyEntry(std::string_view bytes) {
  const NpyHeader header = parseNpyHeader(bytes);
  const std::string_view data = bytes.substr(header.dataOffset);
  for (const NpyType& known : npyTypes) {
    if (header.type == known.name) return decodeNumbers(header, data, known.type);
  }
  if (const auto length = textLength(header.type)) return decodeTexts(header, data, *length);
  if (header.type == "|O") {
    throw Malformed("holds Python objects, which are not read; save it as an array of numbers");
  }
  throw Malformed("holds values of type " + quotedText(header.type) +
                  "; float16, float32, float64, integers, truths and texts can be read");
}

RecordingFile readNpzEntries(const std::string& path) {
  ZipArchive archive(path, inflationLimit(InputFile(path).size()));
  RecordingFile file;
  for (std::size_t index = 0; index < archive.entries().size(); ++index) {
    std::string name = archive.entries()[index].name;
    if (!name.ends_with(npyEnding)) throw Malformed("is a zip archive, but not of .npy arrays");
    name.resize(name.size() - npyEnding.size());
    try {
      file.add(name, decodeNpyEntry(archive.readWhole(index)));
    } catch (const Malformed& malformed) {
      throw Malformed(quotedText(name) + " " + malformed.what());
    }
  }
  return file;
}

}  // namespace softscope
