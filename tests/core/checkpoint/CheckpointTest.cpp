#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/Safetensors.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/checkpoint/HostileFiles.h"
#include "tests/core/checkpoint/TestFiles.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <typename Element>
std::vector<Element> valuesOf(const torch::Tensor& tensor) {
  const auto* data = tensor.data_ptr<Element>();
  return std::vector<Element>(data, data + tensor.numel());
}

/// A few tensors, as every format and pickle protocol stores them.
class EveryType : public testing::TestWithParam<const char*> {
 protected:
  EveryType() : checkpoint_(readCheckpoint(fixture(GetParam()))) {}

  const torch::Tensor& tensor(const std::string& name) const {
    const torch::Tensor* found = checkpoint_.state.find(name);
    if (!found) throw std::runtime_error("no tensor " + name);
    return *found;
  }

  Checkpoint checkpoint_;
};

TEST_P(EveryType, KeepsElementTypesAndValues) {
  EXPECT_THAT(valuesOf<double>(tensor("float64")),
              ElementsAre(0.1, -2.5, 1e300, std::numeric_limits<double>::infinity()));
  EXPECT_THAT(valuesOf<float>(tensor("float32")), ElementsAre(1.5f, -2.25f, 3.0f));
  EXPECT_THAT(valuesOf<std::int64_t>(tensor("int64")), ElementsAre(std::int64_t{1} << 40, -7));
  EXPECT_THAT(valuesOf<std::int32_t>(tensor("int32")), ElementsAre(1 << 30, -7));
  EXPECT_THAT(valuesOf<std::int16_t>(tensor("int16")), ElementsAre(30000, -7));
  EXPECT_THAT(valuesOf<std::int8_t>(tensor("int8")), ElementsAre(127, -128));
  EXPECT_THAT(valuesOf<std::uint8_t>(tensor("uint8")), ElementsAre(0, 255));
  EXPECT_THAT(valuesOf<bool>(tensor("bool")), ElementsAre(true, false, true));
}

TEST_P(EveryType, KeepsHalfPrecision) {
  const std::vector<c10::Half> half = valuesOf<c10::Half>(tensor("float16"));
  EXPECT_EQ(static_cast<float>(half.at(0)), 1.5f);
  EXPECT_EQ(static_cast<float>(half.at(1)), -0.0009765625f);
  EXPECT_TRUE(std::isnan(static_cast<float>(half.at(2))));
  const std::vector<c10::BFloat16> brain = valuesOf<c10::BFloat16>(tensor("bfloat16"));
  EXPECT_EQ(static_cast<float>(brain.at(0)), 1.5f);
  EXPECT_EQ(static_cast<float>(brain.at(1)), -3.0f);
}

