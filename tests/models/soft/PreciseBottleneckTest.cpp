#include "core/analysis/bottleneck/SpectralNorms.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/network/Inspector.h"
#include "tests/core/analysis/Reference.h"
#include "tests/models/Golden.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace softscope {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A parameter as rows of float64, whatever its shape.
Rows parameter(const StateDict& state, const std::string& name, Eigen::Index columns) {
  const torch::Tensor values = state.find(name)->to(torch::kFloat64).contiguous();
  return Eigen::Map<const Rows>(values.data_ptr<double>(), values.numel() / columns, columns);
}

double gelu(double x) {
  return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
}

/// SOFT's landmarks of one head by their definition, from the queries [n, d] that the authors' code
/// stored: a convolution of each window, LayerNorm, GELU.
Rows landmarksOf(const Rows& query, const TokenGrid& grid, int ratio, const StateDict& state,
                 const std::string& attention) {
  const Eigen::Index width = query.cols();
  const Rows filters = parameter(state, attention + ".Qlandmark_op.weight",
                                 width * ratio * ratio);  // [out, in * r * r]
  const Rows weight = parameter(state, attention + ".Qnorm_act.0.weight", width);
  const Rows bias = parameter(state, attention + ".Qnorm_act.0.bias", width);
  const int rows = grid.height / ratio;
  const int columns = grid.width / ratio;
  Rows landmarks(rows * columns, width);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      Eigen::RowVectorXd window(width * ratio * ratio);
      for (Eigen::Index c = 0; c < width; ++c) {
        for (int y = 0; y < ratio; ++y) {
          for (int x = 0; x < ratio; ++x) {
            const int token = (i * ratio + y) * grid.width + j * ratio + x;
            window[(c * ratio + y) * ratio + x] = query(token, c);
          }
        }
      }
      Eigen::RowVectorXd landmark = window * filters.transpose();
      landmark.array() -= landmark.mean();
      landmark /= std::sqrt(landmark.squaredNorm() / double(width) + 1e-5);
      landmark = (landmark.array() * weight.row(0).array() + bias.row(0).array()).matrix();
      landmarks.row(i * columns + j) = landmark.unaryExpr(&gelu);
    }
  }
  return landmarks;
}

Eigen::MatrixXd gaussian(const Rows& a, const Rows& b) {
  Eigen::MatrixXd kernel(a.rows(), b.rows());
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    for (Eigen::Index j = 0; j < b.rows(); ++j) {
      kernel(i, j) = std::exp(-0.5 * (a.row(i) - b.row(j)).squaredNorm());
    }
  }
  return kernel;
}

TEST(PreciseBottleneck, IsTheDefinitionsInFloat64) {
  const Golden golden("soft");
  const auto precise = inspect(*golden.model, golden.input(), {}, {.precise = true});
  const LayerInspection& layer = precise->layers.front();
  const LayerInspection& rounded = golden.inspection->layers.front();
  EXPECT_TRUE(rounded.precise.empty()) << "only where it is asked for";
  ASSERT_EQ(layer.precise.size(), layer.bottleneck.size());
  const StateDict state = readCheckpoint(golden.path("checkpoint.pth")).state;
  const FloatArray stored = readNpy(golden.path("block1_0_att_mha_attn.q.npy"));
  const auto tokens = static_cast<Eigen::Index>(stored.shape[1]);
  const auto width = static_cast<Eigen::Index>(stored.shape[2]);
  const AttentionDescription& attention = layer.attention->description();
  const int ratio = attention.queryGrid->height / attention.landmarkGrid->height;
  for (std::size_t head = 0; head < layer.precise.size(); ++head) {
    const Eigen::Map<const Matrix> values(
        stored.values.data() + static_cast<Eigen::Index>(head) * tokens * width, tokens, width);
    const Rows query = values.cast<double>() / std::pow(double(width), 0.25);
    const Rows landmarks =
        landmarksOf(query, *attention.queryGrid, ratio, state, "block1.0.att.mha.attn");
    const Eigen::MatrixXd kernel = gaussian(landmarks, landmarks);
    const Eigen::MatrixXd outer = gaussian(query, landmarks);
    EXPECT_LT((layer.precise[head].kernel - kernel).cwiseAbs().maxCoeff(), 1e-5);
    EXPECT_LT(
        (layer.precise[head].kernel - layer.bottleneck[head].cast<double>()).cwiseAbs().maxCoeff(),
        1e-5);
    const ReleasedAndExactNorms norms = spectralNorms(layer, static_cast<int>(head));
    EXPECT_TRUE(norms.isPrecise);
    const Eigen::MatrixXd inverse = test::denseInverse(kernel);
    EXPECT_NEAR(norms.exact.inverse / test::denseSpectralNorm(inverse), 1, 1e-3);
    EXPECT_NEAR(
        norms.exact.attention / test::denseSpectralNorm(outer * inverse * outer.transpose()), 1,
        1e-3);
  }
}

TEST(PreciseBottleneck, OfNystromformerIsASoftmaxInFloat64) {
  const Golden golden("t2t_nystromformer", {.attention = "nystromformer"});
  const auto precise = inspect(*golden.model, golden.input(), {}, {.precise = true});
  const LayerInspection& layer = precise->layers.front();
  ASSERT_FALSE(layer.precise.empty());
  const Eigen::MatrixXd& kernel = layer.precise.front().kernel;
  EXPECT_LT((kernel.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-14);
  EXPECT_LT((kernel - layer.bottleneck.front().cast<double>()).cwiseAbs().maxCoeff(), 1e-5);
}

}  // namespace
}  // namespace softscope
