#include "core/checkpoint/Checkpoint.h"

#include "core/Error.h"
#include "core/checkpoint/CheckpointFormats.h"
#include "core/checkpoint/FileKind.h"
#include "core/checkpoint/NamePrefix.h"
#include "core/checkpoint/PickledMetadata.h"
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
#include <cstdint>
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

/// Removes entries that are not tensors, such as those that hooks leave in a state dict.
void keepTensors(NamedValues& entries, std::uint64_t fileSize) {
  // Each entry takes a kilobyte of memory, however few bytes of the file it occupies; no network
  // has so many.
  constexpr std::uint64_t mostOfSmallFile = 20'000;
  std::erase_if(entries, [](const auto& entry) { return !isPickledTensor(*entry.second); });
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
  SelectedWeights selected = selectWeights(*file.root, reading.choice, work);
  Checkpoint checkpoint;
  checkpoint.weights = std::move(selected.weights);
  checkpoint.weightsKey = std::move(selected.weightsKey);
  checkpoint.beside = std::move(selected.beside);
  checkpoint.metadata = collectMetadata(*file.root, work);

  TensorRebuild rebuild(*file.storages, file.fileSize);
  NamedValues& tensors = selected.entries;
  keepTensors(tensors, file.fileSize);
  if (reading.names == Names::Unwrapped) checkpoint.prefix = wrapperPrefix(namesOf(tensors));
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
  checkpoint.weights = "raw";
  checkpoint.path = path;
  return checkpoint;
}

/// Keeps the copy that `choice` asks for, in a file that holds the weights and their average under
/// two prefixes. Throws Malformed if the file holds only the other copy.
void chooseCopy(WeightsChoice choice, Checkpoint& checkpoint) {
  const std::vector<std::string_view> names = namesOf(checkpoint.state);
  if (const NamedAverage average = namedAverage(names); !average.prefix.empty()) {
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

Checkpoint readFlat(Checkpoint checkpoint, const Reading& reading) {
  if (reading.names == Names::AsStored) return checkpoint;
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

/// Reads a shard. Throws Malformed if it lacks one of the tensors that the index assigns to it.
Checkpoint readShard(const std::string& path, const std::vector<std::string>& names,
                     const Progress& progress) {
  Checkpoint shard = readByKind(path, {WeightsChoice::Published, Names::AsStored, progress});
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

/// Throws Malformed if there are tensors that the index assigns to no shard at all.
void refuseUnlisted(const std::set<std::string>& unassigned, const ShardIndex& index) {
  std::set<std::string_view> listed;
  for (const auto& [path, names] : index) listed.insert(names.begin(), names.end());
  std::vector<std::string> unlisted;
  for (const std::string& name : unassigned) {
    if (!listed.contains(name)) unlisted.push_back(quotedText(name));
  }
  if (unlisted.empty()) return;
  constexpr std::size_t mostNames = 3;
  const std::size_t count = unlisted.size();
  unlisted.resize(std::min(count, mostNames));
  throw Malformed("holds " + countedText(static_cast<std::int64_t>(count), "tensor") +
                  " that the index of shards does not list (" + listText(unlisted) +
                  (count > mostNames ? ", ..." : "") + "); fetch the index again, or list them");
}

/// Joins the tensors of all shards, each in the order of its own file: the index does not keep the
/// order of layers.
Checkpoint readShards(const std::string& indexPath, const Reading& reading) {
  Checkpoint checkpoint;
  checkpoint.weights = "raw";
  const ShardIndex index = readShardIndex(indexPath);
  // A reader's limits are those of one file, and shards may be many.
  WorkBudget work(sizeOfShards(index));
  std::set<std::string> unassigned;
  for (const auto& [path, names] : index) {
    const std::uint64_t before = WorkBudget::spentByThread();
    Checkpoint shard = withPath(path, [&, &path = path, &names = names] {
      return readShard(path, names, reading.progress);
    });
    for (const StateDict::Entry& entry : shard.state.entries()) {
      if (std::ranges::binary_search(names, entry.name)) {
        checkpoint.state.insert(entry.name, entry.tensor);
      } else {
        unassigned.insert(entry.name);
      }
    }
    checkpoint.metadata.merge(shard.metadata);
    work.touch(static_cast<std::size_t>(WorkBudget::spentByThread() - before));
  }
  refuseUnlisted(unassigned, index);
  return readFlat(std::move(checkpoint), reading);
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
    checkpoint.path = file;
    return checkpoint;
  });
}

}  // namespace softscope
