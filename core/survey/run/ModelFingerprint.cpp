#include "core/survey/run/ModelFingerprint.h"

#include "core/Error.h"
#include "core/Sha256.h"
#include "core/array/Malformed.h"
#include "core/checkpoint/CheckpointFiles.h"

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

std::string fileFingerprint(const std::string& path) {
  Sha256 checksum;
  addFile(path, checksum);
  return checksum.digest();
}

}  // namespace

std::string modelFingerprint(const std::string& path) {
  const std::vector<std::string> files = filesOfCheckpoint(path);
  if (files.size() == 1) return fileFingerprint(files.front());
  Sha256 all;
  for (const std::string& file : files) all.add(fileFingerprint(file));
  return all.digest();
}

}  // namespace softscope
