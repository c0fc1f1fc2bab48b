#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace softscope {

/// Every `count`-th picture from the `index`-th, counted from 1.
struct Shard {
  std::int64_t index = 1;
  std::int64_t count = 1;

  bool has(std::int64_t picture) const { return picture % count == index - 1; }
  /// `2/3`, as `--shard` takes it and files keep it.
  std::string text() const;

  bool operator==(const Shard&) const = default;
};

/// Reads `2/3`; nothing for anything else.
std::optional<Shard> parseShard(const std::string& text);

/// The value of an environment variable, or null.
using Environment = std::function<const char*(const char* name)>;

/// The part of the work that is this process's own: of a Slurm array's tasks
/// (SLURM_ARRAY_TASK_ID, _MIN, _STEP, _COUNT), of the ranks of `mpirun` (Open MPI's and MPICH's
/// variables) or `srun`, and where ranks run within an array, of both. Nothing outside of all of
/// these. Throws SurveyError where the variables contradict each other.
std::optional<Shard> shardOfEnvironment(const Environment& environment);

}  // namespace softscope
