#include "core/ShareWork.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace softscope {
namespace {

constexpr std::int64_t manyValues = std::int64_t{1} << 30;

TEST(ShareWork, CallsForEveryIndexOnce) {
  for (const std::int64_t count : {0, 1, 2, 13, 1000}) {
    for (const std::int64_t values : {std::int64_t{0}, manyValues}) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
      shareWork(count, values, [&](std::int64_t i) { ++calls[static_cast<std::size_t>(i)]; });
      for (const std::atomic<int>& each : calls) EXPECT_EQ(each, 1);
    }
  }
}

TEST(ShareWork, MayBeCalledFromSeveralThreadsAndFromItself) {
  std::atomic<int> calls = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&] {
        for (int round = 0; round < 50; ++round) {
          shareWork(5, manyValues, [&](std::int64_t) {
            shareWork(3, manyValues, [&](std::int64_t) { ++calls; });
          });
        }
      });
    }
  }
  EXPECT_EQ(calls, 4 * 50 * 5 * 3);
}

TEST(ShareWork, RethrowsAfterAllHaveEnded) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> running = 0;
    EXPECT_THROW(shareWork(64, manyValues,
                           [&](std::int64_t i) {
                             ++running;
                             if (i == 20) {
                               --running;
                               throw std::runtime_error("as asked");
                             }
                             --running;
                           }),
                 std::runtime_error);
    EXPECT_EQ(running, 0);
  }
  shareWork(2, manyValues, [](std::int64_t) {});
}

}  // namespace
}  // namespace softscope
