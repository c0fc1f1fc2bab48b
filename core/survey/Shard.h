#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace softscope {

/// Every `count`-th picture from the `index`-th on, counted from 1.
struct Shard {
  std::int64_t index = 1;
  std::int64_t count = 1;

  bool has(std::int64_t picture) const { return picture % count == index - 1; }
  /// Returns `2/3`, as `--shard` takes it and files store it.
  std::string text() const;

  bool operator==(const Shard&) const = default;
};

/// Parses `2/3`; returns nothing for any other text.
std::optional<Shard> parseShard(const std::string& text);

/// Returns the value of an environment variable, or null.
using Environment = std::function<const char*(const char* name)>;

/// Determines this process's share of the work from a Slurm array's tasks (SLURM_ARRAY_TASK_ID,
/// _MIN, _STEP, _COUNT), from the ranks of `mpirun` (Open MPI's and MPICH's variables) or `srun`,
/// or from both if ranks run within an array. Returns nothing outside of all these. Throws
/// SurveyError if the variables contradict each other.
std::optional<Shard> shardOfEnvironment(const Environment& environment);

}  // namespace softscope
