#pragma once

#include "core/model/Recorder.h"
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
  int ratio = 1;     ///< side of the window one landmark stands for, where there are landmarks
  int features = 0;  ///< Performer's m
  LandmarkChoice landmarks = {};
  const MechanismImplementation* implementation = nullptr;
};

/// `mha.attn` of SOFT's pyramid: what attends in the place of SOFT's kernel, and what it has beside
/// query, key and value; most have nothing.
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

template <typename Kernel>
std::shared_ptr<PyramidKernel> makePyramidKernel(const PyramidAttentionOptions& options) {
  return std::make_shared<Kernel>(options);
}

/// What the first values of a mechanism's parameters depend on, of one of stages 1 to 3.
struct PyramidStage {
  int tokens = 0;
  int headWidth = 0;
};

}  // namespace softscope
