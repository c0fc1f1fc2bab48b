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

/// The weights of a layer in the layouts that oneDNN's code for some sizes of input wants, each put
/// so once, and again when a tensor that they are made of was changed. Any thread may ask.
class PackedWeights {
 public:
  struct Packing {
    dnnl::memory weights;
    torch::Tensor bias;
  };

  /// The packing of that layout, which `pack` makes where there is none of what the tensors are
  /// now, or nothing where it makes none.
  std::optional<Packing> find(const std::vector<torch::Tensor>& tensors,
                              const dnnl::memory::desc& layout,
                              const std::function<std::optional<Packing>()>& pack);
  /// Whether the tensors were asked about before, and have not changed since.
  bool knows(const std::vector<torch::Tensor>& tensors);

  /// Weights that lie as in a file, in another layout.
  static dnnl::memory reordered(const dnnl::memory& plain, const dnnl::memory::desc& layout);

 private:
  /// A tensor's memory, held so that nothing else can come to lie there, where in it the tensor
  /// begins, and how often it was changed.
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
  /// Whether they are what they were; notes what they are now.
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
