#include "core/analysis/bottleneck/SpectralNorms.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/model/ModelRequest.h"
#include "core/network/Inspector.h"
#include "models/OpenModel.h"
#include "tests/core/analysis/Reference.h"

#include <gtest/gtest.h>
#include <torch/nn/functional.h>

#include <cmath>
#include <map>
#include <string>

namespace softscope {
namespace {

namespace F = torch::nn::functional;

Eigen::MatrixXd matrixOf(const torch::Tensor& tensor) {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const torch::Tensor values = tensor.contiguous();
  return Eigen::Map<const Rows>(values.data_ptr<double>(), values.size(0), values.size(1));
}

/// What norms are made of, by layer and head: P and A.
struct Kernels {
  torch::Tensor outer;       ///< [heads, n, m]
  torch::Tensor bottleneck;  ///< [heads, m, m]
};

/// SOFT's three stages of landmarks from the parameters alone, everything in float64, as "SOFT:
/// Softmax-free Transformer with Linear Complexity" (2021, arXiv 2110.11945) and its released code
/// define them. It shares no code with what it is compared with.
class SoftInFloat64 {
 public:
  SoftInFloat64(const StateDict& state, bool normalised) : state_(state), normalised_(normalised) {}

  std::map<std::string, Kernels> run(const torch::Tensor& picture) {
    torch::Tensor map = picture;
    for (int stage = 1; stage <= 3; ++stage) {
      const std::string number = std::to_string(stage);
      map = embed("patch_embed" + number + ".proj.", map);
      height_ = map.size(2);
      width_ = map.size(3);
      torch::Tensor tokens = map.flatten(2).transpose(1, 2) + positions("pos_embed" + number);
      for (int depth = 0; has(blockName(stage, depth) + "mha.W_q.weight"); ++depth) {
        tokens = block(blockName(stage, depth), tokens);
      }
      map = tokens.transpose(1, 2).reshape({1, -1, height_, width_});
    }
    return kernels_;
  }

 private:
  static std::string blockName(int stage, int depth) {
    return "block" + std::to_string(stage) + "." + std::to_string(depth) + ".att.";
  }

  bool has(const std::string& name) const { return state_.find(name) != nullptr; }
  torch::Tensor at(const std::string& name) const { return state_.find(name)->to(torch::kFloat64); }

  torch::Tensor linear(const std::string& name, const torch::Tensor& x) const {
    return torch::matmul(x, at(name + ".weight").t()) + at(name + ".bias");
  }

  torch::Tensor normalise(const std::string& name, const torch::Tensor& x) const {
    const torch::Tensor centred = x - x.mean(-1, true);
    const torch::Tensor variance = centred.square().mean(-1, true);
    return centred / (variance + 1e-5).sqrt() * at(name + ".weight") + at(name + ".bias");
  }

  torch::Tensor embed(const std::string& name, torch::Tensor map) const {
    for (int index = 0; has(name + std::to_string(index) + ".weight"); index += 3) {
      const std::string filter = name + std::to_string(index);
      const std::string norm = name + std::to_string(index + 1);
      // The first stage's second convolution is the one that keeps the size.
      const int stride = index == 3 ? 1 : 2;
      map = torch::conv2d(map, at(filter + ".weight"), at(filter + ".bias"), stride, 1);
      const auto channels = [&](const char* part) { return at(norm + part).view({1, -1, 1, 1}); };
      map = (map - channels(".running_mean")) / (channels(".running_var") + 1e-5).sqrt() *
                channels(".weight") +
            channels(".bias");
      map = map.clamp_min(0);
    }
    return map;
  }

  torch::Tensor positions(const std::string& name) const {
    const torch::Tensor table = at(name);
    const auto side = static_cast<std::int64_t>(std::lround(std::sqrt(double(table.size(1)))));
    const torch::Tensor map = table.transpose(1, 2).reshape({1, -1, side, side});
    const auto options = F::InterpolateFuncOptions()
                             .size(std::vector<std::int64_t>{height_, width_})
                             .mode(torch::kBilinear)
                             .align_corners(false);
    return F::interpolate(map, options).flatten(2).transpose(1, 2);
  }

  torch::Tensor block(const std::string& name, const torch::Tensor& tokens) {
    const torch::Tensor attended = attend(name + "mha.", tokens);
    const torch::Tensor x = normalise(name + "norm1", tokens + attended);
    const torch::Tensor hidden =
        F::gelu(linear(name + "ff1", x), F::GELUFuncOptions().approximate("tanh"));
    return normalise(name + "norm2", x + linear(name + "ff2", hidden));
  }

  static torch::Tensor gaussian(const torch::Tensor& a, const torch::Tensor& b) {
    const torch::Tensor squares =
        a.square().sum(-1, true) + b.square().sum(-1).unsqueeze(-2) - 2 * torch::matmul(a, b.mT());
    return torch::exp(-0.5 * squares);
  }

  /// Of queries [heads, n, d], scaled: a convolution of each window, LayerNorm, GELU.
  torch::Tensor landmarks(const std::string& name, const torch::Tensor& query) const {
    const torch::Tensor filters = at(name + "attn.Qlandmark_op.weight");
    const torch::Tensor maps = query.transpose(1, 2).reshape({query.size(0), -1, height_, width_});
    const torch::Tensor pooled = torch::conv2d(maps, filters, {}, filters.size(2));
    return F::gelu(normalise(name + "attn.Qnorm_act.0", pooled.flatten(2).transpose(1, 2)));
  }

