#include "core/recording/RecordingFile.h"

#include "core/checkpoint/FileKind.h"
#include "core/checkpoint/Safetensors.h"
#include "core/files/InputFile.h"
#include "core/files/Malformed.h"
#include "core/json/ParsedJson.h"
#include "core/recording/NpzEntries.h"
#include "core/recording/RecordingKeys.h"
#include "core/text/FileText.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace softscope {

namespace {

/// Returns the texts of a metadata entry. In a .safetensors file, `classes` and `layers` are lists
/// in JSON, and all other entries are single texts.
RecordingFile::Texts metadataTexts(const std::string& key, const std::string& text) {
  if (!isRecordedList(key)) return {text};
  const auto list = parsedJson(text);
  const auto isText = [](const nlohmann::json& item) { return item.is_string(); };
  if (!list.is_array() || !std::all_of(list.begin(), list.end(), isText)) {
    throw Malformed("\"" + key + "\" in its metadata is not a JSON list of texts");
  }
  return list.get<RecordingFile::Texts>();
}

RecordingFile readSafetensorsRecording(const std::string& path) {
  const Checkpoint checkpoint = readSafetensors(path);
  RecordingFile file;
  for (const StateDict::Entry& entry : checkpoint.state.entries()) {
    file.add(entry.name, entry.tensor);
  }
  for (const auto& [key, text] : checkpoint.metadata) {
    // Other programs write keys of their own into metadata, such as `format`.
    if (isRecordingKey(key)) file.add(key, metadataTexts(key, text));
  }
  return file;
}

}  // namespace

void RecordingFile::add(std::string name, Value value) {
  if (!positions_.emplace(name, entries_.size()).second) {
    throw Malformed("names " + quotedText(name) + " twice");
  }
  entries_.emplace_back(std::move(name), std::move(value));
}

const RecordingFile::Value* RecordingFile::find(std::string_view name) const {
  const auto found = positions_.find(name);
  return found == positions_.end() ? nullptr : &entries_[found->second].second;
}

std::vector<std::string> RecordingFile::namesFrom(std::string_view prefix) const {
  std::vector<std::string> names;
  for (auto at = positions_.lower_bound(prefix);
       at != positions_.end() && at->first.starts_with(prefix); ++at) {
    names.push_back(at->first);
  }
  return names;
}

const torch::Tensor* RecordingFile::array(std::string_view name) const {
  const Value* value = find(name);
  if (value == nullptr) return nullptr;
  if (const auto* tensor = std::get_if<torch::Tensor>(value)) return tensor;
  throw Malformed(quotedText(name) + " is a text, and should be an array of numbers");
}

std::optional<std::string> RecordingFile::text(std::string_view name) const {
  if (!has(name)) return std::nullopt;
  Texts list = texts(name);
  if (list.size() != 1) {
    throw Malformed(quotedText(name) + " is a list of " + std::to_string(list.size()) +
                    " texts, and should be one");
  }
  return std::move(list.front());
}

RecordingFile::Texts RecordingFile::texts(std::string_view name) const {
  const Value* value = find(name);
  if (value == nullptr) return {};
  if (const auto* list = std::get_if<Texts>(value)) return *list;
  const torch::Tensor& bytes = std::get<torch::Tensor>(*value);
  if (bytes.scalar_type() != torch::kUInt8 || bytes.dim() != 1) {
    throw Malformed(quotedText(name) + " is an array of numbers, and should be a text");
  }
  const auto* data = reinterpret_cast<const char*>(bytes.data_ptr<std::uint8_t>());
  return {std::string(data, static_cast<std::size_t>(bytes.numel()))};
}

RecordingFile readRecordingFile(const std::string& path) {
  const FileKind kind = recogniseFile(InputFile(path).head(recognisableBytes));
  return kind == FileKind::Safetensors ? readSafetensorsRecording(path) : readNpzEntries(path);
}

std::pair<std::string_view, std::string_view> splitAtLayer(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  if (slash == std::string_view::npos) return {{}, name};
  return {name.substr(0, slash), name.substr(slash + 1)};
}

}  // namespace softscope
