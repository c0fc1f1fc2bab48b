#include "tests/widgets/workspace/Settle.h"
#include "widgets/workspace/LatestResult.h"

#include <QtTest/QTest>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace softscope {
namespace {

using Kind = Worker::Kind;

class LatestResultTest : public testing::Test {
 protected:
  const int* get(int subject) {
    return result_.get(subject, QStringLiteral("computing"),
                       [this, subject](const Progress& progress) {
                         ++begun_;
                         while (held_) {
                           progress.throwIfCancelled();
                           std::this_thread::sleep_for(std::chrono::milliseconds(1));
                         }
                         if (fails_) throw std::runtime_error("no result");
                         return 10 * subject;
                       });
  }
  void settle() {
    held_ = false;
    test::settle(worker_);
  }

  std::atomic<bool> held_ = true;
  std::atomic<bool> fails_ = false;
  std::atomic<int> begun_ = 0;
  Worker worker_;
  LatestResult<int, int> result_{worker_, [] {}};
};

TEST_F(LatestResultTest, WhatOtherWorkDroppedIsAskedForAgainOnceTheWorkerIsFree) {
  get(1);
  worker_.submit(Kind::Model, QStringLiteral("a damaged model"),
                 [](const Progress&) -> Worker::Delivery { throw std::runtime_error("damaged"); });
  worker_.cancel(Kind::Analysis);
  get(1);
  EXPECT_FALSE(worker_.isBusy(Kind::Analysis)) << "it would be dropped again";
  settle();
  get(1);
  settle();
  ASSERT_NE(get(1), nullptr);
  EXPECT_EQ(*get(1), 10);
}

TEST_F(LatestResultTest, WhatTheUserStoppedAndWhatFailedIsAskedForOnlyByRetry) {
  get(1);
  worker_.cancelAll();
  get(1);
  EXPECT_FALSE(worker_.isBusy());
  fails_ = true;
  get(2);
  settle();
  get(2);
  EXPECT_FALSE(worker_.isBusy());
  fails_ = false;
  result_.retry();
  get(2);
  settle();
  ASSERT_NE(get(2), nullptr);
}

TEST_F(LatestResultTest, RetryKnowsItsOwnRequestFromThatOfAnotherPage) {
  get(1);
  result_.retry();
  get(1);
  ASSERT_TRUE(QTest::qWaitFor([this] { return begun_ > 0; }, test::patience));
  EXPECT_EQ(begun_, 1) << "it was still awaited";
  LatestResult<int, int> other(worker_, [] {});
  other.get(7, QStringLiteral("computing"), [](const Progress&) { return 7; });
  result_.retry();
  get(1);
  settle();
  ASSERT_NE(get(1), nullptr);
}

TEST_F(LatestResultTest, WhatGaveWayToAnotherAnalysisIsAskedForOnceThatIsAllowed) {
  get(1);
  LatestResult<int, int> other(worker_, [] {});
  other.get(7, QStringLiteral("computing"), [](const Progress&) { return 7; });
  settle();
  get(1);
  EXPECT_FALSE(worker_.isBusy());
  result_.retrySuperseded();
  get(1);
  settle();
  ASSERT_NE(get(1), nullptr);
  result_.retrySuperseded();
  EXPECT_NE(get(1), nullptr) << "it is available";
}

}  // namespace
}  // namespace softscope
