#include "models/pyramid/PyramidMechanisms.h"

#include "models/attention/CosformerAttention.h"
#include "models/attention/EfficientAttention.h"
#include "models/attention/EluAttention.h"
#include "models/attention/LinformerAttention.h"
#include "models/attention/NystromformerAttention.h"
#include "models/attention/PerformerAttention.h"
#include "models/attention/SimaAttention.h"
#include "models/attention/SoftmaxAttention.h"
#include "models/layers/HeadMaps.h"
#include "models/layers/LandmarkGrid.h"

#include <ATen/CPUGeneratorImpl.h>

#include <cmath>
#include <utility>

namespace softscope {
namespace {

double inverseRootOfWidth(const torch::Tensor& query) {
  return 1 / std::sqrt(static_cast<double>(query.size(-1)));
}

template <typename Kernel>
std::shared_ptr<PyramidKernel> kernelOf(const PyramidAttentionOptions& options) {
  return std::make_shared<Kernel>(options);
}

class SoftmaxKernel final : public PyramidKernel {
  using PyramidKernel::PyramidKernel;
  torch::Tensor attend(Input in) override {
    return softmaxAttention(in.query, in.key, in.value, inverseRootOfWidth(in.query), in.layer,
                            in.description, in.recorder);
  }
};

class SimaKernel final : public PyramidKernel {
  using PyramidKernel::PyramidKernel;
  torch::Tensor attend(Input in) override {
    return simaAttention(in.query, in.key, in.value, simaEpsilon, in.layer, in.description,
                         in.recorder);
  }
};

class EluKernel final : public PyramidKernel {
  using PyramidKernel::PyramidKernel;
  torch::Tensor attend(Input in) override {
    return eluAttention(in.query, in.key, in.value, in.layer, in.description, in.recorder);
  }
};

class EfficientKernel final : public PyramidKernel {
  using PyramidKernel::PyramidKernel;
  torch::Tensor attend(Input in) override {
    return efficientAttention(in.query, in.key, in.value, in.layer, in.description, in.recorder);
  }
};

class CosformerKernel final : public PyramidKernel {
  using PyramidKernel::PyramidKernel;
  torch::Tensor attend(Input in) override {
    return cosformerAttention(in.query, in.key, in.value, in.grid, in.layer, in.description,
                              in.recorder);
  }
};

/// Keys and values shortened by a learned depthwise convolution `E`, filters [heads, 1, r, r].
class LinformerKernel final : public PyramidKernel {
 public:
  explicit LinformerKernel(const PyramidAttentionOptions& options) : PyramidKernel(options) {
    shortening_ = register_module("E", Convolution(ConvolutionOptions{.inputs = options.heads,
                                                                      .outputs = options.heads,
                                                                      .kernel = options.ratio,
                                                                      .stride = options.ratio,
                                                                      .groups = options.heads,
                                                                      .bias = false}));
  }

  torch::Tensor attend(Input in) override {
    describeLandmarks(in.description, options().ratio);
    LinformerInput input{.query = in.query,
                         .key = in.key,
                         .shortenedKey = filterHeads(shortening_, in.key, in.grid),
                         .shortenedValue = filterHeads(shortening_, in.value, in.grid),
                         .projection = {}};
    if (in.recorder != nullptr) {
      input.projection = convolutionMatrix(shortening_->weight, in.grid);
    }
    return linformerAttention(input, in.layer, std::move(in.description), in.recorder);
  }

 private:
  Convolution shortening_{nullptr};
};

/// FAVOR+, with floor(d ln d) random features: the buffer `projection` [m, d], which is drawn once
/// and not trained.
class PerformerKernel final : public PyramidKernel {
 public:
  explicit PerformerKernel(const PyramidAttentionOptions& options) : PyramidKernel(options) {
    randomFeatures_ = register_buffer(
        "projection", torch::empty({options.features, options.channels / options.heads}));
  }

  torch::Tensor attend(Input in) override {
    return performerAttention(in.query, in.key, in.value, randomFeatures_, in.layer, in.description,
                              in.recorder);
  }

