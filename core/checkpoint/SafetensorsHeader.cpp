#include "core/checkpoint/SafetensorsHeader.h"

#include "core/checkpoint/ElementType.h"
#include "core/files/Malformed.h"
#include "core/json/ParsedJson.h"
#include "core/text/FileText.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace softscope {

namespace {

using nlohmann::json;
using Tensor = SafetensorsHeader::Tensor;

constexpr const char* metadataKey = "__metadata__";

/// Checks the text before it is parsed, because a parsed value has lost its order and its
/// duplicates. (A parser callback could check as well, but would take quadratic time.)
class HeaderWatch : public nlohmann::json_sax<json> {
 public:
  const std::vector<std::string>& names() const { return names_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override {
    if (depth_ == 1) innerKeys_.clear();
    return enter();
  }
  bool start_array(std::size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

  bool key(string_t& key) override {
    std::set<std::string>& seen = depth_ == 1 ? outerKeys_ : innerKeys_;
    if (!seen.insert(key).second) {
      throw Malformed("has a .safetensors header that names " + quotedText(key) + " twice");
    }
    if (depth_ == 1 && key != metadataKey) names_.push_back(key);
    return true;
  }

 private:
  bool enter() {
    constexpr int deepest = 3;  // The shape of a tensor in the header.
    if (++depth_ > deepest) throw Malformed("has a .safetensors header that is nested too deep");
    return true;
  }
  bool leave() {
    --depth_;
    return true;
  }

  int depth_ = 0;
  std::set<std::string> outerKeys_;
  std::set<std::string> innerKeys_;
  std::vector<std::string> names_;
};

json parseJson(std::string_view text, HeaderWatch& watch) {
  // Invalid JSON ends this check early, and then fails in the parser as well.
  json::sax_parse(text, &watch);
  json header = parsedJson(text);
  if (header.is_discarded()) {
    throw Malformed("has a damaged .safetensors header: it is not valid JSON");
  }
  if (header.is_object()) return header;
  throw Malformed("has a damaged .safetensors header: it is not a JSON object");
}

std::map<std::string, std::string> parseMetadata(const json& header) {
  std::map<std::string, std::string> metadata;
  const auto entry = header.find(metadataKey);
  if (entry == header.end()) return metadata;
  const bool isMap =
      entry->is_object() &&
      std::all_of(entry->begin(), entry->end(), [](auto& value) { return value.is_string(); });
  if (!isMap) throw Malformed("has .safetensors metadata that is not a map of strings");
  for (const auto& [key, value] : entry->items()) metadata[key] = value.template get<std::string>();
  return metadata;
}

std::vector<std::uint64_t> unsignedNumbers(const json& tensor, const char* key) {
  const auto entry = tensor.find(key);
  const auto isNumber = [](const json& value) { return value.is_number_unsigned(); };
  if (entry == tensor.end() || !entry->is_array() || !std::ranges::all_of(*entry, isNumber)) {
    throw Malformed("has no valid " + quotedText(key) + " in the .safetensors header");
  }
  return entry->get<std::vector<std::uint64_t>>();
}

c10::ScalarType parseType(const json& tensor) {
  const auto entry = tensor.find("dtype");
  if (entry == tensor.end() || !entry->is_string()) {
    throw Malformed("has no valid 'dtype' in the .safetensors header");
  }
  const std::string& name = entry->get_ref<const std::string&>();
  if (const auto type = elementTypeOfSafetensors(name)) return *type;
  throw Malformed("has elements of an unsupported type (" + quotedText(name) +
                  "); convert them to F16 or F32 first");
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

Tensor parseTensor(const std::string& name, const json& entry, std::uint64_t dataSize) {
  constexpr std::size_t mostDimensions = 64;
  if (!entry.is_object()) throw Malformed("is not described in the .safetensors header");
  Tensor tensor;
  tensor.name = name;
  tensor.type = parseType(entry);
  const std::vector<std::uint64_t> shape = unsignedNumbers(entry, "shape");
  if (shape.size() > mostDimensions) throw Malformed("has more than 64 dimensions");
  for (const std::uint64_t extent : shape) {
    if (extent >> 62 != 0) throw Malformed("claims more elements than any file can hold");
    tensor.shape.push_back(static_cast<std::int64_t>(extent));
  }
  const std::vector<std::uint64_t> offsets = unsignedNumbers(entry, "data_offsets");
  if (offsets.size() != 2) {
    throw Malformed("has no valid 'data_offsets' in the .safetensors header");
  }
  tensor.begin = offsets[0];
  tensor.end = offsets[1];
  checkSize(tensor);
  if (tensor.end > dataSize) {
    throw Malformed("ends beyond the file, which is truncated; fetch it again");
  }
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

}  // namespace

SafetensorsHeader parseSafetensorsHeader(std::string_view text, std::uint64_t dataSize) {
  HeaderWatch watch;
  const json parsed = parseJson(text, watch);
  SafetensorsHeader header;
  header.metadata = parseMetadata(parsed);
  for (const std::string& name : watch.names()) {
    try {
      header.tensors.push_back(parseTensor(name, parsed.at(name), dataSize));
    } catch (const Malformed& malformed) {
      throw Malformed("the tensor " + quotedText(name) + " " + malformed.what());
    }
  }
  checkLayout(header.tensors, dataSize);
  return header;
}

}  // namespace softscope
