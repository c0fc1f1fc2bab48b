#pragma once

#include "core/network/Recorder.h"
#include "models/layers/LandmarkGrid.h"
#include "models/layers/Layers.h"

#include <memory>
#include <string>
#include <utility>

namespace softscope {

struct MechanismImplementation;

struct PyramidAttentionOptions {
  std::string name;  ///< the path of `mha.attn`, for the recorder
  int channels = 0;
  int heads = 0;
  int ratio = 1;     ///< side of the window that one landmark stands for, if there are landmarks
  int features = 0;  ///< Performer's m
  LandmarkChoice landmarks = {};
  const MechanismImplementation* implementation = nullptr;
};

/// `mha.attn` of SOFT's pyramid: the attention that replaces SOFT's kernel, and its own parameters
/// besides query, key and value, if any.
class PyramidKernel : public torch::nn::Module {
 public:
  explicit PyramidKernel(PyramidAttentionOptions options) : options_(std::move(options)) {}
  /// Maps query, key and value [B, heads, n, d] to the result [B, heads, n, d].
  torch::Tensor forward(const torch::Tensor& query, const torch::Tensor& key,
                        const torch::Tensor& value, const TokenGrid& grid, Recorder* recorder);

 protected:
  struct Input {
    const torch::Tensor& query;
    const torch::Tensor& key;
    const torch::Tensor& value;
    const TokenGrid& grid;
    const std::string& layer;
    /// Description of the map, as far as all mechanisms share it.
    AttentionDescription description;
    Recorder* recorder = nullptr;
  };
  virtual torch::Tensor attend(Input input) = 0;
  const PyramidAttentionOptions& options() const { return options_; }

 private:
  PyramidAttentionOptions options_;
};

template <typename Kernel>
std::shared_ptr<PyramidKernel> makePyramidKernel(const PyramidAttentionOptions& options) {
  return std::make_shared<Kernel>(options);
}

/// The properties of a stage (1 to 3) that the initial values of a mechanism's parameters depend
/// on.
struct PyramidStage {
  int tokens = 0;
  int headWidth = 0;
};

}  // namespace softscope
