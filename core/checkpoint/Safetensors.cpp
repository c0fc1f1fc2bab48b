#include "core/checkpoint/Safetensors.h"

#include "core/Error.h"
#include "core/checkpoint/ElementType.h"
#include "core/checkpoint/FileKind.h"
#include "core/files/AtomicFile.h"
#include "core/files/InputFile.h"
#include "core/files/Malformed.h"
#include "core/files/PartFile.h"
#include "core/text/FileText.h"

#include <c10/core/ScalarType.h>
#include <c10/util/Exception.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
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

namespace {

using nlohmann::json;
using Tensor = SafetensorsHeader::Tensor;

constexpr const char* metadataKey = "__metadata__";

/// The fields of one tensor in the JSON header; empty if a field is missing or of another type.
struct Description {
  std::string name;
  std::optional<std::string> type;
  std::optional<std::vector<std::uint64_t>> shape;
  std::optional<std::vector<std::uint64_t>> offsets;
};

Malformed missingField(const char* field) {
  return Malformed("has no valid " + quotedText(field) + " in the .safetensors header");
}

/// Throws unless the shape needs exactly the bytes between the offsets.
void checkSize(const Tensor& tensor) {
  std::uint64_t bytes = c10::elementSize(tensor.type);
  bool empty = false;
  for (const std::int64_t extent : tensor.shape) {
    empty = empty || extent == 0;
    const auto factor = static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 1));
    if (__builtin_mul_overflow(bytes, factor, &bytes) || bytes >> 62 != 0) {
      throw Malformed("claims more elements than any file can hold");
    }
  }
  if (tensor.end < tensor.begin || tensor.end - tensor.begin != (empty ? 0 : bytes)) {
    throw Malformed("has a shape that does not match its place in the .safetensors file");
  }
}

c10::ScalarType parseType(const Description& description) {
  if (!description.type) throw missingField("dtype");
  if (const auto type = elementTypeOfSafetensors(*description.type)) return *type;
  throw Malformed(unsupportedTypeText(*description.type));
}

std::vector<std::int64_t> parseShape(const Description& description) {
  constexpr std::size_t mostDimensions = 64;
  if (!description.shape) throw missingField("shape");
  if (description.shape->size() > mostDimensions) throw Malformed("has more than 64 dimensions");
  std::vector<std::int64_t> shape;
  for (const std::uint64_t extent : *description.shape) {
    if (extent >> 62 != 0) throw Malformed("claims more elements than any file can hold");
    shape.push_back(static_cast<std::int64_t>(extent));
  }
  return shape;
}

Tensor parseTensor(Description& description, std::uint64_t dataSize) {
  Tensor tensor;
  tensor.type = parseType(description);
  tensor.shape = parseShape(description);
  const auto& offsets = description.offsets;
  if (!offsets || offsets->size() != 2) throw missingField("data_offsets");
  tensor.begin = (*offsets)[0];
  tensor.end = (*offsets)[1];
  checkSize(tensor);
  if (tensor.end > dataSize) {
    throw Malformed("ends beyond the file, which is truncated; fetch it again");
  }
  tensor.name = std::move(description.name);
  return tensor;
}

/// Throws unless the tensors lie side by side, as the format requires, so that every byte belongs
/// to exactly one.
void checkLayout(const std::vector<Tensor>& tensors, std::uint64_t dataSize) {
  std::vector<const Tensor*> ordered;
  for (const Tensor& tensor : tensors) ordered.push_back(&tensor);
  std::ranges::sort(ordered, {},
                    [](const Tensor* tensor) { return std::pair(tensor->begin, tensor->end); });
  std::uint64_t end = 0;
  for (const Tensor* tensor : ordered) {
    if (tensor->begin < end) {
      throw Malformed("is damaged: the tensor " + quotedText(tensor->name) +
                      " overlaps another one");
    }
    if (tensor->begin > end) {
      throw Malformed("is damaged: there is a hole before the tensor " + quotedText(tensor->name));
    }
    end = tensor->end;
  }
  if (end != dataSize) throw Malformed("is damaged: bytes at its end belong to no tensor");
}

/// Builds the header while its text is parsed: a parsed value would have lost the order and the
/// duplicates of its names, and takes twenty times the text in memory.
class HeaderBuilder : public nlohmann::json_sax<json> {
 public:
  explicit HeaderBuilder(std::uint64_t dataSize) : dataSize_(dataSize) {}
  SafetensorsHeader take() { return std::move(header_); }

  bool null() override { return otherValue(); }
  bool boolean(bool) override { return otherValue(); }
  bool number_integer(number_integer_t) override { return otherValue(); }
  bool number_float(number_float_t, const string_t&) override { return otherValue(); }
  bool binary(binary_t&) override { return otherValue(); }

  bool number_unsigned(number_unsigned_t value) override {
    if (depth_ != fieldDepth) return otherValue();
    if (list_ != nullptr && *list_) (*list_)->push_back(value);
    return true;
  }

