#include "models/vit/VitBlock.h"
#include "models/xcit/XcitAttention.h"
#include "tests/models/Golden.h"
#include "tests/models/attention/DirectAttention.h"
#include "tests/models/attention/LastLayerRecorder.h"
#include "tests/models/vit/SmallVit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace softscope {
namespace {

constexpr int simaHeads = 2;
constexpr int simaChannels = 12;
constexpr TokenGrid simaGrid{3, 4};

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::MatrixXd inDouble(const torch::Tensor& tensor) {
  const torch::Tensor values = tensor.detach().to(torch::kDouble).contiguous();
  const auto rows = values.dim() == 1 ? 1 : values.size(0);
  return Eigen::Map<const RowMajor>(values.data_ptr<double>(), rows, values.numel() / rows);
}

std::vector<float> rowMajor(const Eigen::MatrixXd& matrix) {
  const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows =
      matrix.cast<float>();
  return {rows.data(), rows.data() + rows.size()};
}

/// A module's parameters in float64, and its layers as the papers write them.
class Direct {
 public:
  explicit Direct(const torch::nn::Module& module) : parameters_(module.named_parameters()) {}

  Eigen::MatrixXd linear(const Eigen::MatrixXd& x, const std::string& name) const {
    return (x * inDouble(parameters_[name + ".weight"]).transpose()).rowwise() +
           inDouble(parameters_[name + ".bias"]).row(0);
  }

  Eigen::MatrixXd norm(const Eigen::MatrixXd& x, const std::string& name, double epsilon) const {
    Eigen::MatrixXd y = x.colwise() - x.rowwise().mean();
    for (Eigen::Index i = 0; i < y.rows(); ++i) {
      y.row(i) /= std::sqrt(y.row(i).squaredNorm() / static_cast<double>(y.cols()) + epsilon);
    }
    const Eigen::MatrixXd weight = inDouble(parameters_[name + ".weight"]);
    return (y.array().rowwise() * weight.row(0).array()).matrix().rowwise() +
           inDouble(parameters_[name + ".bias"]).row(0);
  }

  /// What `name`, a layer of qkv and proj, makes of tokens [n, channels]; the matrices of its heads
  /// go to `attention`, one after the other.
  Eigen::MatrixXd attended(const Eigen::MatrixXd& tokens, const std::string& name,
                           const std::string& mechanism, int queries,
                           std::vector<float>& attention) const {
    const Eigen::MatrixXd projected = linear(tokens, name + "qkv");
    constexpr int width = simaChannels / simaHeads;
    Eigen::MatrixXd joined(queries, simaChannels);
    for (int head = 0; head < simaHeads; ++head) {
      const auto part = [&](int which) {
        return Eigen::MatrixXd(projected.middleCols(which * simaChannels + head * width, width));
      };
      const Eigen::MatrixXd rows =
          directAttention(mechanism, {part(0), part(1), simaGrid, 1, {}, {}}).topRows(queries);
      const std::vector<float> values = rowMajor(rows);
      attention.insert(attention.end(), values.begin(), values.end());
      joined.middleCols(head * width, width) = rows * part(2);
    }
    return linear(joined, name + "proj");
  }