TEST_P(EveryType, KeepsShapes) {
  EXPECT_EQ(tensor("float64").sizes().vec(), (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(tensor("scalar").dim(), 0);
  EXPECT_EQ(tensor("scalar").item<float>(), 42.5f);
  EXPECT_EQ(tensor("empty").sizes().vec(), (std::vector<std::int64_t>{0, 3}));
}

TEST_P(EveryType, LaysViewsOutRowByRow) {
  EXPECT_EQ(tensor("transposed").sizes().vec(), (std::vector<std::int64_t>{6, 4}));
  EXPECT_EQ(tensor("transposed")[2][3].item<float>(), 20.0f);
  EXPECT_EQ(valuesOf<float>(tensor("transposed")).at(1), 6.0f);
  EXPECT_THAT(valuesOf<float>(tensor("slice")), ElementsAre(8, 9, 10, 14, 15, 16));
  EXPECT_THAT(valuesOf<float>(tensor("tail")), ElementsAre(20, 21, 22, 23));
  EXPECT_THAT(valuesOf<float>(tensor("expanded")), ElementsAre(7, 7, 7, 8, 8, 8));
  EXPECT_THAT(valuesOf<float>(tensor("parameter")), ElementsAre(9, 10));
  for (const StateDict::Entry& entry : checkpoint_.state.entries()) {
    EXPECT_TRUE(entry.tensor.is_contiguous()) << entry.name;
    EXPECT_FALSE(entry.tensor.requires_grad()) << entry.name;
  }
}

TEST_P(EveryType, NamesTheFile) {
  EXPECT_EQ(checkpoint_.state.size(), 18u);
  EXPECT_EQ(checkpoint_.path, fixture(GetParam()));
  EXPECT_EQ(checkpoint_.weights, "raw");
  EXPECT_EQ(checkpoint_.weightsKey, "");
  EXPECT_EQ(checkpoint_.prefix, "");
}

INSTANTIATE_TEST_SUITE_P(Formats, EveryType,
                         testing::Values("types.pth", "types_legacy.pth", "types_protocol3.pth",
                                         "types_protocol4.pth", "types_protocol5.pth",
                                         "types_legacy_protocol4.pth", "types_deflated.pth",
                                         "types.safetensors"));

TEST(Checkpoint, KeepsTheOrderOfTheFile) {
  const Checkpoint checkpoint = readCheckpoint(fixture("types.pth"));
  EXPECT_EQ(checkpoint.state.entries().front().name, "float64");
  EXPECT_EQ(checkpoint.state.entries().back().name, "parameter");
}

TEST(Checkpoint, OutlivesItsFile) {
  const TemporaryFolder folder;
  const std::string path = folder.file("copy.pth");
  writeBytes(path, contentOf(fixture("types.pth")));
  const Checkpoint checkpoint = readCheckpoint(path);
  writeBytes(path, std::string(5000, '\0'));
  EXPECT_EQ(checkpoint.state.find("whole")->sum().item<float>(), 276.0f);
}

// Their copies take more than those of the smallest file may.
TEST(Checkpoint, LaysLargeViewsOfAnExportedProgramOutRowByRow) {
  constexpr std::size_t side = 2600;
  std::string numbers(side * side * sizeof(float), '\0');
  const float second = 3.5f;
  std::memcpy(numbers.data() + sizeof(float), &second, sizeof(float));
  const std::string list = R"({"config": {"weight": {"path_name": "weight_0", "tensor_meta": {
    "dtype": 7, "sizes": [{"as_int": 2600}, {"as_int": 2600}],
    "strides": [{"as_int": 1}, {"as_int": 2600}], "storage_offset": {"as_int": 0}}}}})";
  const TemporaryFolder folder;
  const std::string path = folder.file("exported.pt2");
  writeBytes(path, zipOf({{"exported/data/weights/model_weights_config.json", list},
                          {"exported/data/weights/weight_0", numbers}}));
  const Checkpoint checkpoint = readCheckpoint(path);
  const torch::Tensor* weight = checkpoint.state.find("weight");
  ASSERT_TRUE(weight);
  EXPECT_TRUE(weight->is_contiguous());
  EXPECT_EQ((*weight)[1][0].item<float>(), second);
  EXPECT_EQ((*weight)[0][1].item<float>(), 0);
}

TEST(Checkpoint, ReadsTruthsOfAnExportedProgram) {
  const std::string list = R"({"config": {"flag": {"path_name": "weight_0", "tensor_meta": {
    "dtype": 12, "sizes": [{"as_int": 3}], "strides": [{"as_int": 1}],
    "storage_offset": {"as_int": 0}}}}})";
  const TemporaryFolder folder;
  const std::string path = folder.file("exported.pt2");
  writeBytes(path, zipOf({{"exported/data/weights/model_weights_config.json", list},
                          {"exported/data/weights/weight_0", std::string("\1\0\1", 3)}}));
  const Checkpoint checkpoint = readCheckpoint(path);
  ASSERT_TRUE(checkpoint.state.contains("flag"));
  EXPECT_THAT(valuesOf<bool>(*checkpoint.state.find("flag")), ElementsAre(true, false, true));
}

