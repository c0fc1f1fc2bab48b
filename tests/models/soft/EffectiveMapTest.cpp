#include "core/Error.h"
#include "core/inspect/LayerMap.h"
#include "core/network/NetworkModule.h"
#include "core/network/NetworkRun.h"
#include "tests/models/Golden.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

/// Keeps what layers add to the residual stream, and what to.
class KeptAdditions final : public Recorder, public TermObserver {
 public:
  TermObserver* terms() override { return this; }
  std::vector<int> silencedHeads(const std::string&) const override { return {}; }
  void record(AttentionRecord) override {}
  void recordTerms(TermRecord record) override { terms_.push_back(std::move(record)); }
  void recordAddition(AdditionRecord record) override { additions_.push_back(std::move(record)); }

  const TermRecord& termsOf(const std::string& layer) const { return of(terms_, layer); }
  const AdditionRecord& additionOf(const std::string& layer) const { return of(additions_, layer); }

 private:
  template <typename Record>
  static const Record& of(const std::vector<Record>& records, const std::string& layer) {
    return *std::find_if(records.begin(), records.end(),
                         [&](const Record& record) { return record.layer == layer; });
  }

  std::vector<TermRecord> terms_;
  std::vector<AdditionRecord> additions_;
};

/// A parameter under its published name.
torch::Tensor parameterOf(const Model& model, const std::string& name) {
  return dynamic_cast<NetworkModule&>(model.network()).named_parameters()[name];
}

torch::Tensor wholeOf(const AttentionMap& map, int head) {
  const Matrix whole = map.whole(head, std::size_t{1} << 30);
  return torch::from_blob(const_cast<float*>(whole.data()), {whole.rows(), whole.cols()})
      .to(torch::kFloat64);
}

void expectParity(const torch::Tensor& actual, const torch::Tensor& expected) {
  ASSERT_EQ(actual.sizes(), expected.sizes());
  const double largest = expected.abs().max().item<double>();
  ASSERT_GT(largest, 0);
  EXPECT_LT((actual - expected).abs().max().item<double>(), 1e-4 * largest);
}

class EffectiveMapTest : public ::testing::TestWithParam<std::pair<const char*, const char*>> {
 protected:
  Golden golden_{GetParam().first, {.attention = GetParam().second}};
};

// V is computed here from the block's input and the published weights; the maps know nothing of it.
TEST_P(EffectiveMapTest, TimesVIsAllThatTheLayerMakesOfIt) {
  const c10::InferenceMode inference;
  KeptAdditions kept;
  runNetwork(*golden_.model, golden_.input(), &kept);
  int compared = 0;
  for (const LayerInspection& layer : golden_.inspection->layers) {
    if (!layer.convolution) {
      EXPECT_EQ(layer.attention->description().mechanism, "softmax") << "the last stage's";
      continue;
    }
    SCOPED_TRACE(layer.name);
    const std::string parent = layer.name.substr(0, layer.name.rfind('.'));
    const AdditionRecord& addition = kept.additionOf(layer.name);
    const torch::Tensor value =
        at::linear(addition.residual.to(torch::kFloat64),
                   parameterOf(*golden_.model, parent + ".W_v.weight").to(torch::kFloat64),
                   parameterOf(*golden_.model, parent + ".W_v.bias").to(torch::kFloat64));
    const int heads = layer.attention->description().heads;
    const TermRecord& terms = kept.termsOf(layer.name);
    std::vector<torch::Tensor> joined;
    for (int head = 0; head < heads; ++head) {
      SCOPED_TRACE(head);
      const torch::Tensor v = value.chunk(heads, 1)[static_cast<std::size_t>(head)];
      const auto times = [&](ShownMap map) {
        return at::matmul(wholeOf(*mapOf(layer, map), head), v);
      };
      expectParity(times(ShownMap::Attention), terms.attention[head].to(torch::kFloat64));
      expectParity(times(ShownMap::Convolution), terms.beside[head].to(torch::kFloat64));
      joined.push_back(times(ShownMap::Effective));
      expectParity(joined.back(), (terms.attention[head] + terms.beside[head]).to(torch::kFloat64));
    }
    const torch::Tensor output = at::linear(
        at::cat(joined, 1), parameterOf(*golden_.model, parent + ".ff.weight").to(torch::kFloat64),
        parameterOf(*golden_.model, parent + ".ff.bias").to(torch::kFloat64));
    expectParity(output, addition.output.to(torch::kFloat64));
    ++compared;
  }
  EXPECT_EQ(compared, 4);
}

INSTANTIATE_TEST_SUITE_P(Soft, EffectiveMapTest,
                         ::testing::Values(std::pair("soft", "soft"),
                                           std::pair("soft_norm", "soft_norm"),
                                           std::pair("soft", "gaussian")));

// The stored rows are those of the authors' S, so that this is their S plus their filters.
TEST(EffectiveMap, IsTheOfficialAttentionPlusTheFiltersOfTheCheckpoint) {
  const Golden golden("soft", {.attention = "soft"});
  const std::string name = "block2.0.att.mha.attn";
  const LayerInspection& layer = *golden.inspection->find(name);
  const AttentionDescription& description = layer.attention->description();
  const TokenGrid grid = *description.queryGrid;
  const FloatArray official = readNpy(golden.path("block2_0_att_mha_attn.npy"));
  ASSERT_EQ(official.shape[1], description.queries) << "every row is stored";
  const torch::Tensor filters = parameterOf(*golden.model, name + ".conv.weight");
  const auto side = filters.size(2);
  const auto effective = mapOf(layer, ShownMap::Effective);
  for (int head = 0; head < description.heads; ++head) {
    for (const int query : {0, grid.width + 2, description.queries - 1}) {
      const auto first = (std::int64_t{head} * description.queries + query) * description.keys;
      Vector expected = Eigen::Map<const Vector>(official.values.data() + first, description.keys);
      const float largest = expected.cwiseAbs().maxCoeff();
      for (std::int64_t a = 0; a < side; ++a) {
        for (std::int64_t b = 0; b < side; ++b) {
          const std::int64_t row = query / grid.width + a - side / 2;
          const std::int64_t column = query % grid.width + b - side / 2;
          if (row < 0 || column < 0 || row >= grid.height || column >= grid.width) continue;
          expected[row * grid.width + column] += filters[head][0][a][b].item<float>();
        }
      }
      EXPECT_LT((effective->row(head, query) - expected).cwiseAbs().maxCoeff(), 1e-4f * largest);
    }
  }
}

TEST(EffectiveMap, IsNotThereWhereNothingStandsBesideTheAttention) {
  for (const auto& [folder, attention] :
       {std::pair("sima", "sima"), std::pair("xcit", "xca_channel"), std::pair("deit", "softmax"),
        std::pair("t2t_performer", "performer")}) {
    const Golden golden(folder, {.attention = attention});
    for (const LayerInspection& layer : golden.inspection->layers) {
      EXPECT_FALSE(layer.convolution) << folder << ' ' << layer.name;
      EXPECT_THROW(mapOf(layer, ShownMap::Effective), InspectionError);
    }
  }
}

}  // namespace
}  // namespace softscope
