#include "core/Error.h"
#include "core/network/Inspector.h"
#include "models/attention/NystromformerAttention.h"
#include "models/t2t/T2tNetwork.h"
#include "tests/core/ErrorMessage.h"
#include "tests/models/Golden.h"
#include "tests/models/vit/SmallVit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>

namespace softscope {
namespace {

using ::testing::HasSubstr;

struct TokenModules {
  const char* folder;
  const char* mechanism;
  int bottlenecks;
};

/// Parity with outputs of the authors' code, with each kind of token module.
class GoldenT2tTest : public ::testing::TestWithParam<TokenModules> {
 protected:
  Golden golden_{GetParam().folder, {.attention = GetParam().mechanism}};
};

TEST_P(GoldenT2tTest, Logits) {
  expectLogits(golden_);
}

TEST_P(GoldenT2tTest, EveryRowOfEveryLayer) {
  expectAttention(golden_);
  const int sides[] = {16, 8, 4, 4};
  for (std::size_t i = 0; i < golden_.inspection->layers.size(); ++i) {
    const AttentionDescription& description =
        golden_.inspection->layers[i].attention->description();
    EXPECT_EQ(description.mechanism, i < 2 ? GetParam().mechanism : "softmax");
    EXPECT_EQ(description.prefixTokens, i < 2 ? 0 : 1);
    EXPECT_EQ(description.queryGrid, (TokenGrid{sides[i], sides[i]}));
    EXPECT_EQ(golden_.inspection->layers[i].queryL1.cols(), description.queries);
  }
}

TEST_P(GoldenT2tTest, BottleneckMatricesAndTheirInverses) {
  EXPECT_EQ(expectBottlenecks(golden_), GetParam().bottlenecks);
}

INSTANTIATE_TEST_SUITE_P(T2t, GoldenT2tTest,
                         ::testing::Values(TokenModules{"t2t_performer", "performer", 0},
                                           TokenModules{"t2t_transformer", "softmax", 0},
                                           TokenModules{"t2t_nystromformer", "nystromformer", 2}),
                         [](const auto& parameters) {
                           return std::string(parameters.param.mechanism);
                         });

TEST(GoldenT2t, PositionsAreResizedToOtherSquares) {
  const Golden golden("t2t_performer");
  const InputTensor larger{112, 112, std::vector<float>(3 * 112 * 112, 0.5f)};
  const auto inspection = inspect(*golden.model, larger);
  EXPECT_EQ(inspection->layers.back().attention->description().queryGrid, (TokenGrid{7, 7}));
  EXPECT_EQ(inspection->logits.size(), 10u);
}

TEST(GoldenT2t, EveryPerformerRowHasItsOwnSmallSum) {
  // The golden features are so small that the 1e-8 added to their sums decides: rows add up to
  // between 1e-18 and 0.1, which a comparison with the largest entry of all would not see.
  const Golden golden("t2t_performer");
  const AttentionMap& map = *golden.inspection->layers.front().attention;
  const FloatArray expected = readNpy(golden.path("tokens_to_token_attention1.npy"));
  const Eigen::Map<const Matrix> matrix(expected.values.data(), expected.shape[1],
                                        expected.shape[2]);
  for (int query = 0; query < map.description().queries; ++query) {
    const double sum = matrix.row(query).cast<double>().sum();
    EXPECT_NEAR(map.row(0, query).cast<double>().sum(), sum, 1e-3 * sum) << query;
  }
}

class LastRecord final : public Recorder {
 public:
  void record(AttentionRecord record) override { last = std::move(record); }
  AttentionRecord last;
};

TEST(T2tTokens, PerformersEqualFeaturesAttendEvenly) {
  const torch::NoGradGuard noGradient;
  T2tTokens tokens(T2tTokenOptions{.name = "tokens", .inputs = 147});
  for (torch::Tensor parameter : tokens->parameters()) parameter.zero_();
  tokens->named_parameters()["w"].normal_();
  LastRecord recorder;
  tokens->forward(torch::randn({1, 20, 147}), {4, 5}, &recorder);
  const auto& factors = std::get<FactorTensors>(recorder.last.map);
  const torch::Tensor map = at::matmul(factors.left, factors.right.transpose(-1, -2));
  EXPECT_TRUE(at::allclose(map, torch::full({1, 20, 20}, 0.05f)));
}

std::string refusal(const T2tNetwork& network, int height, int width) {
  return test::messageOf<InspectionError>([&] { network.checkInputSize(height, width); });
}

TEST(T2tNetwork, TakesSquaresThatHaveEnoughTokens) {
  T2tConfiguration configuration{.backbone = smallVit(), .mechanism = T2tMechanism::Nystromformer};
  const T2tNetwork nystromformer(configuration);
  EXPECT_EQ(refusal(nystromformer, 224, 224), "");
  EXPECT_EQ(refusal(nystromformer, 59, 59), "");
  EXPECT_THAT(refusal(nystromformer, 58, 58), HasSubstr("59 x 59"));
  EXPECT_THAT(refusal(nystromformer, 224, 256), HasSubstr("square"));
  configuration.mechanism = T2tMechanism::Performer;
  const T2tNetwork performer(configuration);
  EXPECT_EQ(refusal(performer, 3, 3), "");
  EXPECT_THAT(refusal(performer, 2, 2), HasSubstr("3 x 3"));
}

TEST(Nystromformer, LandmarksAreMeansOfRunsOfWhichTheLastAreLonger) {
  // 11 tokens, 4 landmarks: one run of two tokens, then three of three.
  const torch::Tensor tokens = at::arange(11, torch::kFloat32).view({1, 1, 11, 1});
  const torch::Tensor expected = torch::tensor({0.5f, 3.f, 6.f, 9.f}).view({1, 1, 4, 1});
  EXPECT_TRUE(at::allclose(meansOfRuns(tokens, 4), expected));
  EXPECT_TRUE(meansOfRuns(tokens, 11).equal(tokens));
}

TEST(Nystromformer, EachHeadIsInvertedByItself) {
  torch::manual_seed(3);
  const torch::Tensor kernels = (3 * torch::randn({1, 2, 8, 8})).softmax(-1);
  const torch::Tensor both = invertNystromformer(kernels);
  const torch::Tensor second = invertNystromformer(kernels.slice(1, 1, 2));
  EXPECT_TRUE(at::allclose(both.slice(1, 1, 2), second, 1e-4, 1e-5));
}

}  // namespace
}  // namespace softscope
