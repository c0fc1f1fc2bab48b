#include "models/attention/MixedSoftmax.h"

#include "models/layers/Products.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace softscope {

namespace {

/// Mixes heads: [B, f, n, m] by weights [g, f] to [B, g, n, m].
torch::Tensor mixHeads(const torch::Tensor& weights, const torch::Tensor& x) {
  return at::einsum("gf,bfnm->bgnm", {weights, x});
}

torch::Tensor attendInMixedStrips(const torch::Tensor& query, const torch::Tensor& key,
                                  const torch::Tensor& value, const SoftmaxMixture& mixture,
                                  const Recorder* recorder) {
  constexpr std::int64_t mostScores = std::int64_t{1} << 26;
  const std::int64_t heads = std::max(query.size(1), value.size(1));
  const std::int64_t strip =
      std::clamp<std::int64_t>(mostScores / (query.size(0) * heads * key.size(2)), 16, 1024);
  const torch::Tensor keys = key.transpose(-1, -2);
  std::vector<torch::Tensor> strips;
  for (std::int64_t first = 0; first < query.size(2); first += strip) {
    if (recorder != nullptr) recorder->throwIfCancelled();
    const torch::Tensor queries = query.slice(2, first, first + strip) * mixture.scale;
    torch::Tensor scores = matrixProduct(queries, keys);
    if (mixture.before.defined()) scores = mixHeads(mixture.before, scores);
    if (mixture.bias.defined()) {
      scores = scores + mixture.positions->biases(mixture.bias, first, queries.size(2));
    }
    torch::Tensor attention = scores.softmax(-1);
    if (mixture.after.defined()) attention = mixHeads(mixture.after, attention);
    if (mixture.added.defined()) attention = attention + mixture.added.view({-1, 1, 1});
    strips.push_back(matrixProduct(attention, value));
  }
  return strips.size() == 1 ? strips.front() : at::cat(strips, 2);
}

}  // namespace

RelativePositions::RelativePositions(const TokenGrid& grid, int prefixTokens,
                                     const torch::Device& device)
    : grid_(grid) {
  const auto options = torch::dtype(torch::kLong).device(device);
  const torch::Tensor outside = torch::full({prefixTokens}, -1, options);
  const torch::Tensor patches = torch::arange(grid.count(), options);
  rows_ = at::cat({outside, patches.div(grid.width, "floor")});
  columns_ = at::cat({outside, patches.remainder(grid.width)});
}

RelativePositions RelativePositions::ofTokens(const torch::Tensor& kept) const {
  RelativePositions some = *this;
  some.rows_ = rows_.index_select(0, kept);
  some.columns_ = columns_.index_select(0, kept);
  return some;
}

torch::Tensor RelativePositions::biases(const torch::Tensor& tables, std::int64_t first,
                                        std::int64_t count) const {
  const std::int64_t entries = tables.size(1);
  const torch::Tensor rows = rows_.slice(0, first, first + count).unsqueeze(1);
  const torch::Tensor columns = columns_.slice(0, first, first + count).unsqueeze(1);
  const torch::Tensor isClassQuery = (rows < 0).expand({-1, rows_.size(0)});
  const torch::Tensor isClassKey = (rows_ < 0).unsqueeze(0).expand({rows.size(0), -1});
  torch::Tensor index = (rows - rows_ + grid_.height - 1) * (2 * grid_.width - 1) + columns -
                        columns_ + grid_.width - 1;
  index = index.masked_fill(isClassQuery, entries - 3)
              .masked_fill(isClassKey, entries - 2)
              .masked_fill(isClassQuery.logical_and(isClassKey), entries - 1);
  return tables.index_select(1, index.flatten()).view({tables.size(0), rows.size(0), -1});
}

torch::Tensor mixedSoftmaxAttention(const torch::Tensor& query, const torch::Tensor& key,
                                    const torch::Tensor& value, const SoftmaxMixture& mixture,
                                    const std::string& layer,
                                    const AttentionDescription& description, Recorder* recorder) {
  if (recorder != nullptr) {
    recorder->record(
        AttentionRecord{.layer = layer,
                        .description = description,
                        .map = MixtureTensors{query[0], key[0], mixture.scale, mixture.bias,
                                              mixture.before, mixture.after, mixture.added},
                        .queryL1 = query[0].abs().sum(-1),
                        .keyL1 = key[0].abs().sum(-1),
                        .value = value[0]});
  }
  return attendInMixedStrips(query, key, value, mixture, recorder);
}

}  // namespace softscope
