#pragma once

#include "models/layers/StageAttention.h"
#include "models/soft/SoftNetwork.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

struct PyramidMechanism;

struct PyramidAttentionOptions {
  std::string name;  ///< the path of `mha.attn`, for the recorder
  int channels = 0;
  int heads = 0;
  int ratio = 1;     ///< side of the window one landmark stands for, where there are landmarks
  int features = 0;  ///< Performer's m
  const PyramidMechanism* mechanism = nullptr;
};

/// `mha.attn`: what attends, and what it has beside query, key and value; most have nothing.
class PyramidKernel : public torch::nn::Module {
 public:
  explicit PyramidKernel(PyramidAttentionOptions options) : options_(std::move(options)) {}
  /// Query, key and value [B, heads, n, d] -> [B, heads, n, d].
  torch::Tensor forward(const torch::Tensor& query, const torch::Tensor& key,
                        const torch::Tensor& value, const TokenGrid& grid, Recorder* recorder);

 protected:
  struct Input {
    const torch::Tensor& query;
    const torch::Tensor& key;
    const torch::Tensor& value;
    const TokenGrid& grid;
    const std::string& layer;
    /// Of the map, as far as all mechanisms share it.
    AttentionDescription description;
    Recorder* recorder = nullptr;
  };
  virtual torch::Tensor attend(Input input) = 0;
  const PyramidAttentionOptions& options() const { return options_; }

 private:
  PyramidAttentionOptions options_;
};

/// What stands in the place of SOFT's kernel, described once: identification, networks, training
/// and metadata are made from this.
struct PyramidMechanism {
  /// As in AttentionDescription: `performer`.
  std::string name;
  /// The parameter or buffer of `mha.attn` that this mechanism alone has, by which weights tell it;
  /// empty where its parameters are the projections alone.
  std::string ownParameter;
  /// Whether windows of r x r tokens stand for all tokens, as SOFT's landmarks do.
  bool hasLandmarks = false;
  std::shared_ptr<PyramidKernel> (*makeKernel)(const PyramidAttentionOptions& options) = nullptr;
  /// What initialise() does not do for a network that is trained from nothing; null for nothing.
  void (*fill)(const SoftConfiguration& sizes, torch::nn::Module& network) = nullptr;
};

/// Every mechanism that SOFT's pyramid takes, in the order in which they are listed.
const std::vector<PyramidMechanism>& pyramidMechanisms();
/// The one of that name, or null.
const PyramidMechanism* findPyramidMechanism(const std::string& name);

}  // namespace softscope
