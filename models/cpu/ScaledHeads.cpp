#include "models/cpu/ScaledHeads.h"

#include "models/cpu/Inference.h"
#include "models/cpu/RowLoops.h"

namespace softscope {

namespace {

constexpr std::int64_t elementsPerTask = 1 << 14;

}  // namespace

ScaledHeads scaleHeads(const torch::Tensor& heads, double factor, bool withNorms) {
  if (!isInferredOnCpu(heads) || heads.stride(-1) != 1) {
    return {factor == 1 ? heads : heads * factor,
            withNorms ? heads.detach().abs().sum(-1) : torch::Tensor()};
  }
  const std::int64_t count = heads.size(1);
  const std::int64_t tokens = heads.size(2);
  const std::int64_t width = heads.size(3);
  ScaledHeads scaled{torch::empty(heads.sizes(), heads.options()),
                     torch::empty(heads.sizes().slice(0, 3), heads.options())};
  const float* from = heads.data_ptr<float>();
  float* to = scaled.scaled.data_ptr<float>();
  float* l1 = scaled.l1.data_ptr<float>();
  forRunsOfHeads(heads.size(0) * count, tokens, elementsPerTask / width + 1, tokens,
                 [&](std::int64_t head, std::int64_t token, std::int64_t run) {
                   const std::int64_t begin = head / count * heads.stride(0) +
                                              head % count * heads.stride(1) +
                                              token * heads.stride(2);
                   const std::int64_t row = head * tokens + token;
                   scaleRows(from + begin, heads.stride(2), run, width, static_cast<float>(factor),
                             to + row * width, l1 + row);
                 });
  if (!withNorms) scaled.l1.reset();
  return scaled;
}

}  // namespace softscope
