#pragma once

#ifdef SOFTSCOPE_HAS_ONEDNN

#include <c10/core/Storage.h>
#include <torch/types.h>

#include <cstdint>
#include <dnnl.hpp>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

namespace softscope {

/// The weights of a layer in the layouts that oneDNN's code prefers for some input sizes. Each
/// layout is packed once, and again when one of the tensors it is made of has changed. Safe to call
/// from any thread.
class PackedWeights {
 public:
  struct Packing {
    dnnl::memory weights;
    torch::Tensor bias;
  };

  /// Returns the weights packed in a layout. If the current content of the tensors has not been
  /// packed in this layout yet, `pack` does so; returns nothing if `pack` returns nothing.
  std::optional<Packing> find(const std::vector<torch::Tensor>& tensors,
                              const dnnl::memory::desc& layout,
                              const std::function<std::optional<Packing>()>& pack);
  /// Returns true if the tensors were passed before and have not changed since.
  bool knows(const std::vector<torch::Tensor>& tensors);

  /// Converts weights from the layout of files to another one.
  static dnnl::memory reordered(const dnnl::memory& plain, const dnnl::memory::desc& layout);

 private:
  /// Identifies a tensor's content: its memory, held so that nothing else can be allocated there,
  /// the tensor's offset in it, and the number of changes.
  struct Source {
    c10::Storage memory;
    std::int64_t begin = 0;
    std::int64_t version = 0;

    bool operator==(const Source& other) const {
      return memory.unsafeGetStorageImpl() == other.memory.unsafeGetStorageImpl() &&
             begin == other.begin && version == other.version;
    }
  };

  static Source sourceOf(const torch::Tensor& tensor);
  /// Returns true if the tensors have not changed, and remembers their current state.
  bool areSame(const std::vector<torch::Tensor>& tensors);

  std::mutex mutex_;
  std::vector<Source> sources_;
  std::vector<Packing> packings_;
};

}  // namespace softscope

#else

namespace softscope {

class PackedWeights {};

}  // namespace softscope

#endif