// The pickle of a tensor on a TPU: a call with a tensor on the CPU.
TEST(Checkpoint, ReadsTensorsOfAnAcceleratorFromTheirCopies) {
  std::string pickle = pickleOf({});
  const std::string call = "ctorch._utils\n_rebuild_tensor_v2\n";
  const std::size_t begin = pickle.find(call);
  ASSERT_NE(begin, std::string::npos);
  const std::string tensor = pickle.substr(begin, pickle.size() - begin - 2);
  pickle.replace(begin, tensor.size(),
                 "ctorch._utils\n_rebuild_device_tensor_from_cpu_tensor\n(" + tensor +
                     "ctorch\nfloat32\n" + pickledText("xla:0") + "\x89tR");
  const TemporaryFolder folder;
  const std::string path = folder.file("xla.pth");
  const std::array<float, 2> numbers{1, 2};
  writeBytes(path, zipOf(checkpointEntries(
                       pickle, std::string(reinterpret_cast<const char*>(numbers.data()), 8))));
  EXPECT_THAT(valuesOf<float>(*readCheckpoint(path).state.find("a")), ElementsAre(1, 2));
}

class Shards : public testing::Test {
 protected:
  static std::string nameOf(int number) {
    return "model-0000" + std::to_string(number) + "-of-00002.safetensors";
  }

  void writeShard(int number, const std::vector<std::string>& names) const {
    StateDict state;
    for (const std::string& name : names) state.insert(name, torch::ones({2}));
    writeSafetensors(folder_.file(nameOf(number)), state, {});
  }

  using Listed = std::vector<std::pair<std::string, int>>;

  void writeIndex(const Listed& listed,
                  const std::string& name = "model.safetensors.index.json") const {
    std::string map;
    for (const auto& [tensor, number] : listed) {
      map += (map.empty() ? "\"" : ", \"") + tensor + "\": \"" + nameOf(number) + "\"";
    }
    writeBytes(folder_.file(name), "{\"weight_map\": {" + map + "}}");
  }

  std::vector<std::string> namesIn(const std::string& path) const {
    const Checkpoint checkpoint = readCheckpoint(path);
    std::vector<std::string> names;
    for (const StateDict::Entry& entry : checkpoint.state.entries()) {
      names.push_back(entry.name);
    }
    return names;
  }

  std::string refusalOf(const std::string& path) const {
    return test::messageOf<CheckpointError>([&] { readCheckpoint(path); });
  }

  const TemporaryFolder folder_;
};

TEST_F(Shards, KeepTheOrderOfTheirFiles) {
  writeShard(1, {"stem", "blocks.0.norm", "blocks.0.attn"});
  writeShard(2, {"norm", "head"});
  writeIndex({{"blocks.0.attn", 1}, {"blocks.0.norm", 1}, {"head", 2}, {"norm", 2}, {"stem", 1}});
  for (const std::string& path : {folder_.path(), folder_.file(nameOf(2))}) {
    EXPECT_THAT(namesIn(path),
                ElementsAre("stem", "blocks.0.norm", "blocks.0.attn", "norm", "head"));
  }
}

TEST_F(Shards, OneAloneIsNoNetwork) {
  writeShard(1, {"a"});
  const std::string shard = folder_.file(nameOf(1));
  for (const std::string& path : {folder_.path(), shard}) {
    EXPECT_EQ(refusalOf(path),
              shard + ": is shard 1 of 2; put its index and the other shards beside it");
  }
  // That lists other files.
  writeIndex({{"a", 2}});
  EXPECT_THAT(refusalOf(shard), HasSubstr("is shard 1 of 2"));
  std::filesystem::copy(shard, folder_.file("model-00001-of-00001.safetensors"));
  EXPECT_THAT(namesIn(folder_.file("model-00001-of-00001.safetensors")), ElementsAre("a"));
  std::filesystem::copy(shard, folder_.file("fold-1-of-5.safetensors"));
  EXPECT_THAT(namesIn(folder_.file("fold-1-of-5.safetensors")), ElementsAre("a"));
}

