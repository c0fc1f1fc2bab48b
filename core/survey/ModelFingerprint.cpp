#include "core/survey/ModelFingerprint.h"

#include "core/Error.h"
#include "core/files/CheckpointFiles.h"
#include "core/files/Malformed.h"
#include "core/files/Sha256.h"

#include <vector>

namespace softscope {

namespace {

std::vector<std::string> filesOfCheckpoint(const std::string& path) {
  try {
    const std::string file = checkpointFileOf(path);
    const std::string index = shardIndexOf(file);
    if (index.empty()) return {file};
    std::vector<std::string> files;
    for (const auto& [shard, tensors] : readShardIndex(index)) files.push_back(shard);
    return files;
  } catch (const Malformed& problem) {
    throw CheckpointError(path, problem.what());
  }
}

std::string checksumOfFile(const std::string& path) {
  Sha256 checksum;
  addFile(path, checksum);
  return checksum.digest();
}

}  // namespace

std::string modelFingerprint(const std::string& path) {
  const std::vector<std::string> files = filesOfCheckpoint(path);
  if (files.size() == 1) return checksumOfFile(files.front());
  Sha256 all;
  for (const std::string& file : files) all.add(checksumOfFile(file));
  return all.digest();
}

}  // namespace softscope
