#include "core/attention/ProductMap.h"
#include "core/network/NetworkModule.h"
#include "core/network/NetworkRun.h"
#include "models/vrwkv/VrwkvNetwork.h"
#include "tests/models/Golden.h"
#include "tests/models/KeptTerms.h"
#include "tests/models/UnpackedArchive.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

const test::UnpackedArchive& casesOfTerms() {
  static const test::UnpackedArchive archive("linear.zip");
  return archive;
}

/// Returns what the terms of a layer add to its output, [n, C], without what does not depend on
/// them.
torch::Tensor outputOfTerms(const test::KeptTerms& kept, const std::string& layer) {
  const TermRecord& terms = kept.all.at(layer);
  torch::Tensor sum = terms.attention;
  if (terms.beside.defined()) sum = sum + terms.beside;
  const torch::Tensor joined = sum.transpose(0, 1).flatten(1).to(torch::kFloat64);
  torch::Tensor projected = at::matmul(joined, terms.weight.to(torch::kFloat64).t());
  const AdditionRecord& addition = kept.additions.at(layer);
  if (addition.deviation.defined()) {
    projected = (projected - projected.mean(-1, true)) / addition.deviation;
  }
  return addition.scale.defined() ? projected * addition.scale : projected;
}

struct TermsCase {
  const char* name;
  /// True if the terms are all of the output; otherwise the same vector is added to each token.
  bool isWhole = false;

  friend void PrintTo(const TermsCase& one, std::ostream* stream) { *stream << one.name; }
};

class SummedTermsTest : public ::testing::TestWithParam<TermsCase> {};

