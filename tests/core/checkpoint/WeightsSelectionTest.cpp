#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/NamePrefix.h"
#include "tests/core/checkpoint/TestFiles.h"

#include <gmock/gmock.h>

namespace softscope {
namespace {

using testing::HasSubstr;

float firstValue(const Checkpoint& checkpoint, const std::string& name) {
  const torch::Tensor* tensor = checkpoint.state.find(name);
  if (!tensor) throw std::runtime_error("no tensor " + name);
  return tensor->flatten()[0].item<float>();
}

std::string selectionRefusal(const std::string& name, WeightsChoice choice) {
  try {
    readCheckpoint(fixture(name), choice);
  } catch (const CheckpointError& error) {
    return error.what();
  }
  return "was read";
}

TEST(WeightsSelection, TakesModelBesideModelEma) {
  for (const char* name : {"wrapped.pth", "wrapped_legacy.pth"}) {
    const Checkpoint published = readCheckpoint(fixture(name));
    EXPECT_EQ(published.weights, "raw");
    EXPECT_EQ(published.weightsKey, "model");
    EXPECT_EQ(firstValue(published, "a.weight"), 1.0f);
    const Checkpoint ema = readCheckpoint(fixture(name), WeightsChoice::Ema);
    EXPECT_EQ(ema.weights, "ema");
    EXPECT_EQ(ema.weightsKey, "model_ema");
    EXPECT_EQ(firstValue(ema, "a.weight"), 2.0f);
  }
}

TEST(WeightsSelection, TakesTheAverageOfTimmFiles) {
  const Checkpoint published = readCheckpoint(fixture("timm.pth"));
  EXPECT_EQ(published.weights, "ema");
  EXPECT_EQ(published.weightsKey, "state_dict_ema");
  EXPECT_EQ(firstValue(published, "a.weight"), 2.0f);
  const Checkpoint raw = readCheckpoint(fixture("timm.pth"), WeightsChoice::Raw);
  EXPECT_EQ(raw.weights, "raw");
  EXPECT_EQ(firstValue(raw, "a.weight"), 1.0f);
}

// Other tensors may stand beside both copies, such as those of a loss.
TEST(WeightsSelection, TakesTheAverageBesideTheWeightsUnderPrefixes) {
  const auto weightOf = [](const Checkpoint& checkpoint) {
    for (const StateDict::Entry& entry : checkpoint.state.entries()) {
      if (entry.name.ends_with("a.weight")) return entry.tensor.flatten()[0].item<float>();
    }
    return 0.0f;
  };
  for (const char* name : {"model.beside_average.pth", "student.beside_average.pth"}) {
    SCOPED_TRACE(name);
    for (const WeightsChoice choice : {WeightsChoice::Published, WeightsChoice::Ema}) {
      const Checkpoint average = readCheckpoint(fixture(name), choice);
      EXPECT_EQ(average.weights, "ema");
      EXPECT_EQ(weightOf(average), 2.0f);
    }
    const Checkpoint raw = readCheckpoint(fixture(name), WeightsChoice::Raw);
    EXPECT_EQ(raw.weights, "raw");
    EXPECT_EQ(weightOf(raw), 1.0f);
  }
}

TEST(WeightsSelection, TakesTheWeightsThatANumberStandsBeside) {
  const Checkpoint checkpoint = readCheckpoint(fixture("number_beside.pth"));
  EXPECT_EQ(checkpoint.weightsKey, "network");
  EXPECT_EQ(firstValue(checkpoint, "a.weight"), 1.0f);
}

TEST(WeightsSelection, TakesAWholeModuleAsItsParametersAndBuffers) {
  for (const char* name : {"pickled_model.pth", "pickled_model_wrapped.pth"}) {
    SCOPED_TRACE(name);
    const Checkpoint checkpoint = readCheckpoint(fixture(name));
    ASSERT_TRUE(checkpoint.state.contains("weight"));
    EXPECT_EQ(checkpoint.state.find("weight")->dim(), 2);
    EXPECT_TRUE(checkpoint.state.contains("bias"));
  }
}

TEST(WeightsSelection, PassesOverAModelThatIsAString) {
  const Checkpoint checkpoint = readCheckpoint(fixture("cvt.pth"));
  EXPECT_EQ(checkpoint.weightsKey, "state_dict");
  EXPECT_EQ(checkpoint.prefix, "module.");
  EXPECT_EQ(firstValue(checkpoint, "a.weight"), 3.0f);
  EXPECT_TRUE(checkpoint.state.contains("b"));
  EXPECT_EQ(checkpoint.metadata.at("model"), "cls_cvt");
  EXPECT_EQ(checkpoint.metadata.at("epoch"), "7");
}

TEST(WeightsSelection, TakesDinosTeacherWithoutItsHead) {
  const Checkpoint teacher = readCheckpoint(fixture("dino.pth"));
  EXPECT_EQ(teacher.weights, "ema");
  EXPECT_EQ(teacher.weightsKey, "teacher");
  EXPECT_EQ(teacher.prefix, "backbone.");
  EXPECT_EQ(teacher.state.size(), 1u);
  EXPECT_EQ(firstValue(teacher, "a.weight"), 2.0f);
  const Checkpoint student = readCheckpoint(fixture("dino.pth"), WeightsChoice::Raw);
  EXPECT_EQ(student.weightsKey, "student");
  EXPECT_EQ(student.prefix, "module.backbone.");
  EXPECT_EQ(student.state.size(), 1u);
  EXPECT_EQ(firstValue(student, "a.weight"), 1.0f);
}

TEST(WeightsSelection, KeepsOnlyTheBackboneOfASegmenter) {
  const Checkpoint checkpoint = readCheckpoint(fixture("segmenter.pth"));
  ASSERT_EQ(checkpoint.state.size(), 2u);
  EXPECT_EQ(checkpoint.state.entries()[0].name, "a");
  EXPECT_EQ(checkpoint.state.entries()[1].name, "b");
}

TEST(WeightsSelection, TakesTheOnlyMapOfTensorsWhateverItsKey) {
  EXPECT_EQ(readCheckpoint(fixture("net.pth")).prefix, "module.backbone.");
  EXPECT_EQ(readCheckpoint(fixture("other_key.pth")).weightsKey, "weights_of_mine");
}

TEST(WeightsSelection, SaysWhereTheOtherCopyIs) {
  EXPECT_THAT(selectionRefusal("cvt.pth", WeightsChoice::Ema),
              HasSubstr("as trained are in 'state_dict'"));
  EXPECT_THAT(selectionRefusal("types.pth", WeightsChoice::Ema), HasSubstr("in the file itself"));
  EXPECT_THAT(selectionRefusal("types.safetensors", WeightsChoice::Ema),
              HasSubstr("no running average"));
}

TEST(WeightsSelection, CollectsPlainValuesBesideTheWeights) {
  const Checkpoint checkpoint = readCheckpoint(fixture("wrapped.pth"));
  const std::map<std::string, std::string> expected = {
      {"args.amp", "true"}, {"args.epochs", "300"},      {"args.layers", "1,2"},
      {"args.lr", "0.001"}, {"args.model", "soft_tiny"}, {"best", "79.25"},
      {"epoch", "299"}};
  EXPECT_EQ(checkpoint.metadata, expected);
  EXPECT_EQ(readCheckpoint(fixture("wrapped_legacy.pth")).metadata, expected);
}

TEST(NamePrefix, TakesOffWhatEveryNameHas) {
  EXPECT_EQ(wrapperPrefix({"module.a", "module.b"}), "module.");
  EXPECT_EQ(wrapperPrefix({"module.a", "b"}), "");
  EXPECT_EQ(wrapperPrefix({"module.module.backbone.a"}), "module.module.backbone.");
  EXPECT_EQ(wrapperPrefix({"backbone.module.a", "backbone.module.b"}), "backbone.module.");
  EXPECT_EQ(wrapperPrefix({"backbone.a", "head.b"}), "backbone.");
  // EfficientViT's own names.
  EXPECT_EQ(wrapperPrefix({"backbone.stages.0.op_list.0.conv.weight", "head.op_list.0.b"}), "");
  EXPECT_EQ(wrapperPrefix({"module.backbone.stages.0.op_list.0.a", "module.head.op_list.0.b"}),
            "module.");
  EXPECT_EQ(wrapperPrefix({"module.", "module.a"}), "");
  EXPECT_EQ(wrapperPrefix({}), "");
}

}  // namespace
}  // namespace softscope
