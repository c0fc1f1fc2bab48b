#include "models/attention/PerformerAttention.h"
#include "models/pyramid/PyramidConfiguration.h"
#include "tests/models/Golden.h"
#include "tests/models/attention/DirectAttention.h"
#include "tests/models/attention/LastLayerRecorder.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace softscope {
namespace {

constexpr int heads = 2;
constexpr int width = 8;

const std::vector<std::string> pyramidNames{
    "softmax",           "linformer", "performer", "nystromformer", "sima",           "sima_l2",
    "sima_unnormalised", "elu",       "efficient", "cosformer",     "cosformer_plain"};

PyramidAttentionOptions options(const std::string& mechanism, int ratio) {
  return {.name = "block1.0.att.mha.attn",
          .channels = heads * width,
          .heads = heads,
          .ratio = ratio,
          .features = performerFeatures(width),
          .implementation = findPyramidMechanism(mechanism)};
}

std::shared_ptr<PyramidKernel> kernelOf(const PyramidAttentionOptions& options) {
  return options.implementation->makeKernel(options);
}

/// Fills parameters and buffers with random numbers.
void randomiseAttention(torch::nn::Module& module, double deviation) {
  const torch::NoGradGuard noGradient;
  for (torch::Tensor& parameter : module.parameters()) parameter.normal_(0, deviation);
  for (torch::Tensor& buffer : module.buffers()) buffer.normal_();
}

Eigen::MatrixXd doubleMatrix(const torch::Tensor& tensor) {
  const torch::Tensor values = tensor.to(torch::kDouble).contiguous();
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(values.data_ptr<double>(), values.size(0), values.size(1));
}

struct Layout {
  TokenGrid grid;
  int ratio;
};

class PyramidKernelTest : public ::testing::TestWithParam<std::tuple<std::string, Layout>> {
 protected:
  PyramidKernelTest() : kernel_(kernelOf(options(mechanism(), layout().ratio))) {
    at::manual_seed(11);
    randomiseAttention(*kernel_, 0.5);
    const int n = layout().grid.count();
    query_ = at::randn({1, heads, n, width});
    key_ = at::randn({1, heads, n, width});
    value_ = at::randn({1, heads, n, width});
  }

  const std::string& mechanism() const { return std::get<0>(GetParam()); }
  const Layout& layout() const { return std::get<1>(GetParam()); }

  /// Every head's matrix in float64, as a stored array would hold it, and times V.
  std::pair<std::vector<float>, std::vector<float>> evaluate() {
    std::pair<std::vector<float>, std::vector<float>> direct;
    for (int head = 0; head < heads; ++head) {
      DirectHead one{doubleMatrix(query_[0][head]),
                     doubleMatrix(key_[0][head]),
                     layout().grid,
                     layout().ratio,
                     {},
                     {}};
      if (mechanism() == "linformer") one.filter = doubleMatrix(kernel_->parameters()[0][head][0]);
      if (mechanism() == "performer") one.projection = doubleMatrix(kernel_->buffers()[0]);
      const Eigen::MatrixXd rows = directAttention(mechanism(), one);
      append(rows, direct.first);
      append(rows * doubleMatrix(value_[0][head]), direct.second);
    }
    return direct;
  }

  static void append(const Eigen::MatrixXd& matrix, std::vector<float>& values) {
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
      for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
        values.push_back(static_cast<float>(matrix(i, j)));
      }
    }
  }

  std::shared_ptr<PyramidKernel> kernel_;
  torch::Tensor query_;
  torch::Tensor key_;
  torch::Tensor value_;
};

TEST_P(PyramidKernelTest, RowsAndOutputEqualTheFormulaInFloat64) {
  const torch::NoGradGuard noGradient;
  LastLayerRecorder recorded;
  const torch::Tensor output = kernel_->forward(query_, key_, value_, layout().grid, &recorded);
  const auto [attention, attended] = evaluate();
  EXPECT_LT(difference(rowsOf(*recorded.layer().attention), {{}, attention}), 2e-5);
  EXPECT_LT(difference(valuesOf(output), {{}, attended}), 2e-5);
  EXPECT_TRUE(at::equal(kernel_->forward(query_, key_, value_, layout().grid, nullptr), output));
}

TEST_P(PyramidKernelTest, SaysWhatItsRowsAndColumnsAre) {
  const torch::NoGradGuard noGradient;
  LastLayerRecorder recorded;
  kernel_->forward(query_, key_, value_, layout().grid, &recorded);
  const LayerInspection& layer = recorded.layer();
  const AttentionDescription& description = layer.attention->description();
  EXPECT_EQ(layer.name, "block1.0.att.mha.attn");
  EXPECT_EQ(description.mechanism, mechanism());
  EXPECT_EQ(description.heads, heads);
  EXPECT_EQ(description.queries, layout().grid.count());
  EXPECT_EQ(description.queryGrid, layout().grid);
  EXPECT_EQ(description.keyGrid, layout().grid);
  EXPECT_EQ(description.prefixTokens, 0);
  const bool landmarks = mechanism() == "linformer" || mechanism() == "nystromformer";
  EXPECT_EQ(description.landmarks.has_value(), landmarks);
  EXPECT_EQ(description.landmarkGrid.has_value(), landmarks);
  if (landmarks) {
    const TokenGrid grid{layout().grid.height / layout().ratio,
                         layout().grid.width / layout().ratio};
    EXPECT_EQ(description.landmarkGrid, grid);
    EXPECT_EQ(description.landmarks, grid.count());
  }
  EXPECT_EQ(layer.bottleneck.size(), mechanism() == "nystromformer" ? heads : 0u);
  EXPECT_EQ(layer.bottleneckInverse.size(), layer.bottleneck.size());
  const torch::Tensor last = query_[0][1][2].abs();
  const torch::Tensor& queries = query_[0][1];
  const torch::Tensor normed = mechanism() == "sima"      ? last / queries.abs().sum(0)
                               : mechanism() == "sima_l2" ? last / queries.square().sum(0).sqrt()
                                                          : last;
  const float sum = normed.sum().item<float>();
  EXPECT_NEAR(layer.queryL1(1, 2), sum, 1e-4 * sum);
}

