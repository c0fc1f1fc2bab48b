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

torch::Tensor joinSum(const torch::Tensor& attention, const torch::Tensor& beside) {
  // What stands beside lies in memory as the joined heads do, and the sum as its first term does.
  return joinHeads(beside.defined() ? beside + attention : attention);
}

}  // namespace

bool looksAtTerms(Recorder* recorder) {
  return recorder != nullptr && recorder->terms() != nullptr;
}

torch::Tensor joinTerms(const HeadTerms& terms, const std::string& layer,
                        const torch::Tensor& weight, Recorder* recorder) {
  if (!looksAtTerms(recorder)) return joinSum(terms.attention, terms.beside);
  TermObserver& observer = *recorder->terms();
  observer.recordTerms({.layer = layer,
                        .attention = terms.attention[0],
                        .beside = terms.beside.defined() ? terms.beside[0] : torch::Tensor(),
                        .weight = weight});
  return joinSum(withoutHeads(terms.attention, observer.silencedHeads(layer)), terms.beside);
}

void recordAddition(Recorder* recorder, const std::string& layer, const torch::Tensor& residual,
                    const torch::Tensor& output, const torch::Tensor& scale) {
  if (!looksAtTerms(recorder)) return;
  recorder->terms()->recordAddition(
      {.layer = layer, .residual = residual[0], .output = output[0], .scale = scale});
}

}  // namespace softscope
