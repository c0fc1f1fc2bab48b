#pragma once

#include "core/network/NetworkModule.h"
#include "models/layers/Layers.h"
#include "models/structure/NonLocalCnn.h"

#include <map>
#include <string>

namespace softscope {

/// A convolutional network with non-local blocks, run step by step.
class NonLocalCnnNetwork : public NetworkModule {
 public:
  explicit NonLocalCnnNetwork(const NonLocalCnnStructure& structure);

  torch::Tensor forward(const torch::Tensor& pictures, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;

 private:
  void addWeight(const std::string& path, const std::vector<std::int64_t>& shape, bool hasBias);
  void addNonLocal(const CnnNonLocal& block);
  torch::Tensor convolve(const std::string& path, const torch::Tensor& map, std::int64_t stride = 1,
                         std::int64_t padding = 0) const;
  torch::Tensor run(const CnnNonLocal& block, const torch::Tensor& map, Recorder* recorder);
  torch::Tensor weigh(const CnnNonLocal& block, const torch::Tensor& query,
                      const torch::Tensor& key, const torch::Tensor& value,
                      AttentionDescription description, Recorder* recorder) const;

  NonLocalCnnStructure structure_;
  /// Weights and biases by the paths of their layers.
  std::map<std::string, torch::Tensor> weights_;
  std::map<std::string, torch::Tensor> biases_;
  std::map<std::string, BatchNorm> norms_;
};

}  // namespace softscope
