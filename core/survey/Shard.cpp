#include "core/survey/Shard.h"

#include "core/survey/Database.h"
#include "core/text/Words.h"

#include <string_view>

namespace softscope {

namespace {

std::optional<std::int64_t> countingNumber(std::string_view text) {
  const auto number = parseNumber<std::int64_t>(text);
  return number && *number >= 0 ? number : std::nullopt;
}

/// The variables in which a launcher gives a process's rank and the number of ranks.
struct RankVariables {
  const char* rank;
  const char* size;
};

/// In order of preference. A batch script of Slurm's also has SLURM_PROCID, but its own step has no
/// number of tasks: mpirun in it starts the ranks that count.
constexpr RankVariables knownRanks[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                        {"PMI_RANK", "PMI_SIZE"},
                                        {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};

class EnvironmentNumbers {
 public:
  explicit EnvironmentNumbers(const Environment& environment) : environment_(environment) {}

  bool has(const char* name) const { return environment_(name) != nullptr; }
  std::int64_t number(const char* name) const {
    const char* text = environment_(name);
    const auto value = countingNumber(text ? text : "");
    if (value) return *value;
    throw SurveyError("--shard auto",
                      std::string(name) +
                          (text ? " is \"" + std::string(text) + "\"" : " is not set") +
                          ", so that this process's share is not known; give --shard I/N");
  }

 private:
  const Environment& environment_;
};

/// Throws SurveyError unless the index of the shard is between 1 and its count.
Shard checkedShard(Shard shard, const std::string& source) {
  if (shard.index >= 1 && shard.index <= shard.count) return shard;
  throw SurveyError("--shard auto", source + " says that this is process " +
                                        std::to_string(shard.index) + " of " +
                                        std::to_string(shard.count) + "; give --shard I/N");
}

std::optional<Shard> arrayShard(const EnvironmentNumbers& numbers) {
  if (!numbers.has("SLURM_ARRAY_TASK_ID")) return std::nullopt;
  const std::int64_t first = numbers.number("SLURM_ARRAY_TASK_MIN");
  const std::int64_t step =
      numbers.has("SLURM_ARRAY_TASK_STEP") ? numbers.number("SLURM_ARRAY_TASK_STEP") : 1;
  const std::int64_t behind = numbers.number("SLURM_ARRAY_TASK_ID") - first;
  const std::int64_t count = numbers.number("SLURM_ARRAY_TASK_COUNT");
  const bool even = step > 0 && behind % step == 0;
  return checkedShard({even ? behind / step + 1 : 0, count}, "the Slurm array");
}

std::optional<Shard> rankShard(const EnvironmentNumbers& numbers) {
  for (const RankVariables& variables : knownRanks) {
    if (!numbers.has(variables.rank) || !numbers.has(variables.size)) continue;
    return checkedShard({numbers.number(variables.rank) + 1, numbers.number(variables.size)},
                        variables.rank);
  }
  return std::nullopt;
}

}  // namespace

std::string Shard::text() const {
  return std::to_string(index) + "/" + std::to_string(count);
}

std::optional<Shard> parseShard(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const auto index = countingNumber(std::string_view(text).substr(0, slash));
  const auto count = countingNumber(std::string_view(text).substr(slash + 1));
  if (!index || !count || *index < 1 || *index > *count) return std::nullopt;
  return Shard{*index, *count};
}

std::optional<Shard> shardOfEnvironment(const Environment& environment) {
  const EnvironmentNumbers numbers(environment);
  const auto array = arrayShard(numbers);
  const auto rank = rankShard(numbers);
  if (!array || !rank) return array ? array : rank;
  return Shard{(array->index - 1) * rank->count + rank->index, array->count * rank->count};
}

}  // namespace softscope
