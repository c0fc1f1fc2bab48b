#include "core/files/CheckpointFiles.h"

#include "core/files/InputFile.h"
#include "core/files/Malformed.h"
#include "core/json/ParsedJson.h"
#include "core/text/FileText.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace softscope {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view indexSuffix = ".index.json";

/// Names to look for in a folder, in this order.
constexpr std::string_view hubFiles[] = {"model.safetensors", "model.safetensors.index.json",
                                         "pytorch_model.bin", "pytorch_model.bin.index.json"};
constexpr std::string_view checkpointEndings[] = {".safetensors", ".pth", ".pt",
                                                  ".ckpt",        ".bin", ".pt2"};

bool isFile(const fs::path& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed);
}

/// Returns `model.safetensors.index.json` for the shard `model-00002-of-00003.safetensors`; empty
/// for names that are not a shard's.
std::string indexNameOf(const std::string& shard) {
  const std::size_t of = shard.rfind("-of-");
  const std::size_t number = of == std::string::npos ? of : shard.rfind('-', of - 1);
  const std::size_t dot = of == std::string::npos ? of : shard.find('.', of);
  if (of == 0 || number == std::string::npos || dot == std::string::npos) return {};
  return shard.substr(0, number) + shard.substr(dot) + std::string(indexSuffix);
}

/// Descriptions of a checkpoint that Hugging Face and timm store in the same folder.
constexpr std::string_view describingFiles[] = {"config.json", "preprocessor_config.json"};

/// Adds the index and the shards that belong to a checkpoint, as far as they can be determined.
void addShards(const std::string& checkpoint, std::vector<std::string>& files) {
  try {
    const std::string index = shardIndexOf(checkpoint);
    if (index.empty()) return;
    files.push_back(index);
    for (const auto& [shard, names] : readShardIndex(index)) files.push_back(shard);
  } catch (const Malformed&) {
    // Opening the checkpoint will report the error.
  }
}

void addFilesIn(const fs::path& folder, std::vector<std::string>& files) {
  std::error_code failed;
  for (auto entry = fs::directory_iterator(folder, failed);
       !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    if (isFile(entry->path())) files.push_back(entry->path().string());
  }
}

json parseIndex(const std::string& indexPath) {
  // The parsed text takes twenty times as much memory.
  constexpr std::uint64_t longest = std::uint64_t{2} << 20;
  InputFile file(indexPath);
  if (file.size() > longest)
    throw Malformed("is an index of more than 2 MB, which no network needs");
  const json root = parsedJson(file.head(static_cast<std::size_t>(file.size())));
  const bool isIndex = root.is_object() && root.contains("weight_map") &&
                       root["weight_map"].is_object() && !root["weight_map"].empty();
  if (!isIndex) throw Malformed("is no index of shards: it has no \"weight_map\"");
  return root["weight_map"];
}

}  // namespace

std::vector<std::string> checkpointsIn(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code failed;
  for (auto entry = fs::directory_iterator(folder, failed);
       !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    const std::string ending = entry->path().extension().string();
    const bool fits = std::ranges::find(checkpointEndings, ending) != std::end(checkpointEndings);
    if (fits && isFile(entry->path())) found.push_back(entry->path().filename().string());
  }
  std::ranges::sort(found);
  return found;
}

std::string checkpointFileOf(const std::string& path) {
  std::error_code failed;
  if (!fs::is_directory(path, failed)) return path;
  for (const std::string_view name : hubFiles) {
    if (isFile(fs::path(path) / name)) return (fs::path(path) / name).string();
  }
  const std::vector<std::string> found = checkpointsIn(path);
  if (found.size() == 1) return (fs::path(path) / found.front()).string();
  if (found.empty()) {
    throw Malformed(
        "is a folder without a checkpoint in it; give the file, or a folder with "
        "model.safetensors");
  }
  throw Malformed("is a folder with " + std::to_string(found.size()) + " checkpoints in it (" +
                  quotedText(found[0]) + ", " + quotedText(found[1]) +
                  (found.size() > 2 ? ", ..." : "") + "); give one of them");
}

std::string shardIndexOf(const std::string& path) {
  if (path.ends_with(indexSuffix)) return path;
  const fs::path file(path);
  const std::string name = indexNameOf(file.filename().string());
  if (name.empty()) return {};
  const fs::path index = file.parent_path() / name;
  return isFile(index) ? index.string() : std::string();
}

std::map<std::string, std::vector<std::string>> readShardIndex(const std::string& indexPath) {
  const fs::path folder = fs::path(indexPath).parent_path();
  const json index = parseIndex(indexPath);
  std::map<std::string, std::vector<std::string>> shards;
  for (const auto& [name, shard] : index.items()) {
    const std::string file = shard.is_string() ? shard.get<std::string>() : "";
    // An index may only name files in its own folder.
    if (file.empty() || fs::path(file).filename().string() != file) {
      throw Malformed("names no file for the tensor " + quotedText(name));
    }
    shards[(folder / file).string()].push_back(name);
  }
  for (const auto& [path, names] : shards) {
    if (!isFile(path)) {
      throw Malformed("lacks its shard " + quotedText(fs::path(path).filename().string()) +
                      ", which holds " + std::to_string(names.size()) +
                      " of its tensors; put it beside the index");
    }
  }
  return shards;
}

std::vector<std::string> filesOfModel(const std::string& path) {
  std::vector<std::string> files{path};
  std::error_code failed;
  const bool isFolder = fs::is_directory(path, failed);
  if (isFolder) addFilesIn(path, files);
  for (std::size_t i = 0, count = files.size(); i < count; ++i) addShards(files[i], files);
  const fs::path folder = isFolder ? fs::path(path) : fs::path(path).parent_path();
  for (const std::string_view name : describingFiles) files.push_back((folder / name).string());
  return files;
}

}  // namespace softscope
