#include "core/network/Measurements.h"
#include "core/network/NetworkModule.h"
#include "tests/models/Golden.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace softscope {
namespace {

/// The first layer of a golden network again, in float64 and from its formulas.
class DirectLayer {
 public:
  explicit DirectLayer(const Golden& golden)
      : network_(dynamic_cast<NetworkModule&>(golden.model->network())), input_(golden.input()) {}

  torch::Tensor parameter(const std::string& name) const {
    return network_.named_parameters()[name].to(torch::kFloat64);
  }
  torch::Tensor picture() const {
    return torch::from_blob(const_cast<float*>(input_.values.data()),
                            {1, 3, input_.height, input_.width}, torch::kFloat32)
        .to(torch::kFloat64);
  }
  torch::Tensor linear(const torch::Tensor& x, const std::string& name) const {
    return at::linear(x, parameter(name + ".weight"), parameter(name + ".bias"));
  }
  torch::Tensor layerNorm(const torch::Tensor& x, const std::string& name, double epsilon) const {
    return at::layer_norm(x, {x.size(-1)}, parameter(name + ".weight"), parameter(name + ".bias"),
                          epsilon);
  }
  torch::Tensor buffer(const std::string& name) const {
    return network_.named_buffers()[name].to(torch::kFloat64);
  }
  torch::Tensor batchNorm(const torch::Tensor& x, const std::string& name) const {
    return at::batch_norm(x, parameter(name + ".weight"), parameter(name + ".bias"),
                          buffer(name + ".running_mean"), buffer(name + ".running_var"), false, 0.1,
                          1e-5, false);
  }
  /// Convolution, batch norm and ReLU of the stem.
  torch::Tensor stem(const torch::Tensor& x, int index, int stride) const {
    const std::string convolution = "patch_embed1.proj." + std::to_string(3 * index);
    const torch::Tensor y = at::conv2d(x, parameter(convolution + ".weight"),
                                       parameter(convolution + ".bias"), stride, 1);
    return batchNorm(y, "patch_embed1.proj." + std::to_string(3 * index + 1)).relu();
  }
  /// `conv` without a bias, and `norm`.
  torch::Tensor convolved(const torch::Tensor& x, const std::string& name, int stride) const {
    const torch::Tensor weight = parameter(name + ".conv.weight");
    return batchNorm(at::conv2d(x, weight, {}, stride, weight.size(2) / 2), name + ".norm");
  }
  /// A filter for each channel of tokens [n, C] of a grid of `height` rows.
  torch::Tensor filtered(const torch::Tensor& tokens, const std::string& name,
                         std::int64_t height) const {
    const torch::Tensor map = tokens.t().reshape({1, tokens.size(1), height, -1});
    return at::conv2d(map, parameter(name + ".weight"), parameter(name + ".bias"), 1, 1, 1,
                      tokens.size(1))
        .flatten(2)[0]
        .t();
  }

