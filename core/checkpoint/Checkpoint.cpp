#include "core/checkpoint/Checkpoint.h"

#include "core/Error.h"
#include "core/checkpoint/CheckpointFormats.h"
#include "core/checkpoint/ExportedGraph.h"
#include "core/checkpoint/FileKind.h"
#include "core/checkpoint/NamePrefix.h"
#include "core/checkpoint/PickledMetadata.h"
#include "core/checkpoint/PickledOtherValues.h"
#include "core/checkpoint/PickledRoot.h"
#include "core/checkpoint/Safetensors.h"
#include "core/checkpoint/TensorRebuild.h"
#include "core/checkpoint/WeightsSelection.h"
#include "core/files/CheckpointFiles.h"
#include "core/files/InputFile.h"
#include "core/files/Malformed.h"
#include "core/files/WorkBudget.h"
#include "core/files/ZipArchive.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace softscope {

namespace {

/// Runs `read` and turns a Malformed that it throws into a CheckpointError that names the file.
template <typename Read>
Checkpoint withPath(const std::string& path, const Read& read) {
  try {
    return read();
  } catch (const Malformed& malformed) {
    throw CheckpointError(path, malformed.what());
  } catch (const std::bad_alloc&) {
    throw CheckpointError(path, "does not fit in memory");
  } catch (const c10::Error&) {
    // Every claim of the file was checked, so only LibTorch's allocator can have refused.
    throw CheckpointError(path, "does not fit in memory");
  }
}

std::vector<std::string_view> namesOf(const NamedValues& values) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return names;
}

std::vector<std::string_view> namesOf(const StateDict& state) {
  std::vector<std::string_view> names;
  for (const StateDict::Entry& entry : state.entries()) names.push_back(entry.name);
  return names;
}

template <typename Keep>
StateDict entriesWhere(const StateDict& state, const Keep& keep) {
  StateDict kept;
  for (const StateDict::Entry& entry : state.entries()) {
    if (keep(entry.name)) kept.insert(entry.name, entry.tensor);
  }
  return kept;
}

/// Throws Malformed if there are far more tensors than a network of that size has, or if their
/// names are no texts.
void checkTensors(const NamedValues& entries, std::uint64_t fileSize) {
  // Each entry takes a kilobyte of memory, however few bytes of the file it occupies; no network
  // has so many.
  constexpr std::uint64_t mostOfSmallFile = 20'000;
  if (entries.size() > mostOfSmallFile + fileSize / 1024) {
    throw Malformed("holds " + std::to_string(entries.size()) +
                    " tensors, far more than a network whose file is so small");
  }
  const bool areTexts =
      std::ranges::all_of(entries, [](const auto& entry) { return isUtf8(entry.first); });
  if (!areTexts) throw Malformed("has a tensor whose name is not valid text");
}

torch::Tensor rebuildNamed(std::string_view name, const PickleValue& value,
                           TensorRebuild& rebuild) {
  try {
    return rebuild.rebuild(describeTensor(value));
  } catch (const Malformed& malformed) {
    throw Malformed("the tensor " + quotedText(name) + " " + malformed.what());
  }
}

/// Controls whether wrappers' prefixes are removed from names, or names stay as the file has them.
enum class Names { Unwrapped, AsStored };

/// The options for reading a file.
struct Reading {
  WeightsChoice choice;
  Names names;
  const Progress& progress;
};

