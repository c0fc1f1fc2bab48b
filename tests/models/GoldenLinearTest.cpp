#include "core/analysis/spectrum/Spectrum.h"
#include "core/attention/AttentionMap.h"
#include "core/attention/ProductMap.h"
#include "core/network/Inspector.h"
#include "models/OpenModel.h"
#include "tests/models/Golden.h"
#include "tests/models/UnpackedArchive.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace softscope {
namespace {

const test::UnpackedArchive& unpackedLinear() {
  static const test::UnpackedArchive archive("linear.zip");
  return archive;
}

struct LinearCase {
  const char* name;
  const char* family;
  ModelRequest request = {};
  /// Settings that neither the file nor the request tells.
  std::vector<std::string> guesses = {};
};

void PrintTo(const LinearCase& one, std::ostream* out) {
  *out << one.name;
}

/// Every case of the archive.
const std::vector<LinearCase>& linearCases() {
  static const std::vector<LinearCase> cases{
      {"circulant_deit", "ca_deit", {}, {"act_layer", "norm_eps"}},
      {"lra_linear", "lra", {.attention = "elu"}, {"heads", "pooling_mode"}},
      {"lra_linformer", "lra", {}, {"pooling_mode"}},
      {"lra_nystrom", "lra", {.landmarks = {.count = 7}}, {"pooling_mode"}},
      {"lra_performer", "lra", {}, {"pooling_mode", "kernel_type", "key_maximum"}},
      {"lra_softmax", "lra", {}, {"attention", "heads", "pooling_mode"}},
      {"mhla_deit", "mhla_deit", {}, {"act_layer", "norm_eps"}},
      {"swiftformer", "swiftformer", {}, {"act_layer", "down_stride", "down_pad"}},
      {"vig", "vig", {}, {"activation", "MODEL.VIG.USE_ACT_IN_PATCH"}},
      {"vim", "vim", {}, {"use_middle_cls_token", "if_divide_out", "if_bidirectional"}},
      {"vmamba", "vmamba"},
      {"vmamba_v0", "vmamba"},
      {"vrwkv", "vrwkv", {}, {"post_norm", "channel_gamma", "shift_pixel"}},
      {"vssd", "vssd"},
  };
  return cases;
}

/// Parity with the published code of networks that attend without a softmax.
class GoldenLinearTest : public ::testing::TestWithParam<LinearCase> {
 protected:
  static Golden golden() {
    return Golden(unpackedLinear().folder(GetParam().name), GetParam().request);
  }
};

TEST_P(GoldenLinearTest, OutputAndEveryRowOfEveryLayer) {
  const Golden expected = golden();
  expectLogits(expected);
  expectAttention(expected);
}

TEST_P(GoldenLinearTest, ColumnsAndBlocksAreThoseOfRows) {
  const Golden expected = golden();
  for (const LayerInspection& layer : expected.inspection->layers) {
    SCOPED_TRACE(layer.name);
    const AttentionMap& map = *layer.attention;
    const int queries = map.description().queries;
    const int keys = map.description().keys;
    for (int head = 0; head < map.description().heads; ++head) {
      const Matrix whole = map.block(head, 0, 0, queries, keys);
      const float largest = whole.cwiseAbs().maxCoeff();
      for (const int key : {0, keys / 2, keys - 1}) {
        EXPECT_LT((map.column(head, key) - whole.col(key)).cwiseAbs().maxCoeff(), 1e-5 * largest);
      }
      const Vector last = map.row(head, queries - 1);
      EXPECT_LT((last - whole.row(queries - 1).transpose()).cwiseAbs().maxCoeff(), 1e-5 * largest);
    }
  }
}

TEST_P(GoldenLinearTest, SaysWhatItIsAndGuessesOnlyWhatNothingTells) {
  expectSummary(golden(), GetParam().family, GetParam().guesses);
}

/// Expects stored rows of channels, [channels, queries, keys], to be those of their mean times a
/// factor each, as where all channels have one vector of weights in common.
void expectMultiplesOfRows(const AttentionMap& mean, const FloatArray& stored) {
  const auto queries = static_cast<std::size_t>(stored.shape.at(1));
  const auto keys = static_cast<std::size_t>(stored.shape.at(2));
  ASSERT_EQ(keys, static_cast<std::size_t>(mean.description().keys));
  for (std::size_t i = 0; i * keys < stored.values.size(); ++i) {
    const Vector row = rowInSequence(mean, 0, static_cast<int>(i % queries));
    const Eigen::Map<const Vector> expected(stored.values.data() + i * keys, Eigen::Index(keys));
    const float factor = expected.dot(row) / row.squaredNorm();
    EXPECT_LT((factor * row - expected).norm(), 1e-4 * expected.norm()) << i;
  }
}

/// Each channel's own map, in the order of the network's sequence, against the stored ones.
TEST_P(GoldenLinearTest, ChannelsHaveTheirOwnMaps) {
  const Golden expected = golden();
  if (!expected.meta.contains("channels")) {
    for (const LayerInspection& layer : expected.inspection->layers) {
      EXPECT_EQ(layer.attention->description().meanOfChannels, 0) << layer.name;
    }
    return;
  }
  const nlohmann::json& stored = expected.meta.at("channels");
  const LayerInspection* layer = expected.inspection->find(stored.at("layer").get<std::string>());
  ASSERT_NE(layer, nullptr);
  EXPECT_GT(layer->attention->description().meanOfChannels, 0);
  const auto* map = dynamic_cast<const ChannelMeanMap*>(layer->attention.get());
  const FloatArray values = readNpy(expected.path(stored.at("file").get<std::string>()));
  ASSERT_EQ(map == nullptr, std::string(GetParam().name) == "swiftformer")
      << "only there, the mean has factors and channels have no maps";
  if (map == nullptr) return expectMultiplesOfRows(*layer->attention, values);
  const auto channels = stored.at("index").get<std::vector<int>>();
  const int tokens = map->description().queries;
  std::vector<float> actual;
  for (int head = 0; head < map->description().heads; ++head) {
    for (const int channel : channels) {
      const auto one = map->ofChannel(channel);
      for (int place = 0; place < tokens; ++place) {
        const Vector row = rowInSequence(*one, head, place);
        actual.insert(actual.end(), row.data(), row.data() + row.size());
      }
    }
  }
  EXPECT_LT(difference(actual, values), 1e-4);
}

std::string linearCaseName(const ::testing::TestParamInfo<LinearCase>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Linear, GoldenLinearTest, ::testing::ValuesIn(linearCases()),
                         linearCaseName);

/// A scan's matrix is triangular in the order of the scan, whatever order its tokens are shown in.
TEST(GoldenLinear, EigenvaluesOfVimsScansAreTheirDiagonals) {
  const Golden golden(unpackedLinear().folder("vim"));
  // Dense, and beyond the limit for it.
  for (const SpectrumOptions& options :
       {SpectrumOptions{}, SpectrumOptions{.denseTokens = 20, .denseEigenvalueTokens = 20}}) {
    for (const LayerInspection& layer : golden.inspection->layers) {
      for (int head = 0; head < layer.attention->description().heads; ++head) {
        SCOPED_TRACE(layer.name + ", head " + std::to_string(head));
        const Matrix whole = layer.attention->whole(head, std::size_t{1} << 24);
        const Vector magnitudes = whole.diagonal().cwiseAbs();
        std::vector<double> expected(magnitudes.begin(), magnitudes.end());
        std::ranges::sort(expected, std::ranges::greater{});
        const Eigenvalues found = *attentionSpectrum(*layer.attention, head, options).eigenvalues;
        ASSERT_EQ(found.values.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
          EXPECT_NEAR(found.values[i], expected[i], 1e-5 * expected.front());
        }
        EXPECT_EQ(countSigns(found).negative, (whole.diagonal().array() < -found.rounding).count());
      }
    }
  }
}

TEST(GoldenLinear, HasEveryCase) {
  std::vector<std::string> listed;
  for (const LinearCase& one : linearCases()) listed.emplace_back(one.name);
  const std::set<std::string>& found = unpackedLinear().cases();
  EXPECT_EQ(std::vector<std::string>(found.begin(), found.end()), listed);
}

}  // namespace
}  // namespace softscope
