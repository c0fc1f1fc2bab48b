#include "core/model/Device.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace softscope {
namespace {

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

}  // namespace
}  // namespace softscope
