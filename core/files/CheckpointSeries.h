#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

/// Checkpoints of one training, in ascending order of the numbers in their names.
struct CheckpointSeries {
  struct Step {
    std::int64_t number = 0;
    std::string path;
  };
  /// The folder's name, or what the files' names share: `soft.epochs`, `epoch_*`.
  std::string name;
  std::vector<Step> steps;
};

/// Returns the files that a path with wildcards, such as `run/epoch_*.pth`, stands for, in the
/// order of the numbers in their names; the path itself if it has no wildcards or is a file's name.
/// Throws FileError if no file matches.
std::vector<std::string> filesMatching(const std::string& path);

/// Returns the series that a folder of checkpoints or a path with wildcards stands for; several if
/// its files' names differ in more than numbers. Empty for the path of anything else, such as a
/// checkpoint, a folder with a single one, or one that is written in shards.
std::vector<CheckpointSeries> findSeries(const std::string& path);

}  // namespace softscope
