#include "models/layers/SummedTerms.h"

#include "models/layers/HeadTerms.h"

#include <vector>

namespace softscope {

namespace {

/// Returns the first picture's term of each head as the projection sees it: [heads, n, E].
torch::Tensor seenTerm(const torch::Tensor& term, const SummedTerms& terms,
                       const torch::Tensor& deviation) {
  if (!term.defined()) return {};
  torch::Tensor seen = term[0];
  if (deviation.defined()) {
    seen = (seen - seen.mean(-1, true)) / deviation[0] * terms.norm->weight;
  }
  return terms.gate.defined() ? seen * terms.gate[0] : seen;
}

torch::Tensor sumOf(const SummedTerms& terms, const std::vector<int>& silenced) {
  torch::Tensor attention = terms.attention;
  if (!silenced.empty()) {
    attention = attention.clone();
    for (const int head : silenced) attention.select(1, head).zero_();
  }
  const torch::Tensor sum = attention.sum(1);
  return terms.beside.defined() ? sum + terms.beside.sum(1) : sum;
}

}  // namespace

torch::Tensor joinSummedTerms(const SummedTerms& terms, double epsilon, const std::string& layer,
                              const torch::Tensor& weight, Recorder* recorder) {
  torch::Tensor sum = sumOf(terms, {});
  if (looksAtTerms(recorder)) {
    TermObserver& observer = *recorder->terms();
    torch::Tensor deviation;
    if (!terms.norm.is_empty()) deviation = (sum.var(-1, false, true) + epsilon).sqrt();
    observer.recordTerms({.layer = layer,
                          .attention = seenTerm(terms.attention, terms, deviation),
                          .beside = seenTerm(terms.beside, terms, deviation),
                          .weight = weight.repeat({1, terms.attention.size(1)})});
    sum = sumOf(terms, observer.silencedHeads(layer));
  }
  if (!terms.norm.is_empty()) sum = terms.norm->forward(sum);
  return terms.gate.defined() ? sum * terms.gate : sum;
}

torch::Tensor padHeads(const torch::Tensor& terms) {
  const std::int64_t heads = terms.size(1);
  const std::int64_t width = terms.size(3);
  torch::Tensor padded =
      at::zeros({terms.size(0), heads, terms.size(2), heads * width}, terms.options());
  for (std::int64_t head = 0; head < heads; ++head) {
    padded.select(1, head).slice(-1, head * width, (head + 1) * width).copy_(terms.select(1, head));
  }
  return padded;
}

}  // namespace softscope
