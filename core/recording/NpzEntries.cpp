#include "core/recording/NpzEntries.h"

#include "core/array/NpyFormat.h"
#include "core/files/InputFile.h"
#include "core/files/Malformed.h"
#include "core/files/ZipArchive.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

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

/// A .npy file whose header has been read, together with some of the bytes that follow.
class NpyBody {
 public:
  explicit NpyBody(NpyBytes bytes) : bytes_(std::move(bytes)) {
    // NumPy itself reads no header of more than 10 000 characters unless told to.
    constexpr std::uint64_t longestStart = 64 * 1024;
    start_.resize(static_cast<std::size_t>(std::min(longestStart, bytes_.remaining)));
    take(start_.data(), start_.size());
    header_ = parseNpyHeader(start_);
    at_ = header_.dataOffset;
  }

  const NpyHeader& header() const { return header_; }
  std::uint64_t available() const { return start_.size() - at_ + bytes_.remaining; }

  void read(void* destination, std::size_t count) {
    // (An empty array may have a null address, which memcpy() does not allow.)
    if (count == 0) return;
    const std::size_t known = std::min(count, start_.size() - at_);
    if (known > 0) std::memcpy(destination, start_.data() + at_, known);
    at_ += known;
    take(static_cast<char*>(destination) + known, count - known);
  }

 private:
  void take(void* destination, std::size_t count) {
    if (count == 0) return;
    bytes_.read(destination, count);
    bytes_.remaining -= count;
  }

  NpyBytes bytes_;
  std::string start_;
  NpyHeader header_;
  std::size_t at_ = 0;
};

std::int64_t countOf(const NpyBody& body, std::size_t sizeOfValue) {
  std::uint64_t count = 1;
  for (const std::int64_t extent : body.header().shape) {
    if (extent == 0) return 0;
    if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(extent), &count) ||
        count > body.available() / sizeOfValue) {
      throw Malformed("is truncated: its shape asks for more values than it holds");
    }
  }
  if (count > body.available() / sizeOfValue) throw Malformed("is truncated: it has no values");
  return static_cast<std::int64_t>(count);
}

void requireRoom(std::uint64_t bytes, std::uint64_t most) {
  if (bytes > most) failInflated();
}

/// Fills float32 from float16 piece by piece, so that both are never in memory as a whole.
void readHalves(NpyBody& body, float* values, std::size_t count) {
  std::array<c10::Half, 8192> piece;
  while (count > 0) {
    const std::size_t taken = std::min(count, piece.size());
    body.read(piece.data(), taken * sizeof(c10::Half));
    std::copy_n(piece.begin(), taken, values);
    values += taken;
    count -= taken;
  }
}

torch::Tensor decodeNumbers(NpyBody& body, c10::ScalarType type, std::uint64_t most) {
  const auto count = static_cast<std::size_t>(countOf(body, c10::elementSize(type)));
  const bool isHalf = type == c10::ScalarType::Half;
  const c10::ScalarType decoded = isHalf ? c10::ScalarType::Float : type;
  // (Fortran order is that of the transposed array, which a copy brings into row-major order.)
  const bool isTransposed = body.header().fortranOrder;
  requireRoom((isTransposed ? 2 : 1) * std::uint64_t{count} * c10::elementSize(decoded), most);
  std::vector<std::int64_t> shape = body.header().shape;
  if (isTransposed) std::reverse(shape.begin(), shape.end());
  torch::Tensor tensor = torch::empty(shape, decoded);
  if (isHalf) {
    readHalves(body, tensor.data_ptr<float>(), count);
  } else {
    body.read(tensor.data_ptr(), count * c10::elementSize(type));
  }
  if (!isTransposed) return tensor;
  std::vector<std::int64_t> axes(shape.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    axes[i] = static_cast<std::int64_t>(axes.size() - 1 - i);
  }
  return tensor.permute(axes).contiguous();
}

/// Decodes a text of type `U`, four bytes per character, or `S`, one byte; both are padded with
/// zeros.
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

/// Returns the number of characters in each text of type `<U12` or `|S12`; nothing for any other
/// type.
std::optional<std::size_t> textLength(std::string_view type) {
  if (!type.starts_with("<U") && !type.starts_with("|S")) return std::nullopt;
  const auto length = parseNumber<std::size_t>(type.substr(2));
  return length && *length <= (std::size_t{1} << 20) ? length : std::nullopt;
}

