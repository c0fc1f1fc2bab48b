#include "core/survey/Database.h"
#include "core/survey/Shard.h"

#include <gtest/gtest.h>

#include <map>

namespace softscope {
namespace {

std::optional<Shard> shardUnder(const std::map<std::string, std::string>& variables) {
  return shardOfEnvironment([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Shard, ReadsWhatTheCommandLineSays) {
  EXPECT_EQ(parseShard("2/3"), (Shard{2, 3}));
  EXPECT_EQ(parseShard("1/1"), Shard());
  for (const char* text :
       {"", "2", "0/3", "4/3", "-1/3", "1/0", "1/3x", "a/b", "1/", "/3", "1 /3"}) {
    EXPECT_FALSE(parseShard(text)) << text;
  }
  EXPECT_EQ((Shard{2, 3}).text(), "2/3");
}

TEST(Shard, TakesEveryPictureOnce) {
  for (std::int64_t picture = 0; picture < 10; ++picture) {
    int owners = 0;
    for (const std::int64_t index : {1, 2, 3}) owners += Shard{index, 3}.has(picture) ? 1 : 0;
    EXPECT_EQ(owners, 1) << picture;
  }
  EXPECT_TRUE((Shard{2, 3}).has(1));
}

TEST(Shard, IsFoundInAnArrayOfSlurms) {
  const std::map<std::string, std::string> array = {
      {"SLURM_ARRAY_TASK_ID", "7"},    {"SLURM_ARRAY_TASK_MIN", "3"},
      {"SLURM_ARRAY_TASK_MAX", "9"},   {"SLURM_ARRAY_TASK_STEP", "2"},
      {"SLURM_ARRAY_TASK_COUNT", "4"}, {"SLURM_PROCID", "0"}};
  EXPECT_EQ(shardUnder(array), (Shard{3, 4}));
  auto step = array;
  step["SLURM_PROCID"] = "1";
  step["SLURM_STEP_NUM_TASKS"] = "2";
  EXPECT_EQ(shardUnder(step), (Shard{6, 8}));
  auto broken = array;
  broken.erase("SLURM_ARRAY_TASK_COUNT");
  EXPECT_THROW(shardUnder(broken), SurveyError);
  // Tasks that are no sequence: 1, 2, 9.
  EXPECT_THROW(shardUnder({{"SLURM_ARRAY_TASK_ID", "9"},
                           {"SLURM_ARRAY_TASK_MIN", "1"},
                           {"SLURM_ARRAY_TASK_COUNT", "3"}}),
               SurveyError);
}

TEST(Shard, IsFoundInRanks) {
  EXPECT_FALSE(shardUnder({}));
  EXPECT_EQ(shardUnder({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}}),
            (Shard{2, 4}));
  EXPECT_EQ(shardUnder({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}), (Shard{1, 2}));
  EXPECT_EQ(shardUnder({{"SLURM_PROCID", "3"}, {"SLURM_STEP_NUM_TASKS", "4"}}), (Shard{4, 4}));
  // A batch script of several tasks, which is one process, and mpirun in it.
  EXPECT_FALSE(shardUnder({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}));
  EXPECT_EQ(shardUnder({{"SLURM_PROCID", "0"},
                        {"SLURM_NTASKS", "4"},
                        {"OMPI_COMM_WORLD_RANK", "2"},
                        {"OMPI_COMM_WORLD_SIZE", "4"}}),
            (Shard{3, 4}));
  EXPECT_THROW(shardUnder({{"PMI_RANK", "5"}, {"PMI_SIZE", "2"}}), SurveyError);
  EXPECT_THROW(shardUnder({{"PMI_RANK", "x"}, {"PMI_SIZE", "2"}}), SurveyError);
}

}  // namespace
}  // namespace softscope
