#include "core/checkpoint/Checkpoint.h"
#include "tests/core/checkpoint/HostileFiles.h"
#include "tests/core/checkpoint/TestFiles.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace softscope {
namespace {

using testing::ElementsAre;

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
  writeBytes(path, readBytes(fixture("types.pth")));
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