  /// Of A [heads, m, m] by twenty steps of Newton-Raphson, started as each released code does.
  torch::Tensor inverse(const torch::Tensor& bottleneck) const {
    const torch::Tensor identity = torch::eye(bottleneck.size(-1), torch::kFloat64);
    const torch::Tensor rowSums = bottleneck.sum(-1);
    torch::Tensor matrix = bottleneck;
    torch::Tensor guess;
    if (normalised_) {
      double start = 2 / std::pow(rowSums.max().item<double>(), 2);
      const auto residual = [&] {
        return (identity - start * torch::matmul(matrix, matrix)).abs().sum(-2).max();
      };
      for (int halving = 0; halving < 10 && residual().item<double>() > 1.01; ++halving) start /= 2;
      guess = start * matrix;
    } else {
      matrix = bottleneck + 0.01 * identity;
      guess = 1.8 / rowSums.amax(-1).square().view({-1, 1, 1}) * matrix;
    }
    for (int step = 0; step < 20; ++step) {
      guess = 2 * guess - torch::matmul(torch::matmul(guess, matrix), guess);
    }
    if (!normalised_) return guess;
    const torch::Tensor scale = rowSums.rsqrt();
    return scale.unsqueeze(-1) * guess * scale.unsqueeze(-2);
  }

  torch::Tensor attend(const std::string& name, const torch::Tensor& tokens) {
    const std::int64_t heads = at(name + "attn.conv.weight").size(0);
    const auto split = [&](const char* projection) {
      return linear(name + projection, tokens)[0].view({tokens.size(1), heads, -1}).transpose(0, 1);
    };
    const torch::Tensor value = split("W_v");
    const torch::Tensor query = split("W_q") / std::pow(double(value.size(-1)), 0.25);
    const torch::Tensor landmark = landmarks(name, query);
    const Kernels kernels{gaussian(query, landmark), gaussian(landmark, landmark)};
    kernels_[name + "attn"] = kernels;
    const torch::Tensor attended = torch::matmul(
        kernels.outer,
        torch::matmul(inverse(kernels.bottleneck), torch::matmul(kernels.outer.mT(), value)));
    const torch::Tensor filters = at(name + "attn.conv.weight");
    const torch::Tensor maps =
        value.permute({2, 0, 1}).reshape({-1, heads, height_, width_});  // [d, heads, h, w]
    const torch::Tensor beside =
        torch::conv2d(maps, filters, {}, 1, filters.size(2) / 2, 1, heads).flatten(2);
    const torch::Tensor joined =
        (attended + beside.permute({1, 2, 0})).transpose(0, 1).reshape({1, tokens.size(1), -1});
    return linear(name + "ff", joined);
  }

  const StateDict& state_;
  bool normalised_;
  std::int64_t height_ = 0;
  std::int64_t width_ = 0;
  std::map<std::string, Kernels> kernels_;
};

/// Something like a photograph: smooth, with an edge and some grain.
torch::Tensor paintedPicture(std::int64_t size) {
  const torch::Tensor place = torch::arange(size, torch::kFloat64) / double(size);
  const torch::Tensor x = place.view({1, 1, -1});
  const torch::Tensor y = place.view({1, -1, 1});
  const torch::Tensor phase = torch::arange(3, torch::kFloat64).view({3, 1, 1});
  const torch::Tensor waves =
      torch::sin(9 * x + 5 * y + phase) + torch::cos(21 * y - 4 * phase * x);
  const torch::Tensor edge = ((x - 0.4).square() + (y - 0.55).square() < 0.08).to(torch::kFloat64);
  const torch::Tensor grain = torch::sin(7919 * x * x + 104729 * y * (1 + x) + phase);
  return (waves * 0.6 + edge + grain * 0.2).to(torch::kFloat32);
}

class NormsFromCheckpoint : public testing::TestWithParam<std::tuple<const char*, std::int64_t>> {};

TEST_P(NormsFromCheckpoint, AreThoseOfANetworkInFloat64) {
  const auto [name, size] = GetParam();
  const std::string path =
      SOFTSCOPE_SOURCE "/resources/checkpoints/" + std::string(name) + "_everyday10.safetensors";
  const auto model = openModel({.path = path});
  const torch::Tensor picture = paintedPicture(size);
  const auto side = static_cast<int>(size);
  const float* values = picture.data_ptr<float>();
  const auto inspection =
      inspect(*model, {side, side, std::vector<float>(values, values + picture.numel())}, {},
              {.precise = true});
  const StateDict state = readCheckpoint(path).state;
  const auto kernels = SoftInFloat64(state, name == std::string("soft_norm"))
                           .run(picture.to(torch::kFloat64).unsqueeze(0));
  ASSERT_EQ(kernels.size(), 6u);
  for (const LayerInspection& layer : inspection->layers) {
    if (!kernels.contains(layer.name)) continue;
    const Kernels& expected = kernels.at(layer.name);
    for (int head = 0; head < static_cast<int>(layer.precise.size()); ++head) {
      const ReleasedAndExactNorms norms = spectralNorms(layer, head);
      const Eigen::MatrixXd bottleneck = matrixOf(expected.bottleneck[head]);
      const Eigen::MatrixXd inverse = test::denseInverse(bottleneck);
      const double norm = test::denseSpectralNorm(inverse);
      const Eigen::VectorXd scale = bottleneck.rowwise().sum().cwiseSqrt().cwiseInverse();
      const double normalised =
          test::denseSpectralNorm(scale.asDiagonal() * inverse * scale.asDiagonal());
      EXPECT_NEAR(norms.exact.inverse / norm, 1, 1e-4) << layer.name << " head " << head;
      EXPECT_NEAR(norms.exact.inverseNormalised / normalised, 1, 1e-4)
          << layer.name << " head " << head;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Bundled, NormsFromCheckpoint,
                         testing::Combine(testing::Values("soft", "soft_norm"),
                                          testing::Values(std::int64_t{128}, std::int64_t{512})));

}  // namespace
}  // namespace softscope