Checkpoint readPickled(const PickledCheckpoint& file, const Reading& reading) {
  WorkBudget work(file.fileSize);
  const PickleValue& root = rootOfWeights(*file.root, work);
  SelectedWeights selected = selectWeights(root, reading.choice, work);
  Checkpoint checkpoint;
  checkpoint.weights = std::move(selected.weights);
  checkpoint.weightsKey = std::move(selected.weightsKey);
  checkpoint.beside = std::move(selected.beside);
  checkpoint.metadata = collectMetadata(root, checkpoint.weightsKey, work);
  if (const PickleValue* module = valueOfWeights(root, checkpoint.weightsKey, work)) {
    checkpoint.temporary = temporaryBuffers(*module, work);
  }

  TensorRebuild rebuild(*file.storages, file.fileSize);
  NamedValues& tensors = selected.entries;
  const NamedValues others = takeOtherValues(tensors);
  checkTensors(tensors, file.fileSize);
  if (reading.names == Names::Unwrapped) checkpoint.prefix = wrapperPrefix(namesOf(tensors));
  for (std::string& name : valuesInModules(tensors, others, checkpoint.prefix)) {
    checkpoint.beside.push_back(std::move(name));
  }
  for (const auto& [name, value] : tensors) {
    reading.progress.throwIfCancelled();
    // Tensors that do not belong to the network are not even read.
    if (!name.starts_with(checkpoint.prefix) || name.size() == checkpoint.prefix.size()) {
      checkpoint.beside.push_back(name);
      continue;
    }
    checkpoint.state.insert(name.substr(checkpoint.prefix.size()),
                            rebuildNamed(name, *value, rebuild));
  }
  return checkpoint;
}

Checkpoint readExported(const std::string& path, ZipArchive& archive) {
  Checkpoint checkpoint;
  checkpoint.state = readExportedProgram(archive, archive.fileSize());
  for (const auto& [name, text] : graphAttributes(archive)) {
    checkpoint.metadata[exportedGraphPlace + name] = text;
  }
  checkpoint.weights = "raw";
  checkpoint.path = path;
  return checkpoint;
}

/// Keeps the copy that `choice` asks for, in a file that holds the weights and their average under
/// two prefixes. Throws Malformed if the file holds only the other copy.
void chooseCopy(WeightsChoice choice, Checkpoint& checkpoint) {
  const std::vector<std::string_view> names = namesOf(checkpoint.state);
  const auto haveOneShape = [&](const std::string& one, const std::string& other) {
    return checkpoint.state.find(one)->sizes() == checkpoint.state.find(other)->sizes();
  };
  const NamedAverage average = namedAverage(names, haveOneShape);
  if (!average.prefix.empty()) {
    const bool isWanted = wantsAverage(choice, average);
    checkpoint.state = entriesWhere(checkpoint.state, [&](const std::string& name) {
      return average.isOfCopy(name, isWanted);
    });
    if (!isWanted || !average.student.empty()) return;
    checkpoint.weights = "ema";
    checkpoint.weightsKey = average.prefix.substr(0, average.prefix.size() - 1);
    return;
  }
  if (areAveraged(names)) checkpoint.weights = "ema";
  const bool isEma = checkpoint.weights == "ema";
  if (choice == WeightsChoice::Ema && !isEma) {
    throw Malformed("holds no running average (EMA) of the weights, so ask for them as they are");
  }
  if (choice == WeightsChoice::Raw && isEma) {
    throw Malformed("holds only a running average (EMA) of the weights, so ask for that");
  }
}

/// Inserts the tensors that safetensors.torch.save_model() left out because they are others under
/// further names: its metadata has `{removed: kept}` of each.
void insertShared(Checkpoint& checkpoint) {
  std::map<std::string, std::string> others;
  for (auto& [name, value] : checkpoint.metadata) {
    const torch::Tensor* kept = checkpoint.state.find(value);
    if (kept == nullptr || checkpoint.state.contains(name)) {
      others.emplace(name, std::move(value));
    } else {
      checkpoint.state.insert(name, torch::Tensor(*kept));
    }
  }
  checkpoint.metadata = std::move(others);
}

Checkpoint readFlat(Checkpoint checkpoint, const Reading& reading) {
  if (reading.names == Names::AsStored) return checkpoint;
  insertShared(checkpoint);
  chooseCopy(reading.choice, checkpoint);
  takePrefixOff(wrapperPrefix(namesOf(checkpoint.state)), checkpoint);
  return checkpoint;
}

