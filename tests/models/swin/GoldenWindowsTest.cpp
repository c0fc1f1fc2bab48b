#include "core/Error.h"
#include "core/attention/BlockMap.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/network/Inspector.h"
#include "core/network/Measurements.h"
#include "core/network/NetworkModule.h"
#include "core/network/NetworkRun.h"
#include "models/OpenModel.h"
#include "tests/models/Golden.h"
#include "tests/models/KeptTerms.h"
#include "tests/models/UnpackedArchive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace softscope {
namespace {

const test::UnpackedArchive& unpackedWindows() {
  static const test::UnpackedArchive archive("windows.zip");
  return archive;
}

struct WindowsCase {
  const char* name;
  /// The options that say what neither the file nor those beside it tell.
  std::vector<std::string> guesses = {};
};

void PrintTo(const WindowsCase& one, std::ostream* out) {
  *out << one.name;
}

/// Every case of the archive.
const std::vector<WindowsCase>& windowsCases() {
  static const std::vector<WindowsCase> cases{
      {"authors_swin", {"activation", "epsilon", "MODEL.SWIN.QK_SCALE"}},
      {"authors_swinv2", {"activation", "epsilon"}},
      {"hf_swin"},
      {"hf_swin_absolute"},
      {"hf_swin_backbone"},
      {"hf_swin_memory"},
      {"hf_swinv2"},
      {"hf_swinv2_backbone"},
      {"hf_swinv2_pretrained"},
      {"hf_swinv2_small"},
      {"timm_swin"},
      {"timm_swin_bare", {"activation", "epsilon", "pooling", "always_partition"}},
      {"timm_swin_dynamic"},
      {"timm_swin_partition"},
      {"timm_swin_shrunk"},
      {"timm_swin_stages"},
      {"timm_swinv2"},
      {"timm_swinv2_named",
       {"activation", "epsilon", "pooling", "window", "pretrained_window_sizes",
        "always_partition"}},
      {"timm_swinv2_pretrained"},
      {"timm_swinv2_stages"},
      {"tv_swin", {"activation", "epsilon"}},
      {"tv_swin_oblong", {"activation", "epsilon"}},
      {"tv_swin_patch8", {"activation", "epsilon"}},
      {"tv_swinv2", {"activation", "epsilon"}},
      {"tv_swinv2_oblong", {"activation", "epsilon"}},
  };
  return cases;
}

/// Parity of Swin and Swin V2 with timm, torchvision and Hugging Face's library, with windows and
/// pictures of all kinds of sizes.
class GoldenWindowsTest : public ::testing::TestWithParam<WindowsCase> {
 protected:
  static std::string path() { return unpackedWindows().folder(GetParam().name); }
};

TEST_P(GoldenWindowsTest, OutputAndEveryRowOfEveryLayer) {
  expectParity(Golden(path()));
}

TEST_P(GoldenWindowsTest, OtherSize) {
  if (!std::filesystem::exists(path() + "/other_size")) {
    GTEST_SKIP() << "the published code computes one size";
  }
  expectParity(Golden(path() + "/other_size"));
}

TEST_P(GoldenWindowsTest, MapsAreOfWindowsWhoseRowsLoseOnlyWhatPaddingTakes) {
  for (const std::string size : {"", "/other_size"}) {
    if (!std::filesystem::exists(path() + size)) continue;
    const Golden golden(path() + size);
    for (const LayerInspection& layer : golden.inspection->layers) {
      const auto* map = dynamic_cast<const BlockMap*>(layer.attention.get());
      ASSERT_TRUE(map) << layer.name;
      const AttentionDescription& attention = map->description();
      EXPECT_EQ(attention.mechanism, "softmax_window");
      EXPECT_TRUE(map->hasDisjointKeys());
      EXPECT_EQ(map->blockColumns(),
                attention.parameters.at("window_height") * attention.parameters.at("window_width"));
      const Eigen::VectorXd sums = map->times(0, Eigen::VectorXd::Ones(attention.keys));
      EXPECT_LT(sums.maxCoeff(), 1 + 1e-5) << layer.name;
      const bool isShifted =
          attention.parameters.at("shift_height") > 0 || attention.parameters.at("shift_width") > 0;
      if (map->isPadded()) {
        // A shift may keep the padding apart.
        if (!isShifted) {
          EXPECT_LT(sums.minCoeff(), 1 - 1e-6) << layer.name;
        }
      } else {
        EXPECT_GT(sums.minCoeff(), 1 - 1e-5) << layer.name;
      }
    }
  }
}

TEST_P(GoldenWindowsTest, SaysWhatItIsAndGuessesOnlyWhatNothingTells) {
  expectSummary(Golden(path()), "swin", GetParam().guesses);
}

std::string windowsCaseName(const ::testing::TestParamInfo<WindowsCase>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Windows, GoldenWindowsTest, ::testing::ValuesIn(windowsCases()),
                         windowsCaseName);

TEST(GoldenWindows, HaveEveryCase) {
  std::vector<std::string> listed;
  for (const WindowsCase& one : windowsCases()) listed.emplace_back(one.name);
  const std::set<std::string>& found = unpackedWindows().cases();
  EXPECT_EQ(std::vector<std::string>(found.begin(), found.end()), listed);
}

TEST(PaddedWindows, AddTheBiasOfValuesTimesWhatRowsLackToTheMapTimesValues) {
  const Golden golden(unpackedWindows().folder("timm_swin") + "/other_size");
  test::KeptTerms kept;
  runNetwork(*golden.model, golden.input(), &kept);
  const auto parameters = dynamic_cast<NetworkModule&>(golden.model->network()).named_parameters();
  for (const std::string block : {"layers.0.blocks.0", "layers.0.blocks.1"}) {
    const torch::Tensor& residual = kept.additions.at(block + ".attn").residual;
    const std::int64_t channels = residual.size(1);
    const torch::Tensor input =
        at::layer_norm(residual, {channels}, parameters[block + ".norm1.weight"],
                       parameters[block + ".norm1.bias"], 1e-5);
    const torch::Tensor bias = parameters[block + ".attn.qkv.bias"].slice(0, -channels);
    const torch::Tensor value =
        at::linear(input, parameters[block + ".attn.qkv.weight"].slice(0, -channels), bias);
    const AttentionMap& map = *golden.inspection->find(block + ".attn")->attention;
    const int heads = map.description().heads;
    for (int head = 0; head < heads; ++head) {
      const Matrix whole = map.whole(head, std::size_t{1} << 30);
      const torch::Tensor a =
          torch::from_blob(const_cast<float*>(whole.data()), {whole.rows(), whole.cols()});
      const torch::Tensor lacking = 1 - a.sum(1, true);
      const torch::Tensor expected =
          at::matmul(a, value.chunk(heads, 1)[static_cast<std::size_t>(head)]) +
          lacking * bias.chunk(heads)[static_cast<std::size_t>(head)];
      const torch::Tensor term = kept.all.at(block + ".attn").attention[head];
      EXPECT_LT((term - expected).abs().max().item<double>(),
                1e-4 * expected.abs().max().item<double>());
      if (block.ends_with("0")) {
        EXPECT_GT(lacking.max().item<double>(), 0.01);
      }
    }
  }
}

double normInFloat64(const torch::Tensor& x) {
  return x.to(torch::kFloat64).norm().item<double>();
}

TEST(NormsBehindAttention, ArePartOfWhatEachHeadOfSwinV2Adds) {
  const Golden golden(unpackedWindows().folder("timm_swinv2"));
  test::KeptTerms kept;
  runNetwork(*golden.model, golden.input(), &kept);
  const auto share = measureShare(*golden.model, golden.input(), {.knockouts = false});
  const c10::InferenceMode inference;
  const auto parameters = dynamic_cast<NetworkModule&>(golden.model->network()).named_parameters();
  ASSERT_EQ(share->layers.size(), golden.model->summary().layers.size());
  for (const LayerShare& layer : share->layers) {
    SCOPED_TRACE(layer.layer);
    const std::string block = layer.layer.substr(0, layer.layer.rfind('.'));
    const auto parameter = [&](const std::string& name) {
      return parameters[block + name].to(torch::kFloat64);
    };
    const torch::Tensor weight = parameter(".attn.proj.weight");
    const torch::Tensor terms = kept.all.at(layer.layer).attention.to(torch::kFloat64);
    const torch::Tensor projected =
        at::linear(terms.transpose(0, 1).flatten(1), weight, parameter(".attn.proj.bias"));
    const torch::Tensor deviation = (projected.var(-1, false, true) + 1e-5).sqrt();
    const auto normed = [&](const torch::Tensor& x) {
      return (x - x.mean(-1, true)) / deviation * parameter(".norm1.weight");
    };
    torch::Tensor sum = at::zeros_like(projected);
    const auto heads = static_cast<std::int64_t>(layer.heads.size());
    for (std::int64_t head = 0; head < heads; ++head) {
      const torch::Tensor added = normed(
          at::matmul(terms[head], weight.chunk(heads, 1)[static_cast<std::size_t>(head)].t()));
      const double norm = normInFloat64(added);
      EXPECT_NEAR(layer.heads[static_cast<std::size_t>(head)].projectedNorm, norm, 1e-4 * norm);
      sum = sum + added;
    }
    EXPECT_NEAR(layer.whole.projectedNorm, normInFloat64(sum), 1e-4 * normInFloat64(sum));
    const torch::Tensor output =
        sum + normed(parameter(".attn.proj.bias").expand_as(projected)) + parameter(".norm1.bias");
    const torch::Tensor& recorded = kept.additions.at(layer.layer).output;
    EXPECT_LT((output - recorded).abs().max().item<double>(),
              1e-4 * recorded.abs().max().item<double>());
    EXPECT_NEAR(layer.outputNorm, normInFloat64(output), 1e-4 * normInFloat64(output));
  }
}

/// A copy of the V2 network of Hugging Face without config.json, which tells its window.
class WindowOfSwinV2Test : public ::testing::Test {
 protected:
  WindowOfSwinV2Test() {
    const std::string from = unpackedWindows().folder("timm_swinv2");
    folder_ = from + "/alone";
    std::filesystem::create_directories(folder_);
    std::filesystem::copy_file(from + "/model.safetensors", path(),
                               std::filesystem::copy_options::overwrite_existing);
  }
  ~WindowOfSwinV2Test() override { std::filesystem::remove_all(folder_); }
  std::string path() const { return folder_ + "/model.safetensors"; }