  bool string(string_t& value) override {
    if (depth_ != entryDepth) return otherValue();
    if (isMetadata()) {
      header_.metadata[field_] = std::move(value);
    } else if (field_ == "dtype") {
      tensor_.type = std::move(value);
    }
    return true;
  }

  bool key(string_t& key) override {
    if (depth_ > entryDepth) return true;
    std::unordered_set<std::string>& seen = depth_ == headerDepth ? names_ : fields_;
    if (!seen.insert(key).second) {
      throw Malformed("has a .safetensors header that names " + quotedText(key) + " twice");
    }
    (depth_ == headerDepth ? tensor_.name : field_) = std::move(key);
    return true;
  }

  bool start_object(std::size_t) override {
    if (depth_ == headerDepth) {
      fields_.clear();
      tensor_ = {.name = std::move(tensor_.name)};
    } else if (depth_ > headerDepth) {
      otherValue();
    }
    return enter();
  }
  bool end_object() override {
    if (--depth_ == headerDepth && !isMetadata()) addTensor();
    return true;
  }

  bool start_array(std::size_t) override {
    if (depth_ != entryDepth || isMetadata()) otherValue();
    list_ = field_ == "shape"          ? &tensor_.shape
            : field_ == "data_offsets" ? &tensor_.offsets
                                       : nullptr;
    if (list_ != nullptr) list_->emplace();
    return enter();
  }
  bool end_array() override {
    --depth_;
    list_ = nullptr;
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    throw Malformed("has a damaged .safetensors header: it is not valid JSON");
  }

 private:
  static constexpr int headerDepth = 1;
  static constexpr int entryDepth = 2;
  static constexpr int fieldDepth = 3;  // The shape of a tensor in the header.

  bool isMetadata() const { return tensor_.name == metadataKey; }

  bool enter() {
    if (++depth_ > fieldDepth) throw Malformed("has a .safetensors header that is nested too deep");
    return true;
  }

  /// Takes a value that is neither a list of numbers nor a text, in a place where one is expected.
  bool otherValue() {
    if (depth_ < headerDepth) {
      throw Malformed("has a damaged .safetensors header: it is not a JSON object");
    }
    if (isMetadata()) throw Malformed("has .safetensors metadata that is not a map of strings");
    if (depth_ == headerDepth) {
      throw Malformed("the tensor " + quotedText(tensor_.name) +
                      " is not described in the .safetensors header");
    }
    if (list_ != nullptr) list_->reset();
    return true;
  }

  void addTensor() {
    const std::string name = tensor_.name;
    try {
      header_.tensors.push_back(parseTensor(tensor_, dataSize_));
    } catch (const Malformed& malformed) {
      throw Malformed("the tensor " + quotedText(name) + " " + malformed.what());
    }
  }

  std::uint64_t dataSize_;
  SafetensorsHeader header_;
  int depth_ = 0;
  std::unordered_set<std::string> names_;
  std::unordered_set<std::string> fields_;
  /// The entry that is being parsed; its name is that of the metadata while they are parsed.
  Description tensor_;
  std::string field_;
  /// The list of numbers that is being parsed, or null.
  std::optional<std::vector<std::uint64_t>>* list_ = nullptr;
};

constexpr std::size_t headerLengthBytes = 8;

std::uint64_t readHeaderLength(InputFile& file) {
  // A parsed header takes twenty times its size in memory; a thousand tensors need a header of 100
  // KB.
  constexpr std::uint64_t smallFileHeader = std::uint64_t{2} << 20;
  constexpr std::uint64_t largestHeader = std::uint64_t{8} << 20;
  constexpr std::uint64_t bytesPerHeaderByte = 8;
  const std::string bytes = file.head(headerLengthBytes);
  std::uint64_t length = 0;
  for (std::size_t index = bytes.size(); index-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(bytes[index]);
  }
  if (bytes.size() < headerLengthBytes)
    throw Malformed("is truncated: it has no .safetensors header");
  if (length > file.size() - headerLengthBytes) {
    throw Malformed("is truncated: its .safetensors header ends beyond the file; fetch it again");
  }
  if (length > std::min(largestHeader, smallFileHeader + file.size() / bytesPerHeaderByte)) {
    throw Malformed("has a .safetensors header of " + std::to_string(length >> 20) +
                    " MB, which describes more tensors than any network has");
  }
  return length;
}

SafetensorsHeader readHeader(InputFile& file, std::uint64_t length) {
  std::string text(static_cast<std::size_t>(length), '\0');
  file.read(headerLengthBytes, text.data(), text.size());
  return parseSafetensorsHeader(text, file.size() - headerLengthBytes - length);
}

