#include "core/Error.h"
#include "models/attention/SoftmaxAttention.h"
#include "models/soft/SoftAttention.h"

#include <gtest/gtest.h>

namespace softscope {
namespace {

/// Is cancelled once a layer has begun its third strip.
class ImpatientRecorder final : public Recorder {
 public:
  void record(AttentionRecord) override {}
  void throwIfCancelled() const override {
    if (++strips_ == 3) throw Cancelled();
  }
  int strips() const { return strips_; }

 private:
  mutable int strips_ = 0;
};

TEST(Cancellation, StopsASoftmaxBetweenItsStrips) {
  const torch::Tensor tokens = torch::randn({1, 1, 16384, 2});
  ImpatientRecorder recorder;
  EXPECT_THROW(softmaxAttention(tokens, tokens, tokens, 1, "layer", {}, &recorder), Cancelled);
  EXPECT_EQ(recorder.strips(), 3);
}

TEST(Cancellation, StopsTheExactGaussianBetweenItsStrips) {
  const torch::NoGradGuard noGradient;
  SoftAttention attention(SoftAttentionOptions{.name = "layer",
                                               .channels = 8,
                                               .heads = 2,
                                               .ratio = 2,
                                               .convolution = 3,
                                               .mechanism = SoftMechanism::Gaussian});
  ImpatientRecorder recorder;
  EXPECT_THROW(attention->forward(torch::randn({1, 1024, 8}), {32, 32}, &recorder), Cancelled);
  EXPECT_EQ(recorder.strips(), 3);
}

}  // namespace
}  // namespace softscope
