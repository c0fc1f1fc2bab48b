#pragma once

#include <torch/types.h>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace softscope {

/// Named entries in the order of the file: arrays in the file's own type, and texts.
class RecordingFile {
 public:
  using Texts = std::vector<std::string>;
  using Value = std::variant<torch::Tensor, Texts>;

  /// Adds an entry. Throws Malformed if the name already exists.
  void add(std::string name, Value value);

  const std::vector<std::pair<std::string, Value>>& entries() const { return entries_; }
  bool has(std::string_view name) const { return find(name) != nullptr; }
  /// Returns the names that begin with `prefix`, in alphabetical order.
  std::vector<std::string> namesFrom(std::string_view prefix) const;
  /// Returns the array with this name, or null. Throws Malformed if the entry is a text.
  const torch::Tensor* array(std::string_view name) const;
  /// Returns the text with this name, which may also be stored as an array of its UTF-8 bytes;
  /// nothing if there is none. Throws Malformed for any other array, and for several texts.
  std::optional<std::string> text(std::string_view name) const;
  /// Returns a list of texts as text() does; empty if there is none.
  Texts texts(std::string_view name) const;

 private:
  const Value* find(std::string_view name) const;

  std::vector<std::pair<std::string, Value>> entries_;
  std::map<std::string, std::size_t, std::less<>> positions_;
};

/// Reads the entries of a .npz or .safetensors recording. Throws Malformed.
RecordingFile readRecordingFile(const std::string& path);

/// Reads the entries of a folder written by `softscope dump` as if they were in one file. Throws
/// Malformed.
RecordingFile readDumpFolder(const std::string& folder);

/// Splits `LAYER/attn` at its last slash; the first part is empty if there is none.
std::pair<std::string_view, std::string_view> splitAtLayer(std::string_view name);

}  // namespace softscope