Checkpoint readTensors(InputFile& file, const Progress& progress) {
  const std::uint64_t length = readHeaderLength(file);
  const std::uint64_t dataOffset = headerLengthBytes + length;
  SafetensorsHeader header = readHeader(file, length);

  Checkpoint checkpoint;
  for (SafetensorsHeader::Tensor& entry : header.tensors) {
    progress.throwIfCancelled();
    torch::Tensor tensor = torch::empty(entry.shape, entry.type);
    file.read(dataOffset + entry.begin, tensor.data_ptr(),
              static_cast<std::size_t>(entry.end - entry.begin));
    checkpoint.state.insert(std::move(entry.name), std::move(tensor));
  }
  checkpoint.metadata = std::move(header.metadata);
  // A converted file may say which copy of the weights it holds.
  const auto weights = checkpoint.metadata.find("weights");
  const bool isEma = weights != checkpoint.metadata.end() && weights->second == "ema";
  checkpoint.weights = isEma ? "ema" : "raw";
  return checkpoint;
}

nlohmann::ordered_json describeTensor(const StateDict::Entry& entry, std::uint64_t begin,
                                      const std::string& path) {
  const auto type = safetensorsName(entry.tensor.scalar_type());
  if (!type) {
    throw FileError(path, "cannot hold the tensor " + quotedText(entry.name) +
                              ": .safetensors has no " + "name for its element type");
  }
  nlohmann::ordered_json description;
  description["dtype"] = *type;
  description["shape"] = entry.tensor.sizes().vec();
  description["data_offsets"] = {begin, begin + entry.tensor.nbytes()};
  return description;
}

std::string encodeLength(std::uint64_t length) {
  std::string bytes;
  for (std::size_t index = 0; index < headerLengthBytes; ++index) {
    bytes += static_cast<char>(length >> (8 * index) & 0xff);
  }
  return bytes;
}

/// Encodes the header with its length in front, padded with spaces so that the tensors are aligned.
std::string encodeHeader(const std::string& path, const StateDict& state,
                         const std::map<std::string, std::string>& metadata) {
  // Written member by member, because looking names up in an ordered object takes quadratic time.
  std::string text = "{";
  const auto append = [&](const std::string& name, const nlohmann::ordered_json& value) {
    if (text.size() > 1) text += ',';
    text += nlohmann::json(name).dump() + ':' + value.dump();
  };
  try {
    if (!metadata.empty()) append("__metadata__", metadata);
    std::uint64_t offset = 0;
    for (const StateDict::Entry& entry : state.entries()) {
      if (entry.name == "__metadata__") {
        throw FileError(path, "cannot hold a tensor named __metadata__");
      }
      append(entry.name, describeTensor(entry, offset, path));
      offset += entry.tensor.nbytes();
    }
  } catch (const nlohmann::json::exception&) {
    throw FileError(path, "cannot be written: a name or a metadata entry is not valid UTF-8");
  }
  text += '}';
  text.append((headerLengthBytes - text.size() % headerLengthBytes) % headerLengthBytes, ' ');
  return encodeLength(text.size()) + text;
}

}  // namespace

SafetensorsHeader parseSafetensorsHeader(std::string_view text, std::uint64_t dataSize) {
  HeaderBuilder builder(dataSize);
  json::sax_parse(text, &builder);
  SafetensorsHeader header = builder.take();
  checkLayout(header.tensors, dataSize);
  return header;
}

Checkpoint readSafetensors(const std::string& path, const Progress& progress) {
  try {
    InputFile file(path);
    if (recogniseFile(file.head(recognisableBytes)) != FileKind::Safetensors) {
      throw Malformed("is a PyTorch file, not a .safetensors file");
    }
    Checkpoint checkpoint = readTensors(file, progress);
    checkpoint.path = path;
    return checkpoint;
  } catch (const Malformed& malformed) {
    throw CheckpointError(path, malformed.what());
  } catch (const std::bad_alloc&) {
    throw CheckpointError(path, "does not fit in memory");
  } catch (const c10::Error&) {
    throw CheckpointError(path, "does not fit in memory");
  }
}

std::vector<std::string> safetensorsNames(const std::string& path) {
  InputFile file(path);
  std::vector<std::string> names;
  for (const SafetensorsHeader::Tensor& tensor : readHeader(file, readHeaderLength(file)).tensors) {
    names.push_back(tensor.name);
  }
  return names;
}

void writeSafetensors(const std::string& path, const StateDict& state,
                      const std::map<std::string, std::string>& metadata) {
  const std::string header = encodeHeader(path, state, metadata);
  writeFileAtomically(path, [&](const std::string& temporary) {
    errno = 0;
    std::ofstream file(temporary, std::ios::binary);
    file.write(header.data(), static_cast<std::streamsize>(header.size()));
    for (const StateDict::Entry& entry : state.entries()) {
      if (!file) break;
      const torch::Tensor tensor = entry.tensor.detach().cpu().contiguous();
      file.write(static_cast<const char*>(tensor.data_ptr()),
                 static_cast<std::streamsize>(tensor.nbytes()));
    }
    file.close();
    if (!file) throw FileError(path, writeFailure(errno));
  });
}

}  // namespace softscope