// Each would be read whole, however often one file is named.
TEST_F(Shards, AreFilesOfTheirOwn) {
  writeShard(1, {"a", "b"});
  writeIndex({{"a", 1}, {"b", 2}});
  std::filesystem::create_symlink(nameOf(1), folder_.file(nameOf(2)));
  EXPECT_THAT(refusalOf(folder_.path()), HasSubstr("one file"));
  std::filesystem::remove(folder_.file(nameOf(2)));
  std::filesystem::create_hard_link(folder_.file(nameOf(1)), folder_.file(nameOf(2)));
  EXPECT_THAT(refusalOf(folder_.path()), HasSubstr("one file"));
}

TEST_F(Shards, AnIndexMayHaveTheNameOfAVariant) {
  writeShard(1, {"b"});
  writeShard(2, {"a"});
  const std::string index = "model.safetensors.index.fp16.json";
  writeBytes(folder_.file("faiss.index.json"), "[]");
  writeIndex({{"a", 2}, {"b", 1}}, index);
  for (const std::string& name : {nameOf(1), nameOf(2), index}) {
    EXPECT_THAT(namesIn(folder_.file(name)), ElementsAre("b", "a")) << name;
  }
}

TEST_F(Shards, AFaultyIndexIsNamedUnlessAnotherIsSound) {
  writeShard(1, {"b"});
  writeShard(2, {"a"});
  writeBytes(folder_.file("model.safetensors.index.json"), "{}");
  const std::string shard = folder_.file(nameOf(1));
  EXPECT_EQ(refusalOf(shard), shard +
                                  ": has an index, 'model.safetensors.index.json', that is no "
                                  "index of shards: it has no \"weight_map\"");
  writeIndex({{"a", 2}, {"b", 1}}, "model.safetensors.index.fp16.json");
  EXPECT_THAT(namesIn(shard), ElementsAre("b", "a"));
}

TEST_F(Shards, AStepOfATrainingIsAWholeFile) {
  const std::string step = folder_.file("step-00010-of-00100.pth");
  std::filesystem::copy(fixture("model.beside_average.pth"), step);
  EXPECT_EQ(refusalOf(step), "");
}

TEST_F(Shards, TensorsThatNoIndexListsAreNotDropped) {
  writeShard(1, {"a", "c"});
  writeShard(2, {"b", "c"});
  writeIndex({{"a", 1}, {"b", 2}});
  EXPECT_THAT(refusalOf(folder_.path()), HasSubstr("that the index of shards does not list ('c'"));
  // A tensor may be in several shards, of which the index lists one.
  writeIndex({{"a", 1}, {"b", 2}, {"c", 2}});
  EXPECT_THAT(namesIn(folder_.path()), ElementsAre("a", "b", "c"));
}

// transformers takes the last shard's, others that of the index.
TEST_F(Shards, ATensorWithTwoValuesIsRefused) {
  writeShard(1, {"a", "c"});
  StateDict state;
  state.insert("b", torch::ones({2}));
  state.insert("c", torch::zeros({2}));
  writeSafetensors(folder_.file(nameOf(2)), state, {});
  writeIndex({{"a", 1}, {"b", 2}, {"c", 1}});
  EXPECT_THAT(refusalOf(folder_.path()),
              HasSubstr("has the tensor 'c' with different values in two shards"));
}

