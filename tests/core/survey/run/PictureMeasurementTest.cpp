#include "core/Error.h"
#include "core/network/Network.h"
#include "core/survey/run/PictureMeasurement.h"
#include "tests/core/image/Fixtures.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <memory>
#include <string>
#include <utility>

namespace softscope {
namespace {

/// Fails as LibTorch does, with these words.
class FailingNetwork final : public Network {
 public:
  explicit FailingNetwork(std::string words) : words_(std::move(words)) {}
  torch::Tensor forward(const torch::Tensor&, Recorder*) override {
    TORCH_CHECK(false, words_);
    return {};
  }
  void checkInputSize(int, int) const override {}
  torch::Device device() const override { return torch::kCPU; }

 private:
  std::string words_;
};

PictureMeasurement measurementThatFails(const std::string& words) {
  SurveyedModel surveyed;
  surveyed.model = std::make_shared<Model>(ModelSummary{}, std::make_shared<FailingNetwork>(words));
  surveyed.transform.height = surveyed.transform.width = 32;
  return {{surveyed}, {}};
}

TEST(PictureMeasurement, AFaultOfTheDeviceIsNoneOfThePicture) {
  const std::string picture = test::fixture("bilevel.png");
  const PictureMeasurement faulty =
      measurementThatFails("CUDA error: an illegal memory access was encountered");
  EXPECT_THROW(faulty.measure(picture, {}), ComputeError);
  const PictureMeasurement unfit = measurementThatFails("shapes cannot be multiplied");
  EXPECT_NE(unfit.measure(picture, {}).unreadable.find("shapes"), std::string::npos);
}

}  // namespace
}  // namespace softscope