Checkpoint readZip(const std::string& path, const Reading& reading) {
  auto archive = std::make_unique<ZipArchive>(path, inflationLimit(InputFile(path).size()));
  if (isExportedProgram(*archive)) return readFlat(readExported(path, *archive), reading);
  return readPickled(openZipCheckpoint(std::move(archive)), reading);
}

Checkpoint readByKind(const std::string& path, const Reading& reading) {
  switch (recogniseFile(InputFile(path).head(recognisableBytes))) {
    case FileKind::ZipCheckpoint:
      return readZip(path, reading);
    case FileKind::LegacyCheckpoint:
      return readPickled(openLegacyCheckpoint(path), reading);
    case FileKind::Safetensors:
      return readFlat(readSafetensors(path, reading.progress), reading);
  }
  throw Malformed("is not a checkpoint");
}

/// Reads a shard. Throws Malformed if it lacks one of the tensors that the index assigns to it, or
/// has them under a key, where other copies of them may stand beside.
Checkpoint readShard(const std::string& path, const std::vector<std::string>& names,
                     const Progress& progress) {
  Checkpoint shard = readByKind(path, {WeightsChoice::Published, Names::AsStored, progress});
  if (!shard.weightsKey.empty()) {
    throw Malformed("is a shard with its tensors under " + quotedText(shard.weightsKey) +
                    ", and others may be of another copy of the weights; save the tensors of each "
                    "shard without a key around them");
  }
  for (const std::string& name : names) {
    if (shard.state.contains(name)) continue;
    throw Malformed("lacks the tensor " + quotedText(name) +
                    ", which the index of shards says it holds");
  }
  return shard;
}

using ShardIndex = std::map<std::string, std::vector<std::string>>;

/// Returns the size of all shards. Throws Malformed if two are one file, which would be read as
/// often as it is named.
std::uint64_t sizeOfShards(const ShardIndex& index) {
  std::uint64_t size = 0;
  std::set<FileIdentity> known;
  for (const auto& [path, names] : index) {
    const std::optional<FileIdentity> identity = fileIdentity(path);
    if (identity && !known.insert(*identity).second) {
      throw Malformed("is in two shards of its index, which are one file; fetch the shards again");
    }
    size += InputFile(path).size();
  }
  return size;
}

/// A tensor in a shard to which the index does not assign it.
struct UnassignedTensor {
  std::string shard;
  StateDict::Entry entry;
};

bool areEqual(const torch::Tensor& one, const torch::Tensor& other) {
  // Tensors of a checkpoint are contiguous, and numbers that are none are equal, too.
  return one.scalar_type() == other.scalar_type() && one.sizes() == other.sizes() &&
         (one.nbytes() == 0 || std::memcmp(one.data_ptr(), other.data_ptr(), one.nbytes()) == 0);
}

/// Throws Malformed if the index assigns one of these to no shard at all, or another tensor of that
/// name: loaders differ in which of the two they take.
void refuseUnassigned(const std::vector<UnassignedTensor>& unassigned, const StateDict& listed) {
  std::set<std::string> unlisted;
  for (const auto& [shard, entry] : unassigned) {
    const torch::Tensor* other = listed.find(entry.name);
    if (other == nullptr) {
      unlisted.insert(quotedText(entry.name));
    } else if (!areEqual(*other, entry.tensor)) {
      throw Malformed("has the tensor " + quotedText(entry.name) +
                      " with different values in two shards, one of them " + quotedText(shard) +
                      "; fetch the shards again");
    }
  }
  if (unlisted.empty()) return;
  constexpr std::size_t mostNames = 3;
  const std::size_t count = unlisted.size();
  std::vector<std::string> first(unlisted.begin(), unlisted.end());
  first.resize(std::min(count, mostNames));
  throw Malformed("holds " + countedText(static_cast<std::int64_t>(count), "tensor") +
                  " that the index of shards does not list (" + listText(first) +
                  (count > mostNames ? ", ..." : "") + "); fetch the index again, or list them");
}

