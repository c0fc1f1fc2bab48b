#include "core/files/CheckpointFiles.h"

#include "core/files/InputFile.h"
#include "core/files/Malformed.h"
#include "core/json/ParsedJson.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace softscope {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view indexPart = ".index.";
constexpr std::string_view indexEnding = ".json";

/// Names to look for in a folder, in this order.
constexpr std::string_view hubFiles[] = {"model.safetensors", "model.safetensors.index.json",
                                         "pytorch_model.bin", "pytorch_model.bin.index.json"};
constexpr std::string_view checkpointEndings[] = {".safetensors", ".pth", ".pt",
                                                  ".ckpt",        ".bin", ".pt2"};
/// Endings of other files that open as models: checkpoints of older libraries, `.pth.tar`, and
/// recordings.
constexpr std::string_view otherModelEndings[] = {".tar", ".npz"};

bool isFile(const fs::path& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed);
}

fs::path folderOf(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// Returns true for `model.safetensors.index.json`, and for that of a variant, whose name has a
/// word more: `model.safetensors.index.fp16.json`.
bool isIndexName(const std::string& name) {
  return name.ends_with(indexEnding) && name.find(indexPart) != std::string::npos;
}

/// Returns `model.safetensors.index.json` for the shard `model-00002-of-00003.safetensors`; empty
/// for names that are not a shard's.
std::string indexNameOf(const std::string& shard) {
  const std::size_t of = shard.rfind("-of-");
  const std::size_t number = of == std::string::npos ? of : shard.rfind('-', of - 1);
  const std::size_t dot = of == std::string::npos ? of : shard.find('.', of);
  if (of == 0 || number == std::string::npos || dot == std::string::npos) return {};
  return shard.substr(0, number) + shard.substr(dot) + ".index.json";
}

/// Returns `shard 1 of 2` for the shard `model-00001-of-00002.safetensors`; empty for a file that
/// is complete by itself, such as that of one step, `step-00010-of-00100.pth`, or of one fold,
/// whose numbers are shorter.
std::string placeOfShard(const std::string& name) {
  if (!name.ends_with(".safetensors") && !name.ends_with(".bin")) return {};
  constexpr std::size_t digits = 5;
  constexpr std::string_view of = "-of-";
  const std::size_t at = name.rfind(of);
  if (at == std::string::npos || at < digits + 1 || name[at - digits - 1] != '-') return {};
  const auto numberAt = [&](std::size_t begin) {
    const std::string_view text = std::string_view(name).substr(begin, digits);
    return text.size() == digits ? parseNumber<int>(text).value_or(0) : 0;
  };
  const int number = numberAt(at - digits);
  const int count = numberAt(at + of.size());
  if (number < 1 || count < 2) return {};
  return "shard " + std::to_string(number) + " of " + std::to_string(count);
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

json parsedIndex(const std::string& indexPath) {
  // The parsed text takes twenty times as much memory.
  constexpr std::uint64_t longest = std::uint64_t{2} << 20;
  return parsedJson(
      wholeFile(indexPath, longest, "is an index of more than 2 MB, which no network needs"));
}

json readWeightMap(const std::string& indexPath) {
  const json root = parsedIndex(indexPath);
  const bool isIndex = root.is_object() && root.contains("weight_map") &&
                       root["weight_map"].is_object() && !root["weight_map"].empty();
  if (!isIndex) throw Malformed("is no index of shards: it has no \"weight_map\"");
  return root["weight_map"];
}

bool listsShard(const fs::path& index, const std::string& shard) {
  const json map = readWeightMap(index.string());
  for (const json& file : map) {
    if (file.is_string() && file.get_ref<const std::string&>() == shard) return true;
  }
  return false;
}

/// Returns an index in the folder of a shard that lists it, under whatever name; empty if there is
/// none.
std::string otherIndexOf(const fs::path& shard) {
  constexpr std::size_t mostIndices = 8;
  std::vector<std::string> indices;
  std::error_code failed;
  for (auto entry = fs::directory_iterator(folderOf(shard), failed);
       !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    if (isIndexName(entry->path().filename().string()) && isFile(entry->path())) {
      indices.push_back(entry->path().string());
    }
  }
  std::ranges::sort(indices);
  if (indices.size() > mostIndices) indices.resize(mostIndices);
  for (const std::string& index : indices) {
    try {
      if (listsShard(index, shard.filename().string())) return index;
    } catch (const Malformed&) {
      // An index of something else.
    }
  }
  return {};
}

/// Ending of the files of torch.distributed.checkpoint, each of which holds parts of tensors.
constexpr std::string_view distributedEnding = ".distcp";

[[noreturn]] void failDistributed(const std::string& what) {
  throw Malformed(what +
                  " of torch.distributed.checkpoint; make one file of its folder with "
                  "torch.distributed.checkpoint.format_utils.dcp_to_torch_save(FOLDER, FILE)");
}

bool isDistributed(const fs::path& folder) {
  std::error_code failed;
  for (auto entry = fs::directory_iterator(folder, failed);
       !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    if (entry->path().extension().string() == distributedEnding) return true;
  }
  return false;
}

/// Returns true for what trainers keep beside the weights to continue from: `optimizer.bin`,
/// `scheduler.pt`, `rng_state_0.pth`, DeepSpeed's `zero_pp_rank_0_mp_rank_00_optim_states.pt`.
bool isStateOfTraining(const std::string& name) {
  constexpr std::string_view words[] = {"optimizer", "scheduler", "training_args", "rng_state",
                                        "scaler",    "sampler",   "random_states"};
  const std::string stem = fs::path(name).stem().string();
  if (stem.ends_with("_optim_states")) return true;
  return std::ranges::any_of(words, [&](std::string_view word) {
    return stem.starts_with(word) &&
           stem.find_first_not_of("_-0123456789", word.size()) == std::string::npos;
  });
}

/// Returns the folders in a folder, sorted; of many, some.
std::vector<fs::path> foldersIn(const fs::path& folder) {
  constexpr std::size_t mostFolders = 200;
  std::vector<fs::path> found;
  std::error_code failed;
  for (auto entry = fs::directory_iterator(folder, failed);
       !failed && entry != fs::directory_iterator() && found.size() < mostFolders;
       entry.increment(failed)) {
    std::error_code unknown;
    if (entry->is_directory(unknown)) found.push_back(entry->path());
  }
  std::ranges::sort(found);
  return found;
}

/// Throws Malformed for a folder without a checkpoint, which says where one may be: in a folder in
/// it, as trainers write them.
[[noreturn]] void failWithoutCheckpoint(const fs::path& path) {
  if (isDistributed(path)) failDistributed("is a checkpoint");
  std::string deeper;
  for (const fs::path& folder : foldersIn(path)) {
    const std::string name = quotedText(folder.filename().string());
    if (isDistributed(folder)) failDistributed("has in its folder " + name + " a checkpoint");
    const std::vector<std::string> found = checkpointsIn(folder.string());
    // Trainers number what they write, so the last of several is the latest as a rule.
    if (!found.empty()) deeper = name + " has " + quotedText(found.back());
  }
  if (deeper.empty()) {
    throw Malformed(
        "is a folder without a checkpoint in it; give the file, or a folder with "
        "model.safetensors");
  }
  throw Malformed("is a folder without a checkpoint in it, but its folder " + deeper +
                  "; give that");
}

}  // namespace

std::vector<std::string> modelPatterns() {
  std::vector<std::string> patterns;
  for (const std::string_view ending : checkpointEndings) {
    patterns.push_back("*" + std::string(ending));
  }
  for (const std::string_view ending : otherModelEndings) {
    patterns.push_back("*" + std::string(ending));
  }
  patterns.push_back("*.index.json");
  patterns.push_back("*.index.*.json");
  return patterns;
}

bool endsAsModel(std::string path) {
  std::ranges::transform(path, path.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  const auto fits = [&path](std::string_view ending) { return path.ends_with(ending); };
  return std::ranges::any_of(checkpointEndings, fits) ||
         std::ranges::any_of(otherModelEndings, fits) ||
         isIndexName(fs::path(path).filename().string());
}

std::vector<std::string> checkpointsIn(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code failed;
  for (auto entry = fs::directory_iterator(folder, failed);
       !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    const std::string ending = entry->path().extension().string();
    const bool fits = std::ranges::find(checkpointEndings, ending) != std::end(checkpointEndings);
    const std::string name = entry->path().filename().string();
    if (fits && !isStateOfTraining(name) && isFile(entry->path())) found.push_back(name);
  }
  std::ranges::sort(found);
  return found;
}

std::string checkpointFileOf(const std::string& path) {
  std::error_code failed;
  if (!fs::is_directory(path, failed)) {
    if (path.ends_with(distributedEnding)) failDistributed("is a part of a checkpoint");
    const fs::path file(path);
    if (file.filename() == ".metadata" && isDistributed(folderOf(file))) {
      failDistributed("is the index of a checkpoint");
    }
    return path;
  }
  for (const std::string_view name : hubFiles) {
    if (isFile(fs::path(path) / name)) return (fs::path(path) / name).string();
  }
  const std::vector<std::string> found = checkpointsIn(path);
  if (found.size() == 1) return (fs::path(path) / found.front()).string();
  if (found.empty()) failWithoutCheckpoint(path);
  throw Malformed("is a folder with " + std::to_string(found.size()) + " checkpoints in it (" +
                  quotedText(found[0]) + ", " + quotedText(found[1]) +
                  (found.size() > 2 ? ", ..." : "") + "); give one of them");
}

std::string shardIndexOf(const std::string& path) {
  const fs::path file(path);
  const std::string shard = file.filename().string();
  if (isIndexName(shard)) return path;
  const std::string name = indexNameOf(shard);
  if (name.empty()) return {};
  const fs::path index = file.parent_path() / name;
  std::string fault;
  try {
    if (isFile(index) && listsShard(index, shard)) return index.string();
  } catch (const Malformed& malformed) {
    fault = malformed.what();
  }
  const std::string place = placeOfShard(shard);
  if (place.empty() && fault.empty()) return {};
  std::string other = otherIndexOf(file);
  if (!other.empty()) return other;
  if (!fault.empty()) throw Malformed("has an index, " + quotedText(name) + ", that " + fault);
  throw Malformed("is " + place + "; put its index and the other shards beside it");
}

std::map<std::string, std::vector<std::string>> readShardIndex(const std::string& indexPath) {
  const fs::path folder = fs::path(indexPath).parent_path();
  const json index = readWeightMap(indexPath);
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

std::map<std::string, std::string> readIndexMetadata(const std::string& indexPath) {
  const json root = parsedIndex(indexPath);
  std::map<std::string, std::string> texts;
  if (!root.is_object() || !root.contains("metadata")) return texts;
  for (const auto& [key, value] : root["metadata"].items()) {
    if (value.is_string()) texts.emplace(key, value.get<std::string>());
  }
  return texts;
}

std::vector<std::string> filesOfModel(const std::string& path) {
  std::vector<std::string> files{path};
  std::error_code failed;
  const bool isFolder = fs::is_directory(path, failed);
  // An index and its shards are in one folder.
  if (isFolder) {
    addFilesIn(path, files);
  } else {
    addShards(path, files);
  }
  const fs::path folder = isFolder ? fs::path(path) : fs::path(path).parent_path();
  for (const std::string_view name : describingFiles) files.push_back((folder / name).string());
  return files;
}

}  // namespace softscope