 private:
  NetworkModule& network_;
  InputTensor input_;
};

/// The norm in float64, entry by entry.
double lengthOf(const torch::Tensor& x) {
  return std::sqrt(x.square().sum().item<double>());
}

/// [n, heads * d] -> head's [n, d].
torch::Tensor headOf(const torch::Tensor& x, int head, int heads) {
  const std::int64_t width = x.size(-1) / heads;
  return x.slice(-1, head * width, (head + 1) * width);
}

void expectNear(double actual, double expected) {
  EXPECT_GT(expected, 0);
  EXPECT_NEAR(actual, expected, 1e-4 * expected);
}

TEST(DirectShare, OfDeitsFirstLayer) {
  const c10::InferenceMode inference;
  const Golden golden("deit", {.attention = "softmax"});
  const DirectLayer direct(golden);
  const torch::Tensor patches =
      at::conv2d(direct.picture(), direct.parameter("patch_embed.proj.weight"),
                 direct.parameter("patch_embed.proj.bias"), 16)
          .flatten(2)
          .transpose(1, 2);
  const torch::Tensor tokens =
      at::cat({direct.parameter("cls_token"), patches}, 1)[0] + direct.parameter("pos_embed")[0];
  const torch::Tensor parts =
      direct.linear(direct.layerNorm(tokens, "blocks.0.norm1", 1e-6), "blocks.0.attn.qkv");
  const auto split = parts.chunk(3, -1);
  const torch::Tensor weight = direct.parameter("blocks.0.attn.proj.weight");

  const LayerShare layer = measureShare(*golden.model, golden.input())->layers[0];
  ASSERT_EQ(layer.heads.size(), 2u);
  torch::Tensor all;
  for (int head = 0; head < 2; ++head) {
    const torch::Tensor scores =
        at::matmul(headOf(split[0], head, 2), headOf(split[1], head, 2).t()) / std::sqrt(64.0);
    const torch::Tensor term = at::matmul(scores.softmax(-1), headOf(split[2], head, 2));
    const torch::Tensor output = at::matmul(term, headOf(weight, head, 2).t());
    expectNear(layer.heads[static_cast<std::size_t>(head)].attentionNorm, lengthOf(term));
    expectNear(layer.heads[static_cast<std::size_t>(head)].projectedNorm, lengthOf(output));
    EXPECT_FALSE(layer.heads[static_cast<std::size_t>(head)].besideNorm);
    all = head == 0 ? output : all + output;
  }
  expectNear(layer.residualNorm, lengthOf(tokens));
  expectNear(layer.whole.projectedNorm, lengthOf(all));
  expectNear(layer.outputNorm, lengthOf(all + direct.parameter("blocks.0.attn.proj.bias")));
}

/// S V of one head of SOFT, from its equations: q [n, d] undivided, landmarks of 8 x 8 patches.
torch::Tensor softTerm(const DirectLayer& direct, const torch::Tensor& q, const torch::Tensor& v,
                       int height, int width) {
  const std::string path = "block1.0.att.mha.attn.";
  const std::int64_t d = q.size(1);
  const torch::Tensor scaled = q / std::pow(static_cast<double>(d), 0.25);
  const torch::Tensor map = scaled.t().reshape({1, d, height, width});
  const torch::Tensor pooled =
      at::conv2d(map, direct.parameter(path + "Qlandmark_op.weight"), {}, 8).flatten(2)[0].t();
  const torch::Tensor landmarks = at::gelu(direct.layerNorm(pooled, path + "Qnorm_act.0", 1e-5));
  const auto kernel = [](const torch::Tensor& a, const torch::Tensor& b) {
    return ((a.unsqueeze(1) - b.unsqueeze(0)).square().sum(-1) / -2).exp();
  };
  const torch::Tensor toLandmarks = kernel(scaled, landmarks);
  const torch::Tensor bottleneck = kernel(landmarks, landmarks);
  const double rows = bottleneck.sum(1).max().item<double>();
  const torch::Tensor damped =
      bottleneck + 0.01 * at::eye(bottleneck.size(0), bottleneck.options());
  torch::Tensor inverse = 1.8 / (rows * rows) * damped;
  for (int step = 0; step < 20; ++step) {
    inverse = 2 * inverse - at::matmul(inverse, at::matmul(damped, inverse));
  }
  return at::matmul(toLandmarks, at::matmul(inverse, at::matmul(toLandmarks.t(), v)));
}

TEST(DirectShare, OfSoftsFirstLayer) {
  const c10::InferenceMode inference;
  const Golden golden("soft", {.attention = "soft"});
  const DirectLayer direct(golden);
  const torch::Tensor map =
      direct.stem(direct.stem(direct.stem(direct.picture(), 0, 2), 1, 1), 2, 2);
  const int height = static_cast<int>(map.size(2));
  const int width = static_cast<int>(map.size(3));
  const torch::Tensor table = direct.parameter("pos_embed1");
  const auto side =
      static_cast<std::int64_t>(std::lround(std::sqrt(static_cast<double>(table.size(1)))));
  const torch::Tensor positions = at::upsample_bilinear2d(
      table.transpose(1, 2).reshape({1, table.size(2), side, side}), {height, width}, false);
  const torch::Tensor tokens = (map + positions).flatten(2)[0].t();
  const torch::Tensor query = direct.linear(tokens, "block1.0.att.mha.W_q");
  const torch::Tensor value = direct.linear(tokens, "block1.0.att.mha.W_v");
  const torch::Tensor filters = direct.parameter("block1.0.att.mha.attn.conv.weight");
  const torch::Tensor weight = direct.parameter("block1.0.att.mha.ff.weight");

  const LayerShare layer = measureShare(*golden.model, golden.input())->layers[0];
  ASSERT_EQ(layer.heads.size(), 2u);
  torch::Tensor output = direct.parameter("block1.0.att.mha.ff.bias");
  for (int head = 0; head < 2; ++head) {
    const torch::Tensor v = headOf(value, head, 2);
    const torch::Tensor term = softTerm(direct, headOf(query, head, 2), v, height, width);
    // Every channel of the head by itself, with the head's one filter.
    const torch::Tensor maps = v.t().reshape({v.size(1), 1, height, width});
    const torch::Tensor beside =
        at::conv2d(maps, filters.slice(0, head, head + 1), {}, 1, filters.size(2) / 2);
    const HeadShare& share = layer.heads[static_cast<std::size_t>(head)];
    expectNear(share.attentionNorm, lengthOf(term));
    expectNear(share.besideNorm.value(), lengthOf(beside));
    expectNear(share.projectedNorm, lengthOf(at::matmul(term, headOf(weight, head, 2).t())));
    const torch::Tensor both = term + beside.flatten(1).t();
    output = output + at::matmul(both, headOf(weight, head, 2).t());
  }
  expectNear(layer.residualNorm, lengthOf(tokens));
  expectNear(layer.outputNorm, lengthOf(output));
}

/// MILA's A of one head, from its equation and as a whole matrix: q and k [n, C] without features.
torch::Tensor milaMatrix(const DirectLayer& direct, const torch::Tensor& q,
                         const torch::Tensor& k) {
  const auto features = [](const torch::Tensor& x) { return at::elu(x) + 1; };
  const torch::Tensor rotations =
      at::view_as_complex(direct.buffer("layers.0.blocks.0.attn.rope.rotations").contiguous());
  const auto turned = [&](const torch::Tensor& x) {
    const torch::Tensor pairs = at::view_as_complex(x.reshape({x.size(0), -1, 2}).contiguous());
    return at::view_as_real(pairs * rotations.flatten(0, 1)).flatten(1);
  };
  const torch::Tensor divisor = at::matmul(features(q), features(k).mean(0)) + 1e-6;
  return at::matmul(turned(features(q)), turned(features(k)).t()) / q.size(0) /
         divisor.unsqueeze(1);
}

TEST(DirectShare, OfMilasFirstLayer) {
  const c10::InferenceMode inference;
  const Golden golden("mlla");
  const DirectLayer direct(golden);
  torch::Tensor map = direct.convolved(direct.picture(), "patch_embed.conv1", 2).relu();
  map = map + direct.convolved(direct.convolved(map, "patch_embed.conv2.0", 1).relu(),
                               "patch_embed.conv2.1", 1);
  map = direct.convolved(map, "patch_embed.conv3.0", 2).relu();
  map = direct.convolved(map, "patch_embed.conv3.1", 1);
  const std::int64_t height = map.size(2);
  const std::string block = "layers.0.blocks.0.";
  const torch::Tensor embedded = map.flatten(2)[0].t();
  const torch::Tensor tokens = embedded + direct.filtered(embedded, block + "cpe1", height);
  const torch::Tensor normed = direct.layerNorm(tokens, block + "norm1", 1e-5);
  const torch::Tensor gate = at::silu(direct.linear(normed, block + "act_proj"));
  const torch::Tensor value =
      at::silu(direct.filtered(direct.linear(normed, block + "in_proj"), block + "dwc", height));
  const auto split = direct.linear(value, block + "attn.qk").chunk(2, -1);
  const torch::Tensor term = at::matmul(milaMatrix(direct, split[0], split[1]), value) * gate;
  const torch::Tensor beside = direct.filtered(value, block + "attn.lepe", height) * gate;
  const torch::Tensor weight = direct.parameter(block + "out_proj.weight");

  const LayerShare layer = measureShare(*golden.model, golden.input())->layers[0];
  ASSERT_EQ(layer.heads.size(), 1u);
  expectNear(layer.whole.attentionNorm, lengthOf(term));
  expectNear(layer.whole.besideNorm.value(), lengthOf(beside));
  expectNear(layer.whole.projectedNorm, lengthOf(at::matmul(term, weight.t())));
  expectNear(layer.residualNorm, lengthOf(tokens));
  expectNear(layer.outputNorm, lengthOf(at::matmul(term + beside, weight.t()) +
                                        direct.parameter(block + "out_proj.bias")));
}

}  // namespace
}  // namespace softscope
