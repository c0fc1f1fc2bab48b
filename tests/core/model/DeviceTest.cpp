#include "core/model/Device.h"

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace softscope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class DeviceTest : public testing::Test {
 protected:
  ~DeviceTest() override { at::set_num_threads(before_); }

  const int cores_ = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));

 private:
  const int before_ = at::get_num_threads();
};

TEST_F(DeviceTest, NoMoreThreadsAreTakenThanThereAreCores) {
  setComputeThreads(1024);
  EXPECT_EQ(at::get_num_threads(), cores_);
}

TEST_F(DeviceTest, FewerAreTakenAsAsked) {
  setComputeThreads(1);
  EXPECT_EQ(at::get_num_threads(), 1);
  setComputeThreads(0);
  EXPECT_EQ(at::get_num_threads(), cores_);
}

TEST_F(DeviceTest, ThatIsMissingIsToldByWhatLacks) {
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