/// Joins the tensors of all shards, each in the order of its own file: the index does not keep the
/// order of layers.
Checkpoint readShards(const std::string& indexPath, const Reading& reading) {
  Checkpoint checkpoint;
  checkpoint.weights = "raw";
  checkpoint.metadata = readIndexMetadata(indexPath);
  const ShardIndex index = readShardIndex(indexPath);
  // A reader's limits are those of one file, and shards may be many.
  WorkBudget work(sizeOfShards(index));
  std::vector<UnassignedTensor> unassigned;
  for (const auto& [path, names] : index) {
    const std::uint64_t before = WorkBudget::spentByThread();
    Checkpoint shard = withPath(path, [&, &path = path, &names = names] {
      return readShard(path, names, reading.progress);
    });
    for (const StateDict::Entry& entry : shard.state.entries()) {
      if (std::ranges::binary_search(names, entry.name)) {
        checkpoint.state.insert(entry.name, entry.tensor);
      } else {
        unassigned.push_back({std::filesystem::path(path).filename().string(), entry});
      }
    }
    std::ranges::move(shard.beside, std::back_inserter(checkpoint.beside));
    checkpoint.metadata.merge(shard.metadata);
    work.touch(static_cast<std::size_t>(WorkBudget::spentByThread() - before));
  }
  refuseUnassigned(unassigned, checkpoint.state);
  return readFlat(std::move(checkpoint), reading);
}

/// Throws Malformed if the tensors are those of one process of a training on many.
void refusePartOfMany(const StateDict& state) {
  const auto& entries = state.entries();
  const auto isFlat = [](const StateDict::Entry& entry) {
    return entry.name.ends_with("_flat_param") || entry.name.ends_with(".flat_param") ||
           entry.name == "flat_param";
  };
  if (std::ranges::any_of(entries, isFlat)) {
    throw Malformed(
        "holds the part that one process of FSDP had of the weights, as flat lists; save the "
        "state_dict() of the whole network, with StateDictType.FULL_STATE_DICT");
  }
  const auto isEmpty = [](const StateDict::Entry& entry) {
    return entry.tensor.dim() == 1 && entry.tensor.numel() == 0;
  };
  if (!entries.empty() && std::ranges::all_of(entries, isEmpty)) {
    throw Malformed(
        "holds tensors without numbers, as DeepSpeed's ZeRO-3 writes for each process; make one "
        "file of its folder with python zero_to_fp32.py FOLDER FILE");
  }
}

/// Returns the index of shards for a file. Throws a CheckpointError that names the file, which may
/// be one in a folder that was given.
std::string indexOf(const std::string& file) {
  try {
    return shardIndexOf(file);
  } catch (const Malformed& malformed) {
    throw CheckpointError(file, malformed.what());
  }
}

}  // namespace

void takePrefixOff(const std::string& prefix, Checkpoint& checkpoint) {
  if (prefix.empty()) return;
  StateDict state;
  for (const StateDict::Entry& entry : checkpoint.state.entries()) {
    if (!entry.name.starts_with(prefix) || entry.name.size() == prefix.size()) {
      checkpoint.beside.push_back(checkpoint.prefix + entry.name);
      continue;
    }
    state.insert(entry.name.substr(prefix.size()), entry.tensor);
  }
  checkpoint.state = std::move(state);
  checkpoint.prefix += prefix;
}

Checkpoint readCheckpoint(const std::string& path, WeightsChoice choice, const Progress& progress) {
  return withPath(path, [&] {
    const std::string file = checkpointFileOf(path);
    const std::string index = indexOf(file);
    const Reading reading{choice, Names::Unwrapped, progress};
    Checkpoint checkpoint = index.empty() ? readByKind(file, reading) : readShards(index, reading);
    refusePartOfMany(checkpoint.state);
    checkpoint.path = file;
    return checkpoint;
  });
}

}  // namespace softscope
