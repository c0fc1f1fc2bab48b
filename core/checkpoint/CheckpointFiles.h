#pragma once

#include <map>
#include <string>
#include <vector>

namespace softscope {

// Checkpoints that are more than one file, as Hugging Face's library writes them.

/// The checkpoint that a path means: itself, or where it is a folder the one in it. Throws
/// Malformed for a folder without any or with several that might be meant.
std::string checkpointFileOf(const std::string& path);

/// The index `model.safetensors.index.json` that a path is, or that lies beside it and is made of
/// shards of which it is one (`model-00002-of-00003.safetensors`); empty where there is none.
std::string shardIndexOf(const std::string& path);

/// The files that an index names, as paths, and whose tensors it says each holds. Throws Malformed
/// for an index that cannot be read, and naming a shard that is not there.
std::map<std::string, std::vector<std::string>> readShardIndex(const std::string& indexPath);

/// All files that are read where `path` is opened as a model, and the folder itself where it is
/// one: the checkpoint or recording, its index and shards, and what lies beside to describe it.
/// Some of them need not be there, and nothing is thrown.
std::vector<std::string> filesOfModel(const std::string& path);

}  // namespace softscope
