#include "core/checkpoint/SafetensorsHeader.h"

#include "core/checkpoint/ElementType.h"
#include "core/files/Malformed.h"
#include "core/text/FileText.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

namespace softscope {

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

}  // namespace

SafetensorsHeader parseSafetensorsHeader(std::string_view text, std::uint64_t dataSize) {
  HeaderBuilder builder(dataSize);
  json::sax_parse(text, &builder);
  SafetensorsHeader header = builder.take();
  checkLayout(header.tensors, dataSize);
  return header;
}

}  // namespace softscope
