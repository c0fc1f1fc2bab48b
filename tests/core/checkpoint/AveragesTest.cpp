#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/Safetensors.h"
#include "core/checkpoint/WeightsSelection.h"
#include "core/files/Malformed.h"
#include "core/files/WorkBudget.h"
#include "tests/core/checkpoint/PickledValues.h"
#include "tests/core/checkpoint/TestFiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

using ::testing::HasSubstr;

/// A file with state dicts of one tensor called `a.weight`, whose shapes are given by key.
std::string keysSelected(
    const std::vector<std::pair<std::string, std::vector<std::int64_t>>>& copies,
    WeightsChoice choice) {
  test::PickledValues values;
  PickleValue* file = values.make(PickleValue::Kind::Dict);
  for (const auto& [key, shape] : copies) {
    PickleValue* state = values.make(PickleValue::Kind::Dict);
    values.add(*state, "a.weight", values.tensor(shape));
    values.add(*file, key, state);
  }
  values.add(*file, "averaging_state", values.make(PickleValue::Kind::Dict));
  WorkBudget work(1 << 20);
  try {
    const SelectedWeights selected = selectWeights(*file, choice, work);
    return selected.weights + " " + selected.weightsKey;
  } catch (const Malformed& malformed) {
    return malformed.what();
  }
}

TEST(Averages, ATeacherOfOtherShapesIsNoAverage) {
  const auto selected = [](std::int64_t width, WeightsChoice choice) {
    return keysSelected({{"student", {4, 4}}, {"teacher", {width, width}}}, choice);
  };
  EXPECT_EQ(selected(4, WeightsChoice::Published), "ema teacher");
  EXPECT_THAT(selected(8, WeightsChoice::Published),
              HasSubstr("holds two networks, the student of a distillation below 'student' and its "
                        "teacher below 'teacher'"));
  EXPECT_EQ(selected(8, WeightsChoice::Raw), "raw student");
  EXPECT_EQ(selected(8, WeightsChoice::Ema), "ema teacher");
}

TEST(Averages, LightningsAverageTakesThePlaceOfTheWeights) {
  const auto selected = [](WeightsChoice choice) {
    return keysSelected({{"state_dict", {4, 4}}, {"current_model_state", {4, 4}}}, choice);
  };
  EXPECT_EQ(selected(WeightsChoice::Published), "ema state_dict");
  EXPECT_EQ(selected(WeightsChoice::Raw), "raw current_model_state");
}

TEST(Averages, AKeyMaySayThatItIsNoAverage) {
  EXPECT_EQ(keysSelected({{"model_non_ema", {4, 4}}}, WeightsChoice::Published),
            "raw model_non_ema");
  EXPECT_EQ(keysSelected({{"best_ema", {4, 4}}}, WeightsChoice::Published), "ema best_ema");
}

TEST(Averages, MomentumEncodersMayStandUnderKeysOfTheirOwn) {
  const auto selected = [](const char* trained, const char* average, std::int64_t width,
                           WeightsChoice choice) {
    return keysSelected({{trained, {4, 4}}, {"predictor", {9, 9}}, {average, {width, width}}},
                        choice);
  };
  using enum WeightsChoice;
  EXPECT_EQ(selected("encoder", "target_encoder", 4, Published), "ema target_encoder");
  EXPECT_EQ(selected("encoder", "target_encoder", 4, Raw), "raw encoder");
  EXPECT_EQ(selected("encoder", "target_encoder", 4, Ema), "ema target_encoder");
  EXPECT_EQ(selected("online_network", "target_network", 4, Published), "raw online_network");
  EXPECT_EQ(selected("online_network", "target_network", 4, Ema), "ema target_network");
  EXPECT_THAT(selected("encoder", "target_encoder", 8, Published),
              HasSubstr("no weights that can be told apart"));
}

/// Two networks below two prefixes: members of the list of blocks, and the width.
std::string prefixesSelected(const std::string& one, const std::string& other, int blocks,
                             int width, WeightsChoice choice = WeightsChoice::Published) {
  const TemporaryFolder folder;
  StateDict state;
  const auto add = [&](const std::string& prefix, int members, int side, float value) {
    state.insert(prefix + "embed.weight", torch::full({side, 3}, value));
    for (int i = 0; i < members; ++i) {
      state.insert(prefix + "blocks." + std::to_string(i) + ".weight",
                   torch::full({side, side}, value));
    }
  };
  add(one, 3, 4, 1);
  add(other, blocks, width, 2);
  state.insert("module.queue", torch::zeros({4, 2}));
  const std::string path = folder.file("two.safetensors");
  writeSafetensors(path, state, {});
  try {
    const Checkpoint read = readCheckpoint(path, choice);
    const auto& entries = read.state.entries();
    const auto ofOne = std::ranges::count_if(entries, [](const StateDict::Entry& entry) {
      return entry.tensor.flatten()[0].item<float>() == 1;
    });
    const auto ofOther = std::ranges::count_if(entries, [](const StateDict::Entry& entry) {
      return entry.tensor.flatten()[0].item<float>() == 2;
    });
    return read.weights + (ofOne > 0 ? " one" : "") + (ofOther > 0 ? " other" : "");
  } catch (const CheckpointError& error) {
    return error.what();
  }
}

TEST(Averages, AnAverageHasTheShapesAndBlocksOfTheWeights) {
  EXPECT_EQ(prefixesSelected("model.", "teacher.", 3, 4), "ema other");
  for (const auto& [blocks, width] : std::vector<std::pair<int, int>>{{3, 8}, {6, 4}}) {
    EXPECT_THAT(prefixesSelected("model.", "teacher.", blocks, width),
                HasSubstr("two networks, the student of a distillation below 'model.'"));
    EXPECT_EQ(prefixesSelected("model.", "teacher.", blocks, width, WeightsChoice::Raw), "raw one");
  }
}

TEST(Averages, MomentumEncodersAreAveragesThatOnlyTrainingUses) {
  for (const auto& [query, key] : std::vector<std::pair<std::string, std::string>>{
           {"module.encoder_q.", "module.encoder_k."},
           {"module.base_encoder.", "module.momentum_encoder."},
           {"online_encoder.", "target_encoder."},
           {"visual_encoder.", "visual_encoder_m."}}) {
    SCOPED_TRACE(query);
    EXPECT_EQ(prefixesSelected(query, key, 3, 4), "raw one");
    EXPECT_EQ(prefixesSelected(query, key, 3, 4, WeightsChoice::Ema), "ema other");
  }
}

}  // namespace
}  // namespace softscope