 private:
  torch::Tensor randomFeatures_;
};

/// Landmarks by average pooling in two dimensions.
class NystromformerKernel final : public PyramidKernel {
 public:
  using PyramidKernel::PyramidKernel;

  torch::Tensor attend(Input in) override {
    describeLandmarks(in.description, options().ratio);
    return nystromformerAttention({.query = in.query,
                                   .key = in.key,
                                   .value = in.value,
                                   .queryLandmarks = poolHeads(in.query, in.grid, options().ratio),
                                   .keyLandmarks = poolHeads(in.key, in.grid, options().ratio),
                                   .scale = inverseRootOfWidth(in.query)},
                                  in.layer, in.description, in.recorder);
  }
};

/// Draws Performer's random features, which no training changes, the same in every call.
void drawRandomFeatures(const SoftConfiguration&, torch::nn::Module& network) {
  const torch::NoGradGuard noGradient;
  at::Generator generator = at::detail::createCPUGenerator();
  for (const auto& buffer : network.named_buffers()) {
    if (!buffer.key().ends_with(".attn.projection")) continue;
    torch::Tensor projection = buffer.value();
    projection.copy_(orthogonalRandomFeatures(static_cast<int>(projection.size(0)),
                                              static_cast<int>(projection.size(1)), generator));
  }
}

/// Starts a network of unnormalised ELU attention with rows that sum to about one, as those of the
/// other mechanisms do. With biases of 0 they sum to sqrt(n) d, and what attention adds drowns the
/// tokens.
void startEluRowsAtOne(const SoftConfiguration& sizes, torch::nn::Module& network) {
  for (std::size_t stage = 0; stage < sizes.ratios.size(); ++stage) {
    const std::string blocks = "block" + std::to_string(stage + 1) + ".";
    const double width = sizes.channels[stage] / sizes.heads[stage];
    const double bias = eluBiasOfUnitRows(sizes.positions[stage], width);
    for (auto& parameter : network.named_parameters()) {
      const std::string& name = parameter.key();
      if (!name.starts_with(blocks)) continue;
      if (name.ends_with(".mha.W_q.bias") || name.ends_with(".mha.W_k.bias")) {
        parameter.value().fill_(bias);
      }
    }
  }
}

}  // namespace

torch::Tensor PyramidKernel::forward(const torch::Tensor& query, const torch::Tensor& key,
                                     const torch::Tensor& value, const TokenGrid& grid,
                                     Recorder* recorder) {
  AttentionDescription description;
  description.mechanism = options_.mechanism->name;
  description.queryGrid = grid;
  description.keyGrid = grid;
  return attend({query, key, value, grid, options_.name, std::move(description), recorder});
}

const std::vector<PyramidMechanism>& pyramidMechanisms() {
  static const std::vector<PyramidMechanism> all{
      {.name = "softmax", .makeKernel = kernelOf<SoftmaxKernel>},
      {.name = "linformer",
       .ownParameter = "E.weight",
       .hasLandmarks = true,
       .makeKernel = kernelOf<LinformerKernel>},
      {.name = "performer",
       .ownParameter = "projection",
       .makeKernel = kernelOf<PerformerKernel>,
       .fill = drawRandomFeatures},
      {.name = "nystromformer", .hasLandmarks = true, .makeKernel = kernelOf<NystromformerKernel>},
      {.name = "sima", .makeKernel = kernelOf<SimaKernel>},
      {.name = "elu", .makeKernel = kernelOf<EluKernel>, .fill = startEluRowsAtOne},
      {.name = "efficient", .makeKernel = kernelOf<EfficientKernel>},
      {.name = "cosformer", .makeKernel = kernelOf<CosformerKernel>},
  };
  return all;
}

const PyramidMechanism* findPyramidMechanism(const std::string& name) {
  for (const PyramidMechanism& mechanism : pyramidMechanisms()) {
    if (mechanism.name == name) return &mechanism;
  }
  return nullptr;
}

}  // namespace softscope
