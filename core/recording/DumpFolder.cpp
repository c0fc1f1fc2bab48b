#include "core/files/InputFile.h"
#include "core/files/Malformed.h"
#include "core/json/ParsedJson.h"
#include "core/recording/NpzEntries.h"
#include "core/recording/RecordingFile.h"
#include "core/recording/RecordingKeys.h"
#include "core/text/FileText.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

namespace softscope {

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* notDumped =
    "layers.json in it is not what softscope dump writes; dump it again";

bool isThere(const fs::path& path) {
  std::error_code failed;
  return fs::exists(path, failed);
}

/// Reads the array or the texts of a .npy file in a dump, as an entry of a recording.
RecordingFile::Value npyValue(const fs::path& path) {
  InputFile file(path.string());
  std::uint64_t at = 0;
  const auto take = [&](void* destination, std::size_t count) {
    file.read(at, destination, count);
    at += count;
  };
  return decodeNpyEntry({file.size(), take}, std::uint64_t{1} << 62);
}

/// The files of arrays that have been read.
using ReadArrays = std::set<FileIdentity>;

/// Adds the array of a .npy file. Errors name the file.
void addNpy(const fs::path& path, std::string name, ReadArrays& read, RecordingFile& file) {
  try {
    const std::optional<FileIdentity> identity = fileIdentity(path.string());
    // Without this check, one large file could be used for any number of arrays.
    if (identity && !read.insert(*identity).second) {
      throw Malformed("is the file of another array as well; dump it again");
    }
    file.add(std::move(name), npyValue(path));
  } catch (const Malformed& malformed) {
    throw Malformed(quotedText(path.filename().string()) + " " + malformed.what());
  }
}

/// Moves the prefix tokens of a matrix [heads, queries, keys] from behind `before` patches to the
/// front, where recordings have them.
torch::Tensor withPrefixFirst(torch::Tensor matrix, std::int64_t before, std::int64_t prefix) {
  for (const std::int64_t side : {1, 2}) {
    if (matrix.dim() != 3 || before < 0 || prefix < 0 || before > matrix.size(side) ||
        prefix > matrix.size(side) - before) {
      throw Malformed(notDumped);
    }
    matrix = torch::cat({matrix.slice(side, before, before + prefix), matrix.slice(side, 0, before),
                         matrix.slice(side, before + prefix)},
                        side);
  }
  return matrix;
}

/// Returns a whole number of a layer. Throws Malformed for any other value.
int integerOf(const Json& value) {
  const auto number = integerIn(value);
  if (!number) throw Malformed(notDumped);
  return *number;
}

/// Adds a layer's matrix. Errors name its file.
void addMatrix(const fs::path& path, const Json& layer, const std::string& name, ReadArrays& read,
               RecordingFile& file) {
  if (!layer.contains(dumpedPatchesBeforeKey)) return addNpy(path, name, read, file);
  RecordingFile alone;
  addNpy(path, name, read, alone);
  file.add(name, withPrefixFirst(*alone.array(name), integerOf(layer.at(dumpedPatchesBeforeKey)),
                                 integerOf(layer.at(dumpedPrefixKey))));
}

torch::Tensor gridEntry(const Json& layer) {
  std::vector<std::int64_t> sides;
  for (const char* key : {dumpedQueryGridKey, dumpedKeyGridKey}) {
    const Json& grid = layer.at(key);
    for (int side = 0; side < 2; ++side) {
      sides.push_back(grid.is_null() ? 0 : integerOf(grid.at(static_cast<std::size_t>(side))));
    }
  }
  return torch::tensor(sides, torch::kInt64);
}

torch::Tensor landmarkEntry(const Json& layer) {
  const Json& grid = layer.at(dumpedLandmarkGridKey);
  if (grid.is_null()) return torch::tensor(integerOf(layer.at(dumpedLandmarksKey)), torch::kInt64);
  return torch::tensor({integerOf(grid.at(0)), integerOf(grid.at(1))}, torch::kInt64);
}

/// Returns the name of a layer's array in the folder. Throws Malformed.
fs::path arrayFile(const Json& layer, const std::string& name) {
  fs::path file(layer.at(dumpedFileKey).get<std::string>());
  const bool hasControls = std::ranges::any_of(
      file.string(), [](unsigned char byte) { return byte < 0x20 || byte == 0x7f; });
  if (hasControls || file.has_parent_path() || file.extension() != ".npy") {
    throw Malformed("layers.json names no .npy file of this folder for " + quotedText(name));
  }
  return file;
}

void addLayer(const fs::path& folder, const Json& layer, ReadArrays& read, RecordingFile& file) {
  const auto name = layer.at(dumpedNameKey).get<std::string>();
  if (layer.at(dumpedRowsKey) != Json(dumpedAllRows)) {
    throw Malformed("holds only some rows of " + quotedText(name) + "; dump it with --rows all");
  }
  const fs::path values = arrayFile(layer, name);
  addMatrix(folder / values, layer, name + "/attn", read, file);
  file.add(name + "/mechanism",
           RecordingFile::Texts{layer.at(dumpedMechanismKey).get<std::string>()});
  if (layer.contains(dumpedBesideKey)) {
    file.add(name + "/beside", RecordingFile::Texts{layer.at(dumpedBesideKey).get<std::string>()});
  }
  if (layer.contains(dumpedMeanOfChannelsKey)) {
    file.add(name + "/mean_of_channels",
             torch::tensor(integerOf(layer.at(dumpedMeanOfChannelsKey)), torch::kInt64));
  }
  file.add(name + "/grid", gridEntry(layer));
  if (!layer.at(dumpedQueryGridKey).is_null() || !layer.at(dumpedKeyGridKey).is_null()) {
    file.add(name + "/prefix", torch::tensor(integerOf(layer.at(dumpedPrefixKey)), torch::kInt64));
    if (layer.contains(dumpedSuffixKey)) {
      file.add(name + "/suffix",
               torch::tensor(integerOf(layer.at(dumpedSuffixKey)), torch::kInt64));
    }
    if (layer.contains(dumpedPrefixNamesKey)) {
      file.add(name + "/prefix_names", layer.at(dumpedPrefixNamesKey).get<RecordingFile::Texts>());
    }
  }
  if (!layer.at(dumpedLandmarksKey).is_null()) file.add(name + "/landmarks", landmarkEntry(layer));
  for (const char* part : dumpedParts) {
    const fs::path beside = folder / (values.stem().string() + "." + part + ".npy");
    if (isThere(beside)) addNpy(beside, name + "/" + part, read, file);
  }
}

}  // namespace

RecordingFile readDumpFolder(const std::string& path) {
  const fs::path folder(path);
  if (!isThere(folder / dumpedLayers)) {
    throw Malformed("is a folder without layers.json, which softscope dump writes");
  }
  RecordingFile file;
  ReadArrays read;
  try {
    const Json layers = parsedJson(wholeFile((folder / dumpedLayers).string(), longestDumpedLayers,
                                             "layers.json in it is absurdly long; dump it again"));
    if (!layers.is_array()) throw Malformed(notDumped);
    for (const Json& layer : layers) addLayer(folder, layer, read, file);
  } catch (const Json::exception&) {
    throw Malformed(notDumped);
  }
  if (isThere(folder / dumpedLogits)) addNpy(folder / dumpedLogits, "logits", read, file);
  return file;
}

}  // namespace softscope
