#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/NamePrefix.h"
#include "core/checkpoint/Safetensors.h"
#include "core/checkpoint/WeightsSelection.h"
#include "core/files/Malformed.h"
#include "core/files/WorkBudget.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/checkpoint/HostileFiles.h"
#include "tests/core/checkpoint/PickledValues.h"
#include "tests/core/checkpoint/TestFiles.h"

#include <gmock/gmock.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

float firstValue(const Checkpoint& checkpoint, const std::string& name) {
  const torch::Tensor* tensor = checkpoint.state.find(name);
  if (!tensor) throw std::runtime_error("no tensor " + name);
  return tensor->flatten()[0].item<float>();
}

std::string selectionRefusal(const std::string& name, WeightsChoice choice) {
  return test::messageOf<CheckpointError>([&] { readCheckpoint(fixture(name), choice); });
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

TEST(WeightsSelection, NamesTheKeysOfTwoNetworksBesideAStrayTensor) {
  test::PickledValues values;
  PickleValue* root = values.make(PickleValue::Kind::Dict);
  for (const char* network : {"actor", "critic"}) {
    PickleValue* state = values.make(PickleValue::Kind::Dict);
    values.add(*state, "a.weight", values.tensor({2, 2}));
    values.add(*state, "b.weight", values.tensor({2, 2}));
    values.add(*root, network, state);
  }
  values.add(*root, "log_alpha", values.tensor({1}));
  WorkBudget work(1 << 20);
  EXPECT_THAT(
      test::messageOf<Malformed>([&] { selectWeights(*root, WeightsChoice::Published, work); }),
      HasSubstr("its keys are 'actor', 'critic', 'log_alpha'"));
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

using PickledEntries = std::vector<std::pair<std::string, std::string>>;

std::string pickledMap(const PickledEntries& entries) {
  std::string pickle = "}";
  for (const auto& [key, value] : entries) pickle += pickledText(key) + value + "s";
  return pickle;
}

/// A tensor of two numbers, both 1 in the storage `0` and both 2 in the storage `1`.
std::string pickledTensor(const std::string& storage) {
  const std::string whole = pickleOf({.storageKey = storage});
  const std::size_t begin = 3 + pickledText("a").size();
  return whole.substr(begin, whole.size() - begin - 2);
}

/// State dicts of two tensors: the weights as trained, of ones, and their average, of twos.
std::string pickledRaw() {
  return pickledMap({{"a.weight", pickledTensor("0")}, {"a.bias", pickledTensor("0")}});
}
std::string pickledAverage() {
  return pickledMap({{"a.weight", pickledTensor("1")}, {"a.bias", pickledTensor("1")}});
}

class CopiesUnderKeys : public testing::Test {
 protected:
  void write(const PickledEntries& entries) {
    const auto floats = [](float value) {
      const std::array<float, 2> both{value, value};
      return std::string(reinterpret_cast<const char*>(both.data()), sizeof(both));
    };
    ZipEntries files = checkpointEntries("\x80\x02" + pickledMap(entries) + ".", floats(1));
    files.emplace_back("archive/data/1", floats(2));
    writeBytes(path_, zipOf(files));
  }

  Checkpoint read(WeightsChoice choice) const { return readCheckpoint(path_, choice); }

  std::string refusal(WeightsChoice choice) const {
    return test::messageOf<CheckpointError>([&] { read(choice); });
  }

  void expectCopy(WeightsChoice choice, const std::string& weights, const std::string& key) const {
    const Checkpoint checkpoint = read(choice);
    EXPECT_EQ(checkpoint.weights, weights);
    EXPECT_EQ(checkpoint.weightsKey, key);
    EXPECT_EQ(firstValue(checkpoint, "a.weight"), weights == "ema" ? 2.0f : 1.0f);
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("copies.pth");
};

TEST_F(CopiesUnderKeys, AnAverageAloneIsCalledOne) {
  for (const char* key : {"ema", "ema_state_dict", "params_ema", "ema_model", "netG.EMA"}) {
    SCOPED_TRACE(key);
    write({{key, pickledAverage()}});
    expectCopy(WeightsChoice::Published, "ema", key);
    expectCopy(WeightsChoice::Ema, "ema", key);
    EXPECT_THAT(refusal(WeightsChoice::Raw), HasSubstr("holds only a running average"));
  }
  write({{"schema", pickledRaw()}});
  expectCopy(WeightsChoice::Published, "raw", "schema");
}

TEST_F(CopiesUnderKeys, AnAverageBesideAKnownKeyIsFound) {
  for (const char* key : {"ema", "ema_state_dict", "best_ema"}) {
    SCOPED_TRACE(key);
    write({{key, pickledAverage()}, {"model", pickledRaw()}});
    expectCopy(WeightsChoice::Published, "raw", "model");
    expectCopy(WeightsChoice::Raw, "raw", "model");
    expectCopy(WeightsChoice::Ema, "ema", key);
  }
}

TEST_F(CopiesUnderKeys, OfTwoUnknownKeysOneIsAskedFor) {
  write({{"params", pickledRaw()}, {"params_ema", pickledAverage()}});
  EXPECT_THAT(refusal(WeightsChoice::Published),
              HasSubstr("in 'params', and their running average (EMA), in 'params_ema'"));
  expectCopy(WeightsChoice::Raw, "raw", "params");
  expectCopy(WeightsChoice::Ema, "ema", "params_ema");
}

TEST_F(CopiesUnderKeys, ALossIsNoCopy) {
  write({{"teacher", pickledAverage()}, {"dino_loss", pickledMap({{"b", pickledTensor("0")}})}});
  EXPECT_THAT(refusal(WeightsChoice::Raw), HasSubstr("holds only a running average"));
  EXPECT_THAT(read(WeightsChoice::Published).beside, IsEmpty());
}

TEST_F(CopiesUnderKeys, AnAverageBesideBareNames) {
  const PickledEntries bare = {{"a.weight", pickledTensor("0")},
                               {"a.bias", pickledTensor("0")},
                               {"ema.a.weight", pickledTensor("1")},
                               {"ema.a.bias", pickledTensor("1")}};
  for (const bool isInModel : {false, true}) {
    SCOPED_TRACE(isInModel);
    write(isInModel ? PickledEntries{{"model", pickledMap(bare)}} : bare);
    expectCopy(WeightsChoice::Published, "raw", isInModel ? "model" : "");
    expectCopy(WeightsChoice::Raw, "raw", isInModel ? "model" : "");
    expectCopy(WeightsChoice::Ema, "ema", "ema");
    EXPECT_EQ(read(WeightsChoice::Published).state.size(), 2u);
  }
}

TEST_F(CopiesUnderKeys, NamesThatAreAllOfAnAverage) {
  write({{"ema_model.a.weight", pickledTensor("1")}, {"ema_model.a.bias", pickledTensor("1")}});
  expectCopy(WeightsChoice::Published, "ema", "");
  EXPECT_THAT(refusal(WeightsChoice::Raw), HasSubstr("holds only a running average"));
}

TEST_F(CopiesUnderKeys, OtherWeightsThanTheNetworksAreNamed) {
  const std::string classifier = pickledMap({{"weight", pickledTensor("0")}});
  write({{"encoder", pickledRaw()}, {"classifier", classifier}});
  EXPECT_THAT(read(WeightsChoice::Published).beside, ElementsAre("classifier.weight"));
  write({{"state_dict", pickledRaw()},
         {"classifier", classifier},
         {"optimizer", pickledMap({{"momentum", pickledTensor("0")}})},
         {"head_ema", classifier},
         {"swa", pickledAverage()}});
  EXPECT_THAT(read(WeightsChoice::Published).beside, ElementsAre("classifier.weight"));
}

TEST_F(CopiesUnderKeys, StatesOfRandomGeneratorsAndBuffersOfAModuleAreNoOtherWeights) {
  const std::string other = pickledMap({{"torch", pickledTensor("0")}});
  for (const char* key : {"rng_state", "cuda_rng", "random_states"}) {
    write({{"model", pickledRaw()}, {key, other}});
    EXPECT_THAT(read(WeightsChoice::Published).beside, IsEmpty()) << key;
  }
  write({{"a.weight", pickledTensor("0")}, {"a.bias", pickledTensor("0")}, {"_buffers", other}});
  EXPECT_THAT(read(WeightsChoice::Published).beside, IsEmpty());
}

TEST_F(CopiesUnderKeys, IntegersAreNoOtherWeights) {
  const std::string bytes =
      pickleOf({.storageCount = 8, .storageClass = "ByteStorage", .storageKey = "1"});
  const std::size_t begin = 3 + pickledText("a").size();
  const std::string tensor = bytes.substr(begin, bytes.size() - begin - 2);
  write({{"model", pickledRaw()}, {"generator", pickledMap({{"torch", tensor}})}});
  EXPECT_THAT(read(WeightsChoice::Published).beside, IsEmpty());
}

TEST_F(CopiesUnderKeys, CopiesAKeyFurtherDown) {
  const auto under = [](const std::string& name, const std::string& weights) {
    return pickledMap({{name, weights}});
  };
  write({{"ema", under("module", pickledAverage())}, {"model", pickledRaw()}});
  expectCopy(WeightsChoice::Published, "raw", "model");
  expectCopy(WeightsChoice::Ema, "ema", "ema.module");
  write({{"ema", under("module", pickledAverage())}});
  expectCopy(WeightsChoice::Published, "ema", "ema.module");
  write({{"checkpoint", under("state_dict", pickledRaw())}});
  expectCopy(WeightsChoice::Published, "raw", "checkpoint.state_dict");
  write({{"optimizer", under("momentum", pickledRaw())}});
  EXPECT_THAT(refusal(WeightsChoice::Published), HasSubstr("state of an optimizer"));
  write({{"nets", pickledMap({{"generator", pickledRaw()}, {"critic", pickledRaw()}})}});
  EXPECT_THAT(refusal(WeightsChoice::Published), HasSubstr("told apart"));
}

TEST_F(CopiesUnderKeys, ACopyFurtherDownDoesNotStandInTheWayOfOthers) {
  const auto under = [](const std::string& name, const std::string& weights) {
    return pickledMap({{name, weights}});
  };
  write({{"params", pickledRaw()}, {"opt", under("momentum", pickledAverage())}});
  expectCopy(WeightsChoice::Published, "raw", "params");
  write({{"params", pickledRaw()},
         {"params_ema", pickledAverage()},
         {"loss", under("centre", pickledMap({{"b", pickledTensor("0")}}))}});
  EXPECT_THAT(refusal(WeightsChoice::Published), HasSubstr("so ask for one of the two"));
  expectCopy(WeightsChoice::Raw, "raw", "params");
  write({{"model", under("settings", pickledAverage())}, {"state_dict", pickledRaw()}});
  expectCopy(WeightsChoice::Published, "raw", "state_dict");
  write({{"checkpoint", under("ema", pickledAverage())}});
  expectCopy(WeightsChoice::Published, "ema", "checkpoint.ema");
  EXPECT_THAT(refusal(WeightsChoice::Raw), HasSubstr("holds only a running average"));
  write({{"model", under("weights", pickledRaw())}, {"ema", under("module", pickledAverage())}});
  expectCopy(WeightsChoice::Published, "raw", "model.weights");
  expectCopy(WeightsChoice::Ema, "ema", "ema.module");
}

TEST_F(CopiesUnderKeys, ANumberMayStandBesideACopyFurtherDown) {
  const std::string average = pickledMap({{"a.weight", pickledTensor("1")},
                                          {"a.bias", pickledTensor("1")},
                                          {"b.bias", pickledTensor("1")}});
  write({{"ema", pickledMap({{"updates", pickledTensor("0")}, {"module", average}})},
         {"model", pickledRaw()}});
  expectCopy(WeightsChoice::Published, "raw", "model");
  expectCopy(WeightsChoice::Ema, "ema", "ema.module");
}

TEST(WeightsSelection, SaysWhichPrefixAnAverageOfSafetensorsHas) {
  const TemporaryFolder folder;
  const std::string path = folder.file("two.safetensors");
  StateDict state;
  state.insert("ema_model.a", torch::ones({2}));
  state.insert("model.a", torch::zeros({2}));
  writeSafetensors(path, state, {});
  const Checkpoint average = readCheckpoint(path);
  EXPECT_EQ(average.weights, "ema");
  EXPECT_EQ(average.weightsKey, "ema_model");
  EXPECT_EQ(readCheckpoint(path, WeightsChoice::Raw).weightsKey, "");
}

TEST(WeightsSelection, ATeacherOfADistillationIsNoAverage) {
  const TemporaryFolder folder;
  const std::string path = folder.file("distilled.safetensors");
  StateDict state;
  state.insert("teacher.layers.0.a.weight", torch::full({1}, 2.0f));
  state.insert("student.layers.0.a.weight", torch::full({1}, 1.0f));
  state.insert("distill_mlp.weight", torch::zeros({1}));
  writeSafetensors(path, state, {});
  try {
    readCheckpoint(path);
    FAIL() << "was read";
  } catch (const CheckpointError& error) {
    EXPECT_THAT(error.what(), HasSubstr("holds two networks"));
    EXPECT_THAT(error.what(), HasSubstr("--weights raw opens the student"));
  }
  const Checkpoint student = readCheckpoint(path, WeightsChoice::Raw);
  EXPECT_EQ(student.state.size(), 1u);
  EXPECT_EQ(firstValue(student, "layers.0.a.weight"), 1.0f);
  EXPECT_EQ(firstValue(readCheckpoint(path, WeightsChoice::Ema), "layers.0.a.weight"), 2.0f);
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

TEST(NamePrefix, ABackboneBesidePartsOfItsNetworkWrapsNothing) {
  EXPECT_EQ(wrapperPrefix({"backbone.patch_embed.weight", "backbone.norm.weight", "cls_token"}),
            "");
  EXPECT_EQ(wrapperPrefix({"backbone.patch_embed.weight", "pos_embed", "head.weight"}), "");
  EXPECT_EQ(wrapperPrefix({"backbone.layers.0.attn.qkv.weight", "patch_embed.proj.weight"}), "");
  EXPECT_EQ(wrapperPrefix({"module.backbone.a", "module.cls_token"}), "module.");
  std::vector<std::string_view> stem{"backbone.conv.weight"};
  for (const char* name :
       {"blocks.0.norm.weight", "blocks.0.norm.bias", "blocks.0.q.weight", "blocks.0.k.weight",
        "blocks.1.norm.weight", "blocks.1.norm.bias", "blocks.1.q.weight", "blocks.1.k.weight"}) {
    stem.emplace_back(name);
  }
  EXPECT_EQ(wrapperPrefix(stem), "");
  EXPECT_EQ(wrapperPrefix({"backbone.cls_token", "backbone.pos_embed", "pos_embed"}), "backbone.");
  EXPECT_EQ(wrapperPrefix({"backbone.layers.0.0.projection.weight", "decode_head.conv_seg.weight"}),
            "backbone.");
}

}  // namespace
}  // namespace softscope
