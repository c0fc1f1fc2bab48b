#include "core/model/Device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace softscope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Device, ThatIsMissingIsToldByWhatLacks) {
  EXPECT_THAT(missingDeviceText("cuda", {"cpu"}, false),
              HasSubstr("found: cpu (this LibTorch was built without CUDA)"));
  const std::string noGpu = missingDeviceText("cuda", {"cpu"}, true);
  EXPECT_THAT(noGpu, HasSubstr("has CUDA, but no GPU answers it"));
  EXPECT_THAT(noGpu, Not(HasSubstr("without CUDA")));
  const std::string another = missingDeviceText("cuda:3", {"cpu", "cuda:0"}, true);
  EXPECT_THAT(another, HasSubstr("found: cpu, cuda:0. Use one of these"));
  EXPECT_THAT(another, Not(HasSubstr("no GPU")));
}

}  // namespace
}  // namespace softscope
