#pragma once

#include <map>
#include <string>
#include <vector>

namespace softscope {

// Checkpoints that are more than one file, as Hugging Face's library writes them.

/// Returns the checkpoint that a path refers to: the path itself, or the one checkpoint in a
/// folder. Throws Malformed if the folder holds none, which says if a folder in it does, or several
/// that could be meant, and for what torch.distributed.checkpoint wrote.
std::string checkpointFileOf(const std::string& path);

/// Returns the patterns of the names of files that open as models, checkpoints, recordings and
/// indices of shards: `*.pth`.
std::vector<std::string> modelPatterns();

/// Returns true if a path fits one of modelPatterns(), in capital letters, too.
bool endsAsModel(std::string path);

/// Returns the names of the files in a folder that end as checkpoints do, sorted, without the state
/// of a training, such as `optimizer.bin`. Never throws.
std::vector<std::string> checkpointsIn(const std::string& folder);

/// Returns the index `model.safetensors.index.json` that a path is, or that lies beside a shard
/// (`model-00002-of-00003.safetensors`) and lists it, under that name or `NAME.index.WORD.json`;
/// empty if the path is no shard. Throws Malformed if it is one of several and no index lists it.
std::string shardIndexOf(const std::string& path);

/// Returns the paths of the files that an index names, each with the names of its tensors in
/// alphabetical order, which is not that of the layers. Throws Malformed if the index cannot be
/// read, or, naming the shard, if one is missing.
std::map<std::string, std::vector<std::string>> readShardIndex(const std::string& indexPath);

/// Returns the texts under `metadata` in an index: Hugging Face's library names there the tensors
/// that are others under further names. Empty if there are none. Throws Malformed.
std::map<std::string, std::string> readIndexMetadata(const std::string& indexPath);

/// Lists all files that are read when `path` is opened as a model, and the folder itself if it is
/// one: the checkpoint or recording, its index and shards, and the files beside it that describe
/// it. Some may not exist. Never throws.
std::vector<std::string> filesOfModel(const std::string& path);

}  // namespace softscope
