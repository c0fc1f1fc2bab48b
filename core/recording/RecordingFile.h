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

/// Names with what stands under them, in the order of the file: arrays in the file's own type, and
/// texts.
class RecordingFile {
 public:
  using Texts = std::vector<std::string>;
  using Value = std::variant<torch::Tensor, Texts>;

  /// Throws Malformed where the name is there already.
  void add(std::string name, Value value);

  const std::vector<std::pair<std::string, Value>>& entries() const { return entries_; }
  bool has(std::string_view name) const { return find(name) != nullptr; }
  /// The names that begin with `prefix`, in the order of the alphabet.
  std::vector<std::string> namesFrom(std::string_view prefix) const;
  /// The array of that name, or null. Throws Malformed for a text.
  const torch::Tensor* array(std::string_view name) const;
  /// The text of that name, which may stand there as the bytes of its UTF-8; nothing where there is
  /// none. Throws Malformed for any other array, and for several texts.
  std::optional<std::string> text(std::string_view name) const;
  /// Likewise, for a list; empty where there is none.
  Texts texts(std::string_view name) const;

 private:
  const Value* find(std::string_view name) const;

  std::vector<std::pair<std::string, Value>> entries_;
  std::map<std::string, std::size_t, std::less<>> positions_;
};

/// The entries of a .npz or .safetensors recording. Throws Malformed.
RecordingFile readRecordingFile(const std::string& path);

/// The entries of a folder of `softscope dump`, as if they stood in one file. Throws Malformed.
RecordingFile readDumpFolder(const std::string& folder);

/// `LAYER/attn` in its parts at the last slash; the first is empty where there is none.
std::pair<std::string_view, std::string_view> splitAtLayer(std::string_view name);

}  // namespace softscope
