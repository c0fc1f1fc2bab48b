#pragma once

#include "core/model/Network.h"
#include "core/recording/Recording.h"

#include <string>

namespace softscope {

/// A recording in the role of a network: for any input, it passes its layers to a recorder and
/// returns the logits of the file. Throws InspectionError if the terms of heads are to be observed
/// or silenced, which would require weights.
class RecordedNetwork final : public Network {
 public:
  explicit RecordedNetwork(Recording recording);

  torch::Tensor forward(const torch::Tensor& pictures, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;
  torch::Device device() const override { return torch::kCPU; }

 private:
  Recording recording_;
};

}  // namespace softscope