// 35 tokens of which windows of 2 x 2 leave out a row and a column; and 6, fewer than the factors'
// columns of all but softmax, Linformer and Nyströmformer.
INSTANTIATE_TEST_SUITE_P(Mechanisms, PyramidKernelTest,
                         ::testing::Combine(::testing::ValuesIn(pyramidNames),
                                            ::testing::Values(Layout{{5, 7}, 2}, Layout{{2, 3}, 2},
                                                              Layout{{7, 4}, 3})));

class PyramidTrainingTest : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr TokenGrid grid{4, 6};

  PyramidTrainingTest() : attention_(options(GetParam(), 2)) {
    at::manual_seed(12);
    randomiseAttention(*attention_, 0.3);
  }

  PyramidAttention attention_;
};

TEST_P(PyramidTrainingTest, ABatchIsItsPicturesOneByOne) {
  const torch::NoGradGuard noGradient;
  const torch::Tensor tokens = at::randn({3, grid.count(), heads * width});
  const torch::Tensor together = attention_->forward(tokens, grid, nullptr);
  for (int i = 0; i < 3; ++i) {
    const torch::Tensor alone = attention_->forward(tokens.slice(0, i, i + 1), grid, nullptr);
    EXPECT_TRUE(at::allclose(alone[0], together[i], 1e-4, 1e-5)) << "picture " << i;
  }
}

TEST_P(PyramidTrainingTest, GradientsAreTheSlopesOfTheLoss) {
  attention_->to(torch::kDouble);
  const torch::Tensor tokens = at::randn({2, grid.count(), heads * width}, torch::kDouble);
  const torch::Tensor weights = at::randn_like(tokens);
  const auto loss = [&] { return (attention_->forward(tokens, grid, nullptr) * weights).sum(); };
  loss().backward();
  for (const auto& parameter : attention_->named_parameters()) {
    SCOPED_TRACE(parameter.key());
    torch::Tensor values = parameter.value();
    const torch::Tensor gradient = values.grad();
    ASSERT_TRUE(gradient.defined());
    const torch::NoGradGuard noGradient;
    const torch::Tensor direction = at::randn_like(values);
    const double step = 1e-6;
    values.add_(direction, step);
    const double above = loss().item<double>();
    values.sub_(direction, 2 * step);
    const double below = loss().item<double>();
    values.add_(direction, step);
    const double slope = (gradient * direction).sum().item<double>();
    // A softmax over keys does not feel the keys' bias, and its slope is zero.
    const double tolerance = 1e-5 * gradient.norm().item<double>() + 1e-7;
    EXPECT_NEAR((above - below) / (2 * step), slope, tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, PyramidTrainingTest, ::testing::ValuesIn(pyramidNames),
                         [](const auto& test) { return test.param; });

TEST(CosformerAttention, AQueryWithoutAPositiveChannelAttendsToNothing) {
  const auto kernel = kernelOf(options("cosformer", 1));
  torch::Tensor query = at::randn({1, heads, 6, width});
  query[0][0][4].fill_(-1);
  const torch::Tensor key = at::randn({1, heads, 6, width});
  LastLayerRecorder recorded;
  const torch::Tensor output = kernel->forward(query, key, key, {2, 3}, &recorded);
  EXPECT_TRUE(output.isfinite().all().item<bool>());
  EXPECT_FLOAT_EQ(recorded.layer().attention->row(0, 4).norm(), 0);
  EXPECT_NEAR(recorded.layer().attention->row(0, 3).sum(), 1, 1e-5);
}

TEST(PerformerAttention, RandomFeaturesAreOrthogonalInBlocksOfTheWidth) {
  constexpr int features = 110;
  const torch::Tensor projection =
      orthogonalRandomFeatures(features, 32, at::detail::createCPUGenerator(13));
  ASSERT_EQ(projection.sizes(), (std::vector<std::int64_t>{features, 32}));
  const torch::Tensor lengths = projection.norm(2, {1}, true);
  const torch::Tensor cosines = at::matmul(projection / lengths, (projection / lengths).t());
  for (int first = 0; first < features; first += 32) {
    const int last = std::min(features, first + 32);
    const torch::Tensor block = cosines.slice(0, first, last).slice(1, first, last);
    EXPECT_TRUE(at::allclose(block, at::eye(last - first), 0, 1e-5));
  }
  EXPECT_GT(cosines.slice(0, 0, 32).slice(1, 32, 64).abs().max().item<float>(), 0.1f);
  // Lengths of Gaussian vectors: sqrt(32) on average, and not all the same.
  EXPECT_NEAR(lengths.mean().item<float>(), std::sqrt(32.0), 0.4);
  EXPECT_GT(lengths.std().item<float>(), 0.3f);
}

TEST(PerformerAttention, HasFloorOfDLnDFeatures) {
  EXPECT_EQ(performerFeatures(32), 110);
  EXPECT_EQ(performerFeatures(64), 266);
  EXPECT_EQ(performerFeatures(1), 1);
}

}  // namespace
}  // namespace softscope