TEST_F(Shards, TheirTensorsStandUnderNoKey) {
  std::filesystem::copy(fixture("model.beside_average.pth"), folder_.file("a.bin"));
  const Checkpoint whole = readCheckpoint(folder_.file("a.bin"));
  ASSERT_FALSE(whole.weightsKey.empty());
  std::string map;
  for (const StateDict::Entry& entry : whole.state.entries()) {
    map += (map.empty() ? "\"" : ", \"") + whole.prefix + entry.name + "\": \"a.bin\"";
  }
  writeBytes(folder_.file("a.bin.index.json"), "{\"weight_map\": {" + map + "}}");
  EXPECT_THAT(refusalOf(folder_.file("a.bin.index.json")),
              HasSubstr("is a shard with its tensors under '" + whole.weightsKey + "'"));
}

// safetensors.torch.save_model() writes those that are one tensor once.
TEST_F(Shards, SharedTensorsAreThereUnderEveryName) {
  const std::string file = folder_.file("shared.safetensors");
  StateDict state;
  state.insert("blocks.0.weight", torch::ones({2}));
  writeSafetensors(file, state,
                   {{"blocks.1.weight", "blocks.0.weight"},
                    {"blocks.2.weight", "blocks.3.weight"},
                    {"format", "pt"}});
  EXPECT_THAT(namesIn(file), ElementsAre("blocks.0.weight", "blocks.1.weight"));
  const Checkpoint checkpoint = readCheckpoint(file);
  EXPECT_TRUE(checkpoint.state.find("blocks.1.weight")->equal(torch::ones({2})));
  EXPECT_FALSE(checkpoint.metadata.contains("blocks.1.weight"));
  EXPECT_EQ(checkpoint.metadata.at("format"), "pt");

  std::filesystem::remove(file);
  writeShard(1, {"a"});
  writeShard(2, {"b"});
  writeBytes(folder_.file("model.safetensors.index.json"),
             "{\"metadata\": {\"total_size\": 16, \"c\": \"a\"}, \"weight_map\": {\"a\": \"" +
                 nameOf(1) + "\", \"b\": \"" + nameOf(2) + "\"}}");
  EXPECT_THAT(namesIn(folder_.path()), ElementsAre("a", "b", "c"));
}

TEST(Checkpoint, SaysWhatMakesAFileOfADistributedCheckpoint) {
  const TemporaryFolder folder;
  writeBytes(folder.file(".metadata"), "x");
  writeBytes(folder.file("__0_0.distcp"), "x");
  for (const std::string& path : {folder.path(), folder.file("__0_0.distcp")}) {
    try {
      readCheckpoint(path);
      ADD_FAILURE() << path;
    } catch (const CheckpointError& error) {
      EXPECT_THAT(error.what(), HasSubstr("dcp_to_torch_save(FOLDER, FILE)"));
    }
  }
}

TEST(Checkpoint, SaysWhatMakesAFileOfThePartsOfManyProcesses) {
  const TemporaryFolder folder;
  const std::string path = folder.file("part.safetensors");
  const auto refusalOf = [&](const std::string& name, const torch::Tensor& tensor) {
    StateDict state;
    state.insert(name, tensor);
    writeSafetensors(path, state, {});
    return test::messageOf<CheckpointError>([&] { readCheckpoint(path); });
  };
  for (const char* name : {"_fsdp_wrapped_module._flat_param", "module.flat_param"}) {
    EXPECT_THAT(refusalOf(name, torch::ones({9})), HasSubstr("FULL_STATE_DICT"));
  }
  EXPECT_THAT(refusalOf("blocks.0.weight", torch::ones({0})), HasSubstr("zero_to_fp32.py"));
  EXPECT_EQ(refusalOf("blocks.0.weight", torch::ones({1})), "");
}

TEST(StateDict, ReplacesWhatHadTheName) {
  StateDict state;
  state.insert("a", torch::zeros({2}));
  state.insert("b", torch::zeros({3}));
  state.insert("a", torch::ones({4}));
  ASSERT_EQ(state.size(), 2u);
  EXPECT_EQ(state.entries()[0].name, "a");
  EXPECT_EQ(state.find("a")->numel(), 4);
  EXPECT_EQ(state.find("c"), nullptr);
}

}  // namespace
}  // namespace softscope
