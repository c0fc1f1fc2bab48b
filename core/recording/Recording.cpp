#include "core/recording/Recording.h"

#include "core/Error.h"
#include "core/files/InputFile.h"
#include "core/files/Malformed.h"
#include "core/files/WorkBudget.h"
#include "core/recording/CheckedArrays.h"
#include "core/recording/RecordedLayer.h"
#include "core/recording/RecordingFile.h"
#include "core/recording/RecordingKeys.h"
#include "core/text/FileText.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <new>
#include <set>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace softscope {

namespace {

constexpr std::size_t longestLayerName = 1024;
constexpr int mostChannels = 1 << 20;

/// Returns the layers in the order in which the file first names them, or as `layers` lists them.
std::vector<std::string> layerNames(const RecordingFile& file) {
  std::vector<std::string> found;
  std::set<std::string> seen;
  for (const auto& [name, value] : file.entries()) {
    if (!isRecordingKey(name)) {
      throw Malformed(quotedText(name) + " is nothing that a recording has: per layer " +
                      layerPartsText() + " behind LAYER/, and " + wholeKeysText());
    }
    const std::string layer(splitAtLayer(name).first);
    if (layer.empty()) continue;
    if (layer.size() > longestLayerName) {
      throw Malformed("has a layer's name of more than " + std::to_string(longestLayerName) +
                      " bytes, which no network has");
    }
    if (!isUtf8(layer)) throw Malformed("names a layer by what is not UTF-8");
    if (seen.insert(layer).second) found.push_back(layer);
  }
  if (found.empty()) {
    throw Malformed(
        "holds no layer; a recording has LAYER/attn, LAYER/left and LAYER/right, LAYER/q and "
        "LAYER/k, or LAYER/blocks and LAYER/rows");
  }
  const std::vector<std::string> listed = file.texts("layers");
  if (listed.empty()) return found;
  if (std::set(listed.begin(), listed.end()) != seen || listed.size() != found.size()) {
    throw Malformed("\"layers\" does not list the layers that there are, each once");
  }
  return listed;
}

/// Reads a text that is shown in one line.
std::string lineText(const RecordingFile& file, const std::string& key, std::size_t longest) {
  const std::optional<std::string> text = file.text(key);
  if (!text) return {};
  const bool plain = !text->empty() && text->size() <= longest && isUtf8(*text) &&
                     std::none_of(text->begin(), text->end(),
                                  [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  if (plain) return *text;
  throw Malformed(quotedText(key) + " should be a text of at most " + std::to_string(longest) +
                  " bytes, in one line");
}

torch::Tensor tokenNorms(const CheckedArrays& arrays, const std::string& key, int heads,
                         const std::optional<TokenGrid>& grid, int tokens) {
  torch::Tensor norms = arrays.floats(key, "[heads, tokens]");
  if (!norms.defined()) return norms;
  if (norms.size(0) == heads && (!grid || norms.size(1) == tokens)) return norms;
  throw Malformed(quotedText(key) + " is " + shapeText(norms) +
                  ", and should be [heads, tokens] = [" + std::to_string(heads) + ", " +
                  std::to_string(tokens) + "]");
}

/// Returns the l1 norm of each token in [heads, tokens, d]. Works part by part, without a copy of
/// the whole.
torch::Tensor l1Norms(const torch::Tensor& tokens) {
  constexpr std::int64_t tokensOfPart = 4096;
  std::vector<torch::Tensor> norms;
  for (const torch::Tensor& part : tokens.split(tokensOfPart, 1)) {
    norms.push_back(part.abs().sum(-1));
  }
  return torch::cat(norms, 1);
}

/// Fills in the tokens' norms from the file, or else computes them from its queries and keys.
void fillNorms(const CheckedArrays& arrays, const std::string& layer, AttentionRecord& record,
               const RecordedMap& map) {
  const AttentionDescription& attention = record.description;
  record.queryL1 =
      tokenNorms(arrays, layer + "/q_l1", attention.heads, attention.queryGrid, attention.queries);
  record.keyL1 =
      tokenNorms(arrays, layer + "/k_l1", attention.heads, attention.keyGrid, attention.keys);
  if (!map.query.defined()) return;
  if (!record.queryL1.defined()) record.queryL1 = l1Norms(map.query);
  if (!record.keyL1.defined()) record.keyL1 = l1Norms(map.key);
}

torch::Tensor convolutionFilters(const CheckedArrays& arrays, const std::string& layer,
                                 const AttentionDescription& attention) {
  const std::string key = layer + "/convolution";
  torch::Tensor filters = arrays.floats(key, "[heads, k, k]");
  if (!filters.defined()) return filters;
  const bool fits = filters.size(0) == attention.heads && filters.size(1) == filters.size(2) &&
                    filters.size(1) % 2 == 1;
  if (!fits) {
    throw Malformed(quotedText(key) + " is " + shapeText(filters) +
                    ", and should be [heads, k, k] with k odd, of " +
                    std::to_string(attention.heads) + " heads");
  }
  const auto& grid = attention.queryGrid;
  if (grid && grid == attention.keyGrid && grid->count() == attention.queries &&
      attention.queries == attention.keys) {
    return filters;
  }
  throw Malformed(quotedText(key) +
                  " goes with queries and keys on one grid, without prefix tokens");
}

/// Returns V, or an undefined tensor if the file does not have it.
torch::Tensor recordedValues(const CheckedArrays& arrays, const std::string& layer,
                             const AttentionDescription& attention) {
  const torch::Tensor values = arrays.floats(layer + "/v", "[heads, keys, d]");
  if (!values.defined()) return values;
  if (values.size(0) == attention.heads && values.size(1) == attention.keys) return values;
  throw Malformed(quotedText(layer + "/v") + " is " + shapeText(values) +
                  ", and should be [heads, keys, d] of " + std::to_string(attention.heads) +
                  " heads and " + std::to_string(attention.keys) + " keys");
}

RecordedLayer recordedLayer(const RecordingFile& file, const std::string& layer) {
  const CheckedArrays arrays(file);
  const RecordedMap map = recordedMap(file, layer);
  RecordedLayer recorded;
  AttentionRecord& record = recorded.record;
  record.layer = layer;
  record.map = map.attention;
  record.exactKernel = map.exactKernel;
  AttentionDescription& attention = record.description;
  attention.heads = map.heads;
  attention.queries = map.queries;
  attention.keys = map.keys;
  const std::string mechanism = lineText(file, layer + "/mechanism", 60);
  attention.mechanism = mechanism.empty() ? map.kind : mechanism;
  attention.beside = lineText(file, layer + "/beside", 200);
  attention.meanOfChannels =
      arrays.integer(layer + "/mean_of_channels", 2, mostChannels).value_or(0);
  recorded.guessesGrid = fillGrids(file, layer, attention);
  recorded.stage = arrays.integer(layer + "/stage", 1, 64).value_or(1);
  record.value = recordedValues(arrays, layer, attention);
  fillNorms(arrays, layer, record, map);
  record.convolution = convolutionFilters(arrays, layer, attention);
  fillLandmarks(file, layer, record);
  return recorded;
}

/// Returns the layers of a recording, in the order of `layers` or else of the file. Throws a
/// Malformed that names the entry that is wrong or missing.
std::vector<RecordedLayer> recordedLayers(const RecordingFile& file) {
  std::vector<RecordedLayer> layers;
  for (const std::string& name : layerNames(file)) layers.push_back(recordedLayer(file, name));
  return layers;
}

void fillClasses(const RecordingFile& file, Recording& recording) {
  recording.logits = CheckedArrays(file).floats("logits", "[classes]");
  recording.classNames = file.texts("classes");
  if (recording.classNames.empty()) return;
  if (!recording.logits.defined()) {
    throw Malformed("has 'classes' without 'logits', of which they are the names");
  }
  const auto classes = static_cast<std::size_t>(recording.logits.size(0));
  if (classes == recording.classNames.size()) return;
  throw Malformed("'classes' names " + std::to_string(recording.classNames.size()) +
                  " classes, and 'logits' has " + std::to_string(classes));
}

Recording recordingOf(const RecordingFile& file, std::uint64_t size) {
  Recording recording;
  recording.layers = recordedLayers(file);
  fillClasses(file, recording);
  fillPicture(file, recording);
  const double aspect = double(recording.transform.width) / recording.transform.height;
  WorkBudget work(size);
  for (RecordedLayer& layer : recording.layers) {
    fillPlaces(file, layer.record.layer, aspect, work, layer.record.description);
  }
  recording.variant = file.text("variant").value_or(recording.variant);
  recording.note = file.text("note").value_or("");
  recording.refused = file.texts("refused");
  recording.mechanism =
      file.text("mechanism").value_or(recording.layers.back().record.description.mechanism);
  return recording;
}

/// Calls `read`. Throws Malformed, also if what it reads does not fit in memory.
template <typename Read>
Recording readCarefully(Read read) {
  try {
    return read();
  } catch (const std::bad_alloc&) {
    throw Malformed("does not fit in memory");
  } catch (const c10::Error&) {
    // Every claim of the file was checked, so only LibTorch's allocator can have refused.
    throw Malformed("does not fit in memory");
  }
}

/// Bytes under a path of their own, without a file on any disk.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& bytes)
      : descriptor_(memfd_create("recording", MFD_CLOEXEC)) {
    std::size_t done = 0;
    while (descriptor_ >= 0 && done < bytes.size()) {
      const ssize_t written = write(descriptor_, bytes.data() + done, bytes.size() - done);
      if (written <= 0) break;
      done += static_cast<std::size_t>(written);
    }
    if (descriptor_ < 0 || done < bytes.size()) throw Malformed("does not fit in memory");
  }
  ~MemoryFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

Recording readRecording(const std::string& path) {
  try {
    return readCarefully([&path] {
      std::error_code failed;
      const bool isFolder = std::filesystem::is_directory(path, failed);
      if (isFolder) return recordingOf(readDumpFolder(path), 0);
      return recordingOf(readRecordingFile(path), InputFile(path).size());
    });
  } catch (const Malformed& malformed) {
    throw FileError(path, malformed.what());
  }
}

Recording readRecordingBytes(const std::string& bytes) {
  // The readers check a file's claims against its size, so the bytes become a file in memory.
  const MemoryFile file(bytes);
  return readCarefully([&] { return recordingOf(readRecordingFile(file.path()), bytes.size()); });
}

}  // namespace softscope