  std::string folder_;
};

TEST_F(WindowOfSwinV2Test, IsAskedForWhereNothingTellsIt) {
  ModelRequest request;
  request.path = path();
  const NetworkSetting guessed = *openModel(request)->summary().setting("window");
  EXPECT_EQ(guessed.value, "8");
  EXPECT_THAT(guessed.why, ::testing::HasSubstr("no weight tells it"));
  request.window = "3";
  const auto model = openModel(request);
  EXPECT_FALSE(model->summary().setting("window")->isUndetermined());
  EXPECT_FALSE(model->summary().counterfactual);
  const Golden golden(unpackedWindows().folder("timm_swinv2"));
  EXPECT_EQ(inspect(*model, golden.input())->logits, golden.inspection->logits);
}

TEST_F(WindowOfSwinV2Test, IsNoChoiceWhereWeightsTellIt) {
  ModelRequest request;
  request.path = unpackedWindows().folder("timm_swin") + "/model.safetensors";
  request.window = "4";
  EXPECT_THROW(openModel(request), ModelError);
}

void expectRefusedSize(const std::string& name, int height, int width, const char* words) {
  const Golden golden(unpackedWindows().folder(name));
  try {
    golden.model->network().checkInputSize(height, width);
    ADD_FAILURE() << name << " takes " << height << " x " << width;
  } catch (const InspectionError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr(words));
  }
}

