#pragma once

#include "models/cpu/Inference.h"
#include "models/cpu/OneDnn.h"

#include <torch/types.h>

#include <dnnl.hpp>
#include <map>
#include <unordered_map>
#include <vector>

namespace softscope {

// The first and last steps of every computation with oneDNN.

inline dnnl::engine& processor() {
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

/// Wraps a tensor's memory in a layout, without copying; empty for an undefined tensor.
inline dnnl::memory inPlace(const dnnl::memory::desc& layout, const torch::Tensor& tensor) {
  if (!tensor.defined()) return {};
  return {layout, processor(), tensor.data_ptr<float>()};
}

/// Returns the entry of `compiled` for `key`, compiling it if needed. The most recently compiled
/// entries are kept, separately for each thread, because a primitive must not run in two threads at
/// once.
template <typename Key, typename Primitive, typename Compile>
const Primitive& compiledFor(std::map<Key, Primitive>& compiled, const Key& key,
                             const Compile& compile) {
  constexpr std::size_t most = 256;
  const auto known = compiled.find(key);
  if (known != compiled.end()) return known->second;
  if (compiled.size() >= most) compiled.clear();
  return compiled.emplace(key, compile()).first->second;
}

inline dnnl::algorithm algorithmOf(Activation activation) {
  switch (activation) {
    case Activation::Relu:
      return dnnl::algorithm::eltwise_relu;
    case Activation::Gelu:
      return dnnl::algorithm::eltwise_gelu_erf;
    case Activation::TanhGelu:
      return dnnl::algorithm::eltwise_gelu_tanh;
    case Activation::None:
      break;
  }
  return dnnl::algorithm::undef;
}

/// Returns true if a product or convolution of `terms` may be followed by the activation. oneDNN's
/// ReLU turns NaN into zero, and would hide that a weight or what came before is undefined.
inline bool mayBeFollowedBy(Activation activation, const std::vector<torch::Tensor>& terms) {
  return activation != Activation::Relu || areFinite(terms);
}

/// Returns the attributes of a primitive that applies `activation` to its result.
inline dnnl::primitive_attr followedBy(Activation activation) {
  const dnnl::algorithm algorithm = algorithmOf(activation);
  dnnl::primitive_attr attributes;
  if (algorithm == dnnl::algorithm::undef) return attributes;
  dnnl::post_ops operations;
  operations.append_eltwise(1, algorithm, 0, 0);
  attributes.set_post_ops(operations);
  return attributes;
}

inline void run(const dnnl::primitive& primitive,
                const std::unordered_map<int, dnnl::memory>& arguments) {
  dnnl::stream stream(processor());
  primitive.execute(stream, arguments);
  stream.wait();
}

/// Runs a primitive that multiplies or convolves x with weights; `bias` is empty if there is none.
inline void runWeighted(const dnnl::primitive& primitive, const dnnl::memory& x,
                        const dnnl::memory& weights, const dnnl::memory& bias,
                        const dnnl::memory& result) {
  std::unordered_map<int, dnnl::memory> arguments{
      {DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, result}};
  if (bias) arguments.emplace(DNNL_ARG_BIAS, bias);
  run(primitive, arguments);
}

}  // namespace softscope
