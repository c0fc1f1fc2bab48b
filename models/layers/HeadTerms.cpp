#include "models/layers/HeadTerms.h"

#include <utility>
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

torch::Tensor withoutHeads(const torch::Tensor& attention, const std::vector<int>& heads) {
  if (heads.empty()) return attention;
  torch::Tensor kept = attention.clone();
  for (const int head : heads) kept.select(1, head).zero_();
  return kept;
}

/// Returns a term of the first picture, multiplied by the gate, which multiplies the sum and
/// therefore each term.
torch::Tensor gatedTerm(const torch::Tensor& term, const torch::Tensor& gate) {
  if (!term.defined()) return {};
  return gate.defined() ? term[0] * gate[0] : term[0];
}

torch::Tensor joinSum(const torch::Tensor& attention, const HeadTerms& terms) {
  // `beside` has the memory layout of the joined heads, and a sum takes the layout of its first
  // term.
  const torch::Tensor sum = terms.beside.defined() ? terms.beside + attention : attention;
  return joinHeads(terms.gate.defined() ? terms.gate * sum : sum);
}

}  // namespace

torch::Tensor joinSummedTerms(const SummedTerms& terms, const std::string& layer,
                              const torch::Tensor& weight, Recorder* recorder) {
  torch::Tensor sum = sumOf(terms, {});
  if (looksAtTerms(recorder)) {
    TermObserver& observer = *recorder->terms();
    torch::Tensor deviation;
    if (!terms.norm.is_empty()) deviation = terms.norm->deviation(sum);
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

bool looksAtTerms(Recorder* recorder) {
  return recorder != nullptr && recorder->terms() != nullptr;
}

torch::Tensor joinTerms(const HeadTerms& terms, const std::string& layer,
                        const torch::Tensor& weight, Recorder* recorder) {
  if (!looksAtTerms(recorder)) return joinSum(terms.attention, terms);
  TermObserver& observer = *recorder->terms();
  observer.recordTerms({.layer = layer,
                        .attention = gatedTerm(terms.attention, terms.gate),
                        .beside = gatedTerm(terms.beside, terms.gate),
                        .weight = weight});
  const torch::Tensor passed = observer.passOn(layer, terms.attention);
  return joinSum(withoutHeads(passed, observer.silencedHeads(layer)), terms);
}

void recordAddition(Recorder* recorder, const std::string& layer, const torch::Tensor& residual,
                    const torch::Tensor& output, const torch::Tensor& scale) {
  if (!looksAtTerms(recorder)) return;
  recorder->terms()->recordAddition(
      {.layer = layer, .residual = residual[0], .output = output[0], .scale = scale});
}

void recordNormedAddition(Recorder* recorder, const std::string& layer,
                          const torch::Tensor& residual, const torch::Tensor& output,
                          const NormBehind& behind) {
  if (!looksAtTerms(recorder)) return;
  const torch::Tensor& weight = behind.norm->weight;
  recorder->terms()->recordAddition(
      {.layer = layer,
       .residual = residual[0],
       .output = output[0],
       .scale = behind.scale.defined() ? behind.scale * weight : weight,
       .deviation = behind.norm->deviation(behind.projected[0])});
}

}  // namespace softscope