TEST_P(SummedTermsTest, AreTheLayersOutput) {
  const c10::InferenceMode inference;
  const Golden golden(casesOfTerms().folder(GetParam().name));
  test::KeptTerms kept;
  const std::vector<float> logits = runNetwork(*golden.model, golden.input(), &kept);
  EXPECT_LT(difference(logits, readNpy(golden.path("logits.npy"))), 1e-4) << "with an observer";
  int compared = 0;
  for (const LayerSummary& layer : golden.model->summary().layers) {
    if (layer.mechanism == "softmax") continue;
    SCOPED_TRACE(layer.name);
    const torch::Tensor output = kept.additions.at(layer.name).output.to(torch::kFloat64);
    torch::Tensor rest = output - outputOfTerms(kept, layer.name);
    if (!GetParam().isWhole) rest = rest - rest.mean(0, true);
    EXPECT_LT(rest.abs().max().item<double>(), 1e-4 * output.abs().max().item<double>());
    EXPECT_EQ(kept.all.at(layer.name).attention.size(0), layer.heads);
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

TEST_P(SummedTermsTest, ASilencedHeadsTermIsGone) {
  const c10::InferenceMode inference;
  const Golden golden(casesOfTerms().folder(GetParam().name));
  const LayerSummary& layer = golden.model->summary().layers.front();
  test::KeptTerms whole;
  runNetwork(*golden.model, golden.input(), &whole);
  test::KeptTerms without(layer.name, {layer.heads - 1});
  runNetwork(*golden.model, golden.input(), &without);
  const torch::Tensor before = whole.additions.at(layer.name).output;
  const torch::Tensor after = without.additions.at(layer.name).output;
  EXPECT_GT((before - after).abs().max().item<double>(), 1e-3 * before.abs().max().item<double>());
  const std::string name = GetParam().name;
  if (name != "vim" && name != "vrwkv") return;
  // Nothing but the projection follows the sum.
  const TermRecord& terms = whole.all.at(layer.name);
  const std::int64_t width = terms.attention.size(2);
  const std::int64_t head = layer.heads - 1;
  const torch::Tensor gone = at::matmul(
      terms.attention[head], terms.weight.slice(1, head * width, (head + 1) * width).t());
  EXPECT_LT((before - gone - after).abs().max().item<double>(),
            1e-5 * before.abs().max().item<double>());
}

INSTANTIATE_TEST_SUITE_P(Networks, SummedTermsTest,
                         ::testing::Values(TermsCase{"vim", true}, TermsCase{"vrwkv", true},
                                           TermsCase{"vig", true}, TermsCase{"vmamba"},
                                           TermsCase{"circulant_deit"}, TermsCase{"mhla_deit"}));

/// A Vision-RWKV whose norms follow its attention, with parameters drawn at random.
std::shared_ptr<VrwkvNetwork> vrwkvWithNormsBehind() {
  VrwkvConfiguration sizes;
  sizes.channels = 8;
  sizes.depth = 2;
  sizes.hidden = 16;
  sizes.patch = 4;
  sizes.side = 4;
  sizes.normsAfter = true;
  sizes.classes = 3;
  auto network = std::make_shared<VrwkvNetwork>(sizes);
  at::manual_seed(5);
  const torch::NoGradGuard noGradient;
  for (torch::Tensor& parameter : network->parameters()) parameter.normal_(0, 0.5);
  network->eval();
  return network;
}

TEST(SummedTermsBeforeANorm, AreTheLayersOutputThroughTheNormAndTheScale) {
  const Model model(ModelSummary{}, vrwkvWithNormsBehind());
  const torch::Tensor values = at::randn({3, 16, 16});
  const InputTensor input{
      16, 16, {values.data_ptr<float>(), values.data_ptr<float>() + values.numel()}};
  test::KeptTerms kept;
  runNetwork(model, input, &kept);
  const c10::InferenceMode inference;
  ASSERT_EQ(kept.additions.size(), 2u);
  for (const auto& [layer, addition] : kept.additions) {
    SCOPED_TRACE(layer);
    ASSERT_TRUE(addition.deviation.defined());
    // The norm's bias is left, which is added to each token.
    const torch::Tensor rest = addition.output - outputOfTerms(kept, layer);
    EXPECT_LT((rest - rest.mean(0, true)).abs().max().item<double>(),
              1e-4 * addition.output.abs().max().item<double>());
  }
}

torch::Tensor layerNormed(const torch::Tensor& x, const NetworkModule& network,
                          const std::string& name, double epsilon) {
  const auto parameters = network.named_parameters();
  const auto weight = [&](const char* part) { return parameters[name + part].to(torch::kFloat64); };
  return at::layer_norm(x, {x.size(-1)}, weight(".weight"), weight(".bias"), epsilon);
}

/// V is computed from the block's input and the file's weights; the recorded map knows nothing of
/// it.
TEST(ChannelTimesValue, OfCirculantAttentionIsTheChannelsOutput) {
  const c10::InferenceMode inference;
  const Golden golden(casesOfTerms().folder("circulant_deit"));
  test::KeptTerms kept;
  runNetwork(*golden.model, golden.input(), &kept);
  const auto& network = dynamic_cast<const NetworkModule&>(golden.model->network());
  const std::string layer = "blocks.1.attn";
  const torch::Tensor input = layerNormed(kept.additions.at(layer).residual.to(torch::kFloat64),
                                          network, "blocks.1.norm1", 1e-6);
  const auto parameters = network.named_parameters();
  const auto matrix = [&](const std::string& name) {
    return parameters[layer + name].to(torch::kFloat64).t();
  };
  const std::int64_t channels = input.size(1);
  const torch::Tensor value = at::matmul(input, matrix(".qkv.weight")).slice(1, -channels);
  const torch::Tensor gate =
      at::silu(at::matmul(input, matrix(".gate.0.weight")) + matrix(".gate.0.bias"));
  const auto& map = dynamic_cast<const ChannelMeanMap&>(*golden.inspection->find(layer)->attention);
  ASSERT_EQ(map.channels(), channels);
  const torch::Tensor term = kept.all.at(layer).attention[0];
  for (int channel = 0; channel < map.channels(); ++channel) {
    Eigen::VectorXd x(value.size(0));
    for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = value[i][channel].item<double>();
    const Eigen::VectorXd product = map.ofChannel(channel)->times(0, x);
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(product[i] * gate[i][channel].item<double>(), term[i][channel].item<double>(),
                  1e-4 * term.abs().max().item<double>());
    }
  }
}

TEST(ChannelTimesValue, OfMhlaIsEachHeadsOutput) {
  const c10::InferenceMode inference;
  const Golden golden(casesOfTerms().folder("mhla_deit"));
  test::KeptTerms kept;
  runNetwork(*golden.model, golden.input(), &kept);
  const auto& network = dynamic_cast<const NetworkModule&>(golden.model->network());
  const std::string layer = "blocks.1.attn";
  torch::Tensor x = kept.additions.at(layer).residual.to(torch::kFloat64);
  x = layerNormed(x, network, "blocks.1.norm1", 1e-6);
  x = layerNormed(x, network, layer + ".norm", 1e-5);
  const torch::Tensor weight =
      network.named_parameters()[layer + ".to_qkv.weight"].to(torch::kFloat64);
  const torch::Tensor value = at::matmul(x, weight.t()).slice(1, -x.size(1));
  const AttentionMap& map = *golden.inspection->find(layer)->attention;
  const Matrix whole = map.whole(0, std::size_t{1} << 24);
  const torch::Tensor matrix =
      torch::from_blob(const_cast<float*>(whole.data()), {whole.rows(), whole.cols()})
          .to(torch::kFloat64);
  const torch::Tensor term = kept.all.at(layer).attention[0].to(torch::kFloat64);
  EXPECT_LT((at::matmul(matrix, value) - term).abs().max().item<double>(),
            1e-4 * term.abs().max().item<double>());
}

}  // namespace
}  // namespace softscope
