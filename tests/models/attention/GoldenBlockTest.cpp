#include "core/array/NpyFormat.h"
#include "core/files/ZipArchive.h"
#include "models/attention/EluAttention.h"
#include "models/attention/LinformerAttention.h"
#include "models/attention/NystromformerAttention.h"
#include "models/attention/PerformerAttention.h"
#include "tests/models/Golden.h"
#include "tests/models/attention/LastLayerRecorder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

/// A single mechanism's inputs and outputs, as the authors' code computes them.
class Block {
 public:
  explicit Block(const std::string& name)
      : archive_(goldenPath("blocks/" + name + ".npz"), std::uint64_t{1} << 24) {}

  /// Each may be read once.
  FloatArray array(const std::string& name) {
    return decodeNpy(archive_.readWhole(archive_.find(name + ".npy").value()));
  }

  torch::Tensor tensor(const std::string& name) {
    FloatArray read = array(name);
    return torch::from_blob(read.values.data(), read.shape).clone();
  }

 private:
  ZipArchive archive_;
};

void expectOutput(Block& block, const torch::Tensor& output) {
  EXPECT_LT(difference(valuesOf(output), block.array("output")), 1e-4);
}

void expectAttention(Block& block, const LastLayerRecorder& recorded) {
  EXPECT_LT(difference(rowsOf(*recorded.layer().attention), block.array("attention")), 1e-4);
}

TEST(GoldenBlock, Performer) {
  Block block("performer_favor_plus");
  const torch::Tensor projection = block.tensor("projection");
  EXPECT_EQ(projection.size(0), performerFeatures(32));
  LastLayerRecorder recorded;
  expectOutput(block, performerAttention(block.tensor("q"), block.tensor("k"), block.tensor("v"),
                                         projection, "layer", {}, &recorded));
  expectAttention(block, recorded);
  EXPECT_EQ(recorded.layer().attention->description().mechanism, "performer");
}

TEST(GoldenBlock, Linformer) {
  Block block("linformer");
  const torch::Tensor value = block.tensor("v");
  LastLayerRecorder recorded;
  const torch::Tensor output = linformerAttention(block.tensor("q"), block.tensor("k"), value,
                                                  block.tensor("E"), "layer", {}, &recorded);
  const FloatArray expected = block.array("output");
  EXPECT_LT(difference(valuesOf(output), expected), 1e-4);
  // The file has no attention; what multiplies V is told by the output.
  const AttentionMap& map = *recorded.layer().attention;
  std::vector<float> rows = rowsOf(map);
  const torch::Tensor attention = torch::from_blob(rows.data(), {1, 4, 60, 60});
  EXPECT_LT(difference(valuesOf(at::matmul(attention, value)), expected), 1e-4);
  EXPECT_EQ(map.description().mechanism, "linformer");
  EXPECT_EQ(map.description().landmarks, 16);
}

TEST(GoldenBlock, NystromformerOfBothStarts) {
  for (const auto& [name, start] : {std::pair{"nystromformer_exact", NystromformerStart::Exact},
                                    {"nystromformer_original", NystromformerStart::Original}}) {
    SCOPED_TRACE(name);
    Block block(name);
    const torch::Tensor query = block.tensor("q");
    const torch::Tensor key = block.tensor("k");
    LastLayerRecorder recorded;
    expectOutput(block, nystromformerAttention({.query = query,
                                                .key = key,
                                                .value = block.tensor("v"),
                                                .queryLandmarks = meansOfRuns(query, 12),
                                                .keyLandmarks = meansOfRuns(key, 12),
                                                .scale = 1 / std::sqrt(32.0),
                                                .start = start},
                                               "layer", {}, &recorded));
    expectAttention(block, recorded);
    EXPECT_EQ(recorded.layer().attention->description().landmarks, 12);
  }
}

TEST(GoldenBlock, TheTwoStartsDiffer) {
  Block exact("nystromformer_exact");
  Block original("nystromformer_original");
  ASSERT_EQ(exact.array("q").values, original.array("q").values);
  EXPECT_GT(difference(exact.array("output").values, original.array("output")), 1e-3);
}

TEST(GoldenBlock, UnnormalisedElu) {
  Block block("linear_elu_unnormalised");
  LastLayerRecorder recorded;
  expectOutput(block, eluAttention(block.tensor("q"), block.tensor("k"), block.tensor("v"), "layer",
                                   {}, &recorded));
  expectAttention(block, recorded);
  EXPECT_EQ(recorded.layer().attention->description().mechanism, "elu");
}

}  // namespace
}  // namespace softscope
