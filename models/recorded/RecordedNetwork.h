#pragma once

#include "core/model/Network.h"
#include "core/recording/Recording.h"

#include <string>

namespace softscope {

/// A recording in a network's place: whatever it is fed, it hands its layers to a recorder and
/// answers with the logits of the file. Throws InspectionError where somebody wants to look at the
/// terms of heads, or leave some out, for which there would have to be weights.
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