TEST(SwinSizes, ThatNoLibraryComputesAreRefused) {
  expectRefusedSize("timm_swin", 33, 32, "multiples of its 4-pixel patches");
  // timm makes the table of a smaller window from the larger one's.
  expectRefusedSize("timm_swin", 12, 32, "table of biases is for others");
  expectRefusedSize("hf_swin", 8, 32, "table of biases is for others");
  expectRefusedSize("authors_swin", 40, 24, "does not divide into windows of 3 x 3");
  expectRefusedSize("hf_swin_absolute", 64, 32, "64 positions");
}

/// A Swin of tiny's channels and depths under timm's names, with these windows.
Checkpoint swinOfWindows(const std::vector<int>& windows, const std::string& path) {
  Checkpoint checkpoint;
  checkpoint.path = path;
  const auto add = [&](const std::string& name, const std::vector<std::int64_t>& shape) {
    checkpoint.state.insert(name, torch::zeros({}).expand(shape));
  };
  add("patch_embed.proj.weight", {96, 3, 4, 4});
  std::int64_t channels = 96;
  constexpr int depths[] = {2, 2, 6, 2};
  for (std::size_t s = 0; s < windows.size(); ++s) {
    const std::string blocks = "layers." + std::to_string(s) + ".blocks.";
    for (int b = 1; b < depths[s]; ++b) {
      add(blocks + std::to_string(b) + ".norm1.weight", {channels});
    }
    const std::string block = blocks + "0.";
    const std::int64_t side = 2 * windows[s] - 1;
    add(block + "norm1.weight", {channels});
    add(block + "attn.qkv.weight", {3 * channels, channels});
    add(block + "attn.relative_position_bias_table", {side * side, channels / 32});
    if (s + 1 < windows.size()) channels *= 2;
  }
  add("norm.weight", {channels});
  add("head.fc.weight", {10, channels});
  return checkpoint;
}