 private:
  torch::OrderedDict<std::string, torch::Tensor> parameters_;
};

void fillAtRandom(torch::nn::Module& module) {
  const torch::NoGradGuard noGradient;
  at::manual_seed(5);
  for (torch::Tensor& parameter : module.parameters()) parameter.normal_(0, 0.4);
}

struct NamedNorm {
  SimaNorm norm;
  XcitMechanism xcit;
};

class SimaNormTest : public ::testing::TestWithParam<NamedNorm> {
 protected:
  const torch::NoGradGuard noGradient_;
  const std::string mechanism_ = mechanismName(GetParam().norm);
};

TEST_P(SimaNormTest, OfXcitsTokenBlocksIsTheFormulaInFloat64) {
  XcitAttention layer(XcitAttentionOptions{.name = "blocks.0.attn",
                                           .channels = simaChannels,
                                           .heads = simaHeads,
                                           .mechanism = GetParam().xcit});
  fillAtRandom(*layer);
  const torch::Tensor tokens = at::randn({1, simaGrid.count(), simaChannels});
  LastLayerRecorder recorded;
  const torch::Tensor output = layer->forward(tokens, simaGrid, &recorded);
  std::vector<float> attention;
  const Eigen::MatrixXd expected =
      Direct(*layer).attended(inDouble(tokens[0]), "", mechanism_, simaGrid.count(), attention);
  const AttentionDescription& description = recorded.layer().attention->description();
  EXPECT_EQ(description.mechanism, mechanism_);
  EXPECT_EQ(description.parameters.at("D"), simaChannels / simaHeads);
  EXPECT_LT(difference(rowsOf(*recorded.layer().attention), {{}, attention}), 2e-6);
  EXPECT_LT(difference(valuesOf(output), {{}, rowMajor(expected)}), 2e-6);
}

TEST_P(SimaNormTest, OfXcitsClassBlocksIsTheFormulaInFloat64) {
  XcitClassAttention layer(XcitAttentionOptions{.name = "cls_attn_blocks.0.attn",
                                                .channels = simaChannels,
                                                .heads = simaHeads,
                                                .mechanism = GetParam().xcit});
  fillAtRandom(*layer);
  const torch::Tensor tokens = at::randn({1, 1 + simaGrid.count(), simaChannels});
  LastLayerRecorder recorded;
  const torch::Tensor output = layer->forward(tokens, simaGrid, &recorded);
  std::vector<float> attention;
  const Eigen::MatrixXd expected =
      Direct(*layer).attended(inDouble(tokens[0]), "", mechanism_, 1, attention);
  const AttentionDescription& description = recorded.layer().attention->description();
  EXPECT_EQ(description.mechanism, mechanism_ + "_class");
  EXPECT_EQ(description.parameters.at("D"), simaChannels / simaHeads);
  EXPECT_LT(difference(rowsOf(*recorded.layer().attention), {{}, attention}), 2e-6);
  EXPECT_LT(difference(valuesOf(output), {{}, rowMajor(expected)}), 2e-6);
}

/// With ReLU, as in Section 4.5; its GELU is compared with the authors' code elsewhere.
TEST_P(SimaNormTest, OfDeitsBlocksWithReluIsTheFormulaInFloat64) {
  VitConfiguration configuration = smallVit();
  configuration.channels = simaChannels;
  configuration.heads = simaHeads;
  configuration.hidden = 20;
  configuration.sima = GetParam().norm;
  configuration.activation = VitActivation::Relu;
  Group network;
  VitBlock block(*network, "block", configuration);
  fillAtRandom(*network);
  const int count = 1 + simaGrid.count();
  const torch::Tensor tokens = at::randn({1, count, simaChannels});
  LastLayerRecorder recorded;
  const torch::Tensor output = block.forward(tokens, {.grid = simaGrid}, &recorded);

  const Direct direct(*network->named_children()["block"]);
  const double epsilon = configuration.epsilon;
  const Eigen::MatrixXd x = inDouble(tokens[0]);
  std::vector<float> attention;
  const Eigen::MatrixXd middle =
      x + direct.attended(direct.norm(x, "norm1", epsilon), "attn.", mechanism_, count, attention);
  const Eigen::MatrixXd hidden = direct.linear(direct.norm(middle, "norm2", epsilon), "mlp.fc1");
  ASSERT_LT(hidden.minCoeff(), 0) << "ReLU has something to cut";
  const Eigen::MatrixXd expected = middle + direct.linear(hidden.cwiseMax(0), "mlp.fc2");
  EXPECT_EQ(recorded.layer().attention->description().mechanism, mechanism_);
  EXPECT_LT(difference(rowsOf(*recorded.layer().attention), {{}, attention}), 2e-6);
  EXPECT_LT(difference(valuesOf(output), {{}, rowMajor(expected)}), 2e-6);
}

INSTANTIATE_TEST_SUITE_P(Norms, SimaNormTest,
                         ::testing::Values(NamedNorm{SimaNorm::L1, XcitMechanism::Sima},
                                           NamedNorm{SimaNorm::L2, XcitMechanism::SimaL2},
                                           NamedNorm{SimaNorm::None,
                                                     XcitMechanism::SimaUnnormalised}),
                         [](const auto& test) { return mechanismName(test.param.norm); });

TEST(SimaNorm, OfCvtIsTheOneThatWasAskedFor) {
  const Golden golden("cvt", {.attention = "sima_l2"});
  EXPECT_TRUE(golden.model->summary().counterfactual);
  const Golden plain("cvt", {.attention = "sima_unnormalised"});
  // Queries of the first layer do not depend on the norm.
  const LayerInspection& layer = golden.inspection->layers.front();
  EXPECT_EQ(layer.attention->description().mechanism, "sima_l2");
  const Vector normed = layer.attention->row(0, 3);
  const Vector unnormed = plain.inspection->layers.front().attention->row(0, 3);
  EXPECT_GT(unnormed.cwiseAbs().maxCoeff(), 2 * normed.cwiseAbs().maxCoeff());
  for (const float logit : golden.inspection->logits) EXPECT_TRUE(std::isfinite(logit));
}

TEST(SimaNorm, EntriesReachTheBoundWhereOneQueryAndOneKeyAreNotZero) {
  for (const SimaNorm norm : {SimaNorm::L1, SimaNorm::L2}) {
    torch::Tensor query = at::zeros({1, 1, 9, 6});
    torch::Tensor key = at::zeros({1, 1, 9, 6});
    query[0][0][4].fill_(3);
    key[0][0][7].fill_(-0.2);
    LastLayerRecorder recorded;
    simaAttention(query, key, key, norm, {}, {}, &recorded);
    EXPECT_NEAR(recorded.layer().attention->row(0, 4).minCoeff(), -6, 1e-5) << "Section 2.2: -D";
  }
}

}  // namespace
}  // namespace softscope