RecordingFile::Texts decodeTexts(NpyBody& body, std::size_t length, std::uint64_t most) {
  const bool isUnicode = body.header().type[1] == 'U';
  const std::size_t size = length * (isUnicode ? 4 : 1);
  RecordingFile::Texts texts;
  // NumPy writes empty texts as if they had one character.
  const std::int64_t count = countOf(body, std::max<std::size_t>(size, 1));
  constexpr std::int64_t mostTexts = 100'000;
  if (count > mostTexts) throw Malformed("holds more than 100 000 texts");
  requireRoom(static_cast<std::uint64_t>(count) * size, most);
  std::string bytes(size, '\0');
  for (std::int64_t i = 0; i < count; ++i) {
    body.read(bytes.data(), size);
    texts.push_back(decodeText(bytes, isUnicode));
    if (!isUtf8(texts.back())) throw Malformed("holds a text that is not UTF-8");
  }
  return texts;
}

std::uint64_t bytesOf(const RecordingFile::Value& value) {
  if (const auto* tensor = std::get_if<torch::Tensor>(&value)) return tensor->nbytes();
  std::uint64_t bytes = 0;
  for (const std::string& text : std::get<RecordingFile::Texts>(value)) {
    bytes += sizeof(text) + text.size();
  }
  return bytes;
}

/// Reads the members in order, and counts the memory that the compressed ones take.
class NpzReading {
 public:
  explicit NpzReading(const std::string& path)
      : fileSize_(InputFile(path).size()),
        archive_(path, inflationLimit(fileSize_)),
        left_(inflationLimit(fileSize_)) {}

  RecordingFile read() {
    RecordingFile file;
    for (std::size_t index = 0; index < archive_.entries().size(); ++index) {
      std::string name = archive_.entries()[index].name;
      if (!name.ends_with(npyEnding)) throw Malformed("is a zip archive, but not of .npy arrays");
      name.resize(name.size() - npyEnding.size());
      try {
        file.add(name, member(index, name));
      } catch (const Malformed& malformed) {
        throw Malformed(quotedText(name) + " " + malformed.what());
      }
    }
    return file;
  }

 private:
  RecordingFile::Value member(std::size_t index, const std::string& name) {
    archive_.admit(index);
    ZipEntryReader entry(archive_, index);
    const auto take = [&](void* destination, std::size_t count) { entry.read(destination, count); };
    const bool isDeflated = archive_.entries()[index].deflated;
    RecordingFile::Value value =
        decodeNpyEntry({entry.remaining(), take}, isDeflated ? mostOf(name) : unlimited);
    if (isDeflated) left_ -= std::min(left_, bytesOf(value));
    entry.finish();
    return value;
  }

  /// A picture is copied for each part that displays it, and does not compress as well.
  std::uint64_t mostOf(const std::string& name) const {
    constexpr std::uint64_t smallPicture = std::uint64_t{8} << 20;
    const bool isPicture = name == "picture" || name == "input";
    return isPicture ? std::min(left_, smallPicture + 4 * std::min(fileSize_, unlimited / 8))
                     : left_;
  }

  static constexpr std::uint64_t unlimited = std::uint64_t{1} << 62;

  std::uint64_t fileSize_;
  ZipArchive archive_;
  std::uint64_t left_;
};

}  // namespace

RecordingFile::Value decodeNpyEntry(NpyBytes bytes, std::uint64_t most) {
  NpyBody body(std::move(bytes));
  const std::string& type = body.header().type;
  for (const NpyType& known : npyTypes) {
    if (type == known.name) return decodeNumbers(body, known.type, most);
  }
  if (const auto length = textLength(type)) return decodeTexts(body, *length, most);
  if (type == "|O") {
    throw Malformed("holds Python objects, which are not read; save it as an array of numbers");
  }
  throw Malformed("holds values of type " + quotedText(type) +
                  "; float16, float32, float64, integers, truths and texts can be read");
}

RecordingFile readNpzEntries(const std::string& path) {
  return NpzReading(path).read();
}

}  // namespace softscope