TEST(SwinSizes, TheLastGridIsOneWindowUnlessANameSaysOtherwise) {
  const auto sideOf = [](const std::vector<int>& windows, const std::string& path) {
    const InputTransform transform = identifyModel(swinOfWindows(windows, path)).transform;
    EXPECT_EQ(transform.height, transform.width);
    return transform.height;
  };
  EXPECT_EQ(sideOf({7, 7, 7, 7}, "model.pth"), 224);
  EXPECT_EQ(sideOf({12, 12, 12, 12}, "model.pth"), 384);
  EXPECT_EQ(sideOf({7, 7, 14, 7}, "model.pth"), 224) << "Swin S3, tiny and base";
  EXPECT_EQ(sideOf({14, 14, 14, 7}, "model.pth"), 224) << "Swin S3, small";
  EXPECT_EQ(sideOf({7, 7, 14, 7}, "swin_s3_tiny_224.ms_in1k.safetensors"), 224);
  EXPECT_EQ(sideOf({7, 7, 7, 7}, "swin_tiny_patch4_window7_384.pth"), 384);
  EXPECT_EQ(sideOf({7, 7, 7, 7}, "swin_base_patch4_window7_384.pth"), 224) << "of other sizes";
  for (const char* ofTraining : {"swin_epoch_300.pth", "swin_epoch_320.pth", "swin_tiny_2022.pth",
                                 "swin_best-1000.pth", "swin_tiny_epoch_320.pth"}) {
    EXPECT_EQ(sideOf({7, 7, 7, 7}, ofTraining), 224) << ofTraining;
  }
}

TEST(SwinMaps, AreUndefinedInEveryRowOfAWindowWithAnUndefinedToken) {
  const Golden golden(unpackedWindows().folder("timm_swin"));
  InputTensor picture = golden.input();
  picture.values.front() = std::numeric_limits<float>::quiet_NaN();
  const auto inspection = inspect(*golden.model, picture);
  const auto* map = dynamic_cast<const BlockMap*>(inspection->layers.front().attention.get());
  ASSERT_TRUE(map);
  const std::vector<bool> outside = map->queriesOutside(0);
  int inside = 0;
  for (int query = 0; query < map->description().queries; ++query) {
    const bool isInside = !outside[static_cast<std::size_t>(query)];
    inside += isInside ? 1 : 0;
    const std::vector<bool> others = map->keysOutside(query);
    const Vector row = map->row(0, query);
    for (int key = 0; key < map->description().keys; ++key) {
      const bool isUndefined = isInside && !others[static_cast<std::size_t>(key)];
      EXPECT_EQ(std::isnan(row[key]), isUndefined) << query << ", " << key;
    }
  }
  EXPECT_EQ(inside, map->blockRows());
  EXPECT_LT(inside, map->description().queries);
}

}  // namespace
}  // namespace softscope
