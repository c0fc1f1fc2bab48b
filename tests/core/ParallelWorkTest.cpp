#include "core/ParallelWork.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
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

namespace {

TEST(OrderedWork, TakesResultsInTheirOrder) {
  for (const int workers : {1, 3}) {
    std::vector<std::string> taken;
    std::atomic<int> begun = 0;
    OrderedWork<std::string>({.count = 50,
                              .workers = workers,
                              .begin = [&] { ++begun; },
                              .work =
                                  [](std::size_t i) {
                                    // The first of every few is the slowest.
                                    if (i % 5 == 0) {
                                      std::this_thread::sleep_for(std::chrono::milliseconds(2));
                                    }
                                    return std::to_string(i);
                                  },
                              .take =
                                  [&](std::size_t i, const std::string& text) {
                                    EXPECT_EQ(i, taken.size());
                                    taken.push_back(text);
                                  }})
        .run();
    ASSERT_EQ(taken.size(), 50U);
    EXPECT_EQ(taken[49], "49");
    EXPECT_EQ(begun, workers);
  }
}

TEST(OrderedWork, NeverRunsFarAheadOfWhatIsTaken) {
  constexpr std::size_t workers = 2;
  std::atomic<std::size_t> begun = 0;
  std::size_t furthest = 0;
  OrderedWork<int>({.count = 100,
                    .workers = workers,
                    .begin = {},
                    .work =
                        [&](std::size_t) {
                          ++begun;
                          return 0;
                        },
                    .take =
                        [&](std::size_t i, int) {
                          std::this_thread::sleep_for(std::chrono::milliseconds(1));
                          furthest = std::max(furthest, begun - i);
                        }})
      .run();
  EXPECT_EQ(begun, 100U);
  EXPECT_LE(furthest, 4 * workers);
}

TEST(OrderedWork, ThrowsWhatWorkAndTakeThrow) {
  const auto number = [](std::size_t i) { return static_cast<int>(i); };
  OrderedWork<int> failing({.count = 100,
                            .workers = 2,
                            .begin = {},
                            .work = [](std::size_t i) -> int {
                              if (i == 7) throw std::runtime_error("work");
                              return 0;
                            },
                            .take = [](std::size_t, int) {}});
  EXPECT_THROW(failing.run(), std::runtime_error);
  OrderedWork<int> refusing(
      {.count = 100, .workers = 2, .begin = {}, .work = number, .take = [](std::size_t i, int) {
         if (i == 7) throw std::logic_error("take");
       }});
  EXPECT_THROW(refusing.run(), std::logic_error);
}

TEST(OrderedWork, StopsWhenCancelled) {
  Progress progress;
  std::size_t taken = 0;
  OrderedWork<int> work({.count = 1000,
                         .workers = 2,
                         .begin = {},
                         .work =
                             [](std::size_t) {
                               std::this_thread::sleep_for(std::chrono::milliseconds(1));
                               return 0;
                             },
                         .take =
                             [&](std::size_t i, int) {
                               taken = i + 1;
                               if (i == 3) progress.cancel();
                             }});
  EXPECT_THROW(work.run(progress), Cancelled);
  EXPECT_LT(taken, 1000U);
}

}  // namespace
}  // namespace softscope
