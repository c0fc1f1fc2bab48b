#ifdef SOFTSCOPE_HAS_ONEDNN

#include "models/cpu/PackedWeights.h"

#include "models/cpu/OneDnnPrimitives.h"

#include <utility>

namespace softscope {

std::optional<PackedWeights::Packing> PackedWeights::find(
    const std::vector<torch::Tensor>& tensors, const dnnl::memory::desc& layout,
    const std::function<std::optional<Packing>()>& pack) {
  const std::lock_guard lock(mutex_);
  areSame(tensors);
  for (const Packing& packing : packings_) {
    if (packing.weights.get_desc() == layout) return packing;
  }
  std::optional<Packing> packing = pack();
  if (packing) packings_.push_back(*packing);
  return packing;
}

bool PackedWeights::knows(const std::vector<torch::Tensor>& tensors) {
  const std::lock_guard lock(mutex_);
  return areSame(tensors);
}

dnnl::memory PackedWeights::reordered(const dnnl::memory& plain, const dnnl::memory::desc& layout) {
  dnnl::memory packed(layout, processor());
  run(dnnl::reorder(plain, packed), {{DNNL_ARG_FROM, plain}, {DNNL_ARG_TO, packed}});
  return packed;
}

PackedWeights::Source PackedWeights::sourceOf(const torch::Tensor& tensor) {
  if (!tensor.defined()) return {};
  return {tensor.storage(), tensor.storage_offset(), tensor.is_inference() ? 0 : tensor._version()};
}

bool PackedWeights::areSame(const std::vector<torch::Tensor>& tensors) {
  std::vector<Source> sources;
  for (const torch::Tensor& tensor : tensors) sources.push_back(sourceOf(tensor));
  const bool same = sources == sources_;
  if (!same) {
    packings_.clear();
    sources_ = std::move(sources);
  }
  return same;
}

}  // namespace softscope

#endif
