#include "models/layers/HeadTerms.h"

#include "models/layers/Layers.h"

#include <utility>

namespace softscope {

namespace {

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

}  // namespace softscope
