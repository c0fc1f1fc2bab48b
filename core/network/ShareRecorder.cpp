#include "core/network/ShareRecorder.h"

#include <torch/types.h>

#include <cstddef>
#include <cstdint>

namespace softscope {

namespace {

double normOf(const torch::Tensor& tensor) {
  return tensor.to(torch::kFloat64).norm().item<double>();
}

/// Returns what a head's term [n, d] adds to the residual stream, [n, C]: multiplied by the head's
/// columns of the projection, and by what the norm and the scale behind it do to every term alike.
torch::Tensor projected(const torch::Tensor& term, const torch::Tensor& weight,
                        const AdditionRecord& addition) {
  torch::Tensor output = at::matmul(term, weight.transpose(0, 1));
  if (addition.deviation.defined()) {
    const double share = 1.0 / static_cast<double>(output.size(-1));
    output = (output - output.sum(-1).unsqueeze(-1) * share) / addition.deviation;
  }
  return addition.scale.defined() ? output * addition.scale : output;
}

}  // namespace

void ShareRecorder::record(AttentionRecord record) {
  progress_.throwIfCancelled();
  mechanism_ = record.description.mechanism;
}

void ShareRecorder::recordTerms(TermRecord record) {
  LayerShare layer{record.layer, mechanism_, {}, {}, 0, 0};
  for (std::int64_t head = 0; head < record.attention.size(0); ++head) {
    HeadShare share;
    share.attentionNorm = normOf(record.attention[head]);
    if (record.beside.defined()) share.besideNorm = normOf(record.beside[head]);
    layer.heads.push_back(share);
  }
  layer.whole.attentionNorm = normOf(record.attention);
  if (record.beside.defined()) layer.whole.besideNorm = normOf(record.beside);
  layers_.push_back(std::move(layer));
  terms_ = std::move(record);
}

void ShareRecorder::recordAddition(AdditionRecord record) {
  LayerShare& layer = layers_.back();
  const torch::Tensor& attention = terms_.attention;
  const std::int64_t width = attention.size(2);
  for (std::size_t i = 0; i < layer.heads.size(); ++i) {
    const auto head = static_cast<std::int64_t>(i);
    const torch::Tensor columns = terms_.weight.slice(1, head * width, (head + 1) * width);
    layer.heads[i].projectedNorm = normOf(projected(attention[head], columns, record));
  }
  const torch::Tensor joined = attention.transpose(0, 1).flatten(1);
  layer.whole.projectedNorm = normOf(projected(joined, terms_.weight, record));
  layer.residualNorm = normOf(record.residual);
  layer.outputNorm = normOf(record.output);
  terms_ = {};
}

}  // namespace softscope
