#include "core/network/NetworkModule.h"
#include "core/network/NetworkRun.h"
#include "tests/models/Golden.h"
#include "tests/models/KeptTerms.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

/// The parameters of a golden network, in float64.
class Weights {
 public:
  explicit Weights(const Golden& golden)
      : network_(dynamic_cast<NetworkModule&>(golden.model->network())) {}

  torch::Tensor parameter(const std::string& name) const {
    return network_.named_parameters()[name].to(torch::kFloat64);
  }
  torch::Tensor linear(const torch::Tensor& x, const std::string& name) const {
    return at::linear(x, parameter(name + ".weight"), parameter(name + ".bias"));
  }
  /// What stands before a block's attention: a layer norm, or SLAB's batch norm.
  torch::Tensor normalised(const torch::Tensor& x, const std::string& norm) const {
    if (!network_.named_parameters().contains(norm + ".norm2.alpha")) {
      return at::layer_norm(x, {x.size(-1)}, parameter(norm + ".weight"), parameter(norm + ".bias"),
                            1e-6);
    }
    const std::string batch = norm + ".norm2.bn.";
    const auto buffers = network_.named_buffers();
    const torch::Tensor mean = buffers[batch + "running_mean"].to(torch::kFloat64);
    const torch::Tensor variance = buffers[batch + "running_var"].to(torch::kFloat64);
    return (x - mean) / (variance + 1e-5).sqrt() * parameter(batch + "weight") +
           parameter(batch + "bias") + parameter(norm + ".norm2.alpha") * x;
  }

 private:
  NetworkModule& network_;
};

torch::Tensor wholeMap(const AttentionMap& map, int head) {
  const Matrix whole = map.whole(head, std::size_t{1} << 30);
  return torch::from_blob(const_cast<float*>(whole.data()), {whole.rows(), whole.cols()})
      .to(torch::kFloat64);
}

struct ValueCase {
  const char* folder;
  const char* block;
  /// The linear layer whose last C outputs are V.
  const char* values;
  bool gated = false;

  friend void PrintTo(const ValueCase& subject, std::ostream* stream) { *stream << subject.folder; }
};

class MapTimesValueTest : public ::testing::TestWithParam<ValueCase> {};

// V is computed here from the block's input and the published weights; the recorded maps know
// nothing of it.
TEST_P(MapTimesValueTest, IsWhatEachHeadAddsBesideItsConvolution) {
  const c10::InferenceMode inference;
  const auto& [folder, block, values, gated] = GetParam();
  const Golden golden(folder);
  test::KeptTerms kept;
  runNetwork(*golden.model, golden.input(), &kept);
  const Weights weights(golden);
  const std::string layer = std::string(block) + ".attn";
  const torch::Tensor residual = kept.additions.at(layer).residual.to(torch::kFloat64);
  const torch::Tensor input = weights.normalised(residual, std::string(block) + ".norm1");
  const std::int64_t channels = residual.size(1);
  const torch::Tensor value = weights.linear(input, layer + "." + values).slice(1, -channels);
  torch::Tensor gate = at::ones_like(value);
  if (gated) gate = weights.linear(input, layer + ".qg").slice(1, channels);

  const AttentionMap& map = *golden.inspection->find(layer)->attention;
  const int heads = map.description().heads;
  for (int head = 0; head < heads; ++head) {
    SCOPED_TRACE(head);
    const auto index = static_cast<std::size_t>(head);
    const torch::Tensor expected =
        at::matmul(wholeMap(map, head), value.chunk(heads, 1)[index]) * gate.chunk(heads, 1)[index];
    const torch::Tensor term = kept.all.at(layer).attention[head].to(torch::kFloat64);
    ASSERT_EQ(term.sizes(), expected.sizes());
    EXPECT_LT((term - expected).abs().max().item<double>(),
              1e-4 * expected.abs().max().item<double>());
  }
}

// Filters and means are those of each picture.
TEST_P(MapTimesValueTest, IsThatOfEachPictureOfABatch) {
  const c10::InferenceMode inference;
  const Golden golden(GetParam().folder);
  const InputTensor input = golden.input();
  const torch::Tensor picture =
      torch::from_blob(const_cast<float*>(input.values.data()), {1, 3, input.height, input.width});
  const torch::Tensor other = picture.flip(3) * 2 - 1;
  Network& network = golden.model->network();
  const torch::Tensor both = network.forward(at::cat({picture, other}), nullptr);
  for (int index = 0; index < 2; ++index) {
    const torch::Tensor alone = network.forward(index == 0 ? picture : other, nullptr)[0];
    EXPECT_LT((both[index] - alone).abs().max().item<double>(),
              1e-5 * alone.abs().max().item<double>());
  }
}

INSTANTIATE_TEST_SUITE_P(Families, MapTimesValueTest,
                         ::testing::Values(ValueCase{"inline_deit", "blocks.1", "qkv"},
                                           ValueCase{"agent_deit", "blocks.2", "qkv"},
                                           ValueCase{"slab_deit", "blocks.1", "qkv"},
                                           ValueCase{"flatten_pvt", "block2.1", "kv"},
                                           ValueCase{"pola_pvt", "block2.1", "kv", true}));

}  // namespace
}  // namespace softscope
