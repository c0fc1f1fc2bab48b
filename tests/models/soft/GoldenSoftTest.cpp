#include "core/Error.h"
#include "core/network/Inspector.h"
#include "models/OpenModel.h"
#include "tests/models/Golden.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace softscope {
namespace {

/// Parity with outputs of the authors' code, on a picture that is not square.
class GoldenSoftTest : public ::testing::TestWithParam<const char*> {
 protected:
  Golden golden_{GetParam(), {.attention = GetParam()}};
};

TEST_P(GoldenSoftTest, Logits) {
  expectLogits(golden_);
}

TEST_P(GoldenSoftTest, EveryStoredRowOfEveryLayer) {
  expectAttention(golden_);
}

TEST_P(GoldenSoftTest, BottleneckMatricesAndTheirInverses) {
  EXPECT_EQ(expectBottlenecks(golden_), 4);
}

INSTANTIATE_TEST_SUITE_P(Soft, GoldenSoftTest, ::testing::Values("soft", "soft_norm"));

TEST(GaussianSoft, IsTheExactKernelOfTheScaledQueries) {
  const Golden golden("soft", {.attention = "gaussian"});
  EXPECT_TRUE(golden.model->summary().counterfactual);
  const LayerInspection& layer = golden.inspection->layers.front();
  EXPECT_EQ(layer.attention->description().mechanism, "gaussian");
  const Vector row = layer.attention->row(0, 5);
  EXPECT_FLOAT_EQ(row[5], 1.0f);
  EXPECT_GE(row.minCoeff(), 0.0f);
  EXPECT_LE(row.maxCoeff(), 1.0f);
  EXPECT_TRUE(row.isApprox(layer.attention->column(0, 5), 1e-5f));

  // The first layer's queries do not depend on the mechanism, so the published code's Q tells the
  // kernel: before its division by d^(1/4), d = 8.
  const FloatArray query = readNpy(golden.path("block1_0_att_mha_attn.q.npy"));
  const Eigen::Map<const Matrix> q(query.values.data(), query.shape[1], query.shape[2]);
  const double expected = std::exp(-(q.row(5) - q.row(77)).cast<double>().squaredNorm() /
                                   (2 * std::sqrt(static_cast<double>(query.shape[2]))));
  EXPECT_NEAR(row[77], expected, 1e-5);
}

TEST(SoftNetwork, RefusesPicturesWithoutALandmark) {
  const auto model = openModel({.path = goldenPath("soft/checkpoint.pth")});
  const InputTensor tiny{28, 64, std::vector<float>(3 * 28 * 64)};
  EXPECT_THROW(inspect(*model, tiny), InspectionError);
  const InputTensor smallest{29, 29, std::vector<float>(3 * 29 * 29)};
  EXPECT_NO_THROW(inspect(*model, smallest));
}

TEST(Inspector, StopsWhenAsked) {
  const auto model = openModel({.path = goldenPath("soft/checkpoint.pth")});
  int reports = 0;
  Progress* asked = nullptr;
  Progress progress([&](double, const std::string&) {
    if (++reports == 3) asked->cancel();
  });
  asked = &progress;
  const InputTensor input{64, 64, std::vector<float>(3 * 64 * 64)};
  EXPECT_THROW(inspect(*model, input, progress), Cancelled);
  EXPECT_EQ(reports, 3);
}

}  // namespace
}  // namespace softscope
