#include "core/Error.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/workspace/Worker.h"

#include <QtTest/QSignalSpy>
#include <QtTest/QTest>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace softscope {
namespace {

using namespace std::chrono_literals;
using Kind = Worker::Kind;

TEST(Worker, DeliversOnTheOwnersThread) {
  Worker worker;
  QSignalSpy busy(&worker, &Worker::busyChanged);
  std::thread::id ran;
  std::thread::id delivered;
  worker.submit(Kind::Picture, QStringLiteral("work"), [&](const Progress&) -> Worker::Delivery {
    ran = std::this_thread::get_id();
    return [&] { delivered = std::this_thread::get_id(); };
  });
  EXPECT_TRUE(worker.isBusy());
  test::settle(worker);
  EXPECT_EQ(delivered, std::this_thread::get_id());
  EXPECT_NE(ran, delivered);
  EXPECT_EQ(busy.count(), 2);
}

TEST(Worker, PreparesItsOwnThreadBeforeEachPieceOfWork) {
  Worker worker;
  std::atomic<int> number = 0;
  std::thread::id prepared;
  std::vector<int> seen;
  const auto work = [&](Kind kind = Kind::Inspection) {
    worker.submit(kind, QString(), [&](const Progress&) -> Worker::Delivery {
      seen.push_back(number);
      if (number > 0) {
        EXPECT_EQ(prepared, std::this_thread::get_id());
      }
      return {};
    });
    test::settle(worker);
  };
  for (const int next : {3, 5}) {
    worker.setPreparation([&, next] {
      number = next;
      prepared = std::this_thread::get_id();
    });
    work();
  }
  number = 0;
  work(Kind::Picture);
  EXPECT_EQ(seen, (std::vector<int>{3, 5, 0})) << "pictures are read without it";
}

TEST(Worker, ANewerRequestSupersedesAnOlderOne) {
  Worker worker;
  std::atomic<bool> begun = false;
  std::atomic<bool> stopped = false;
  int delivered = 0;
  worker.submit(Kind::Inspection, QString(), [&](const Progress& progress) -> Worker::Delivery {
    begun = true;
    try {
      for (;;) {
        progress.throwIfCancelled();
        std::this_thread::sleep_for(1ms);
      }
    } catch (const Cancelled&) {
      stopped = true;
      throw;
    }
  });
  ASSERT_TRUE(QTest::qWaitFor([&] { return begun.load(); }, test::patience));
  worker.submit(Kind::Inspection, QString(),
                [&](const Progress&) -> Worker::Delivery { return [&] { delivered = 2; }; });
  test::settle(worker);
  EXPECT_TRUE(stopped);
  EXPECT_EQ(delivered, 2);
}

TEST(Worker, CancelFreesTheWindowAtOnceAndDropsTheResult) {
  Worker worker;
  std::atomic<bool> begun = false;
  std::atomic<bool> finished = false;
  bool delivered = false;
  worker.submit(Kind::Model, QString(), [&](const Progress&) -> Worker::Delivery {
    begun = true;
    // A library call that cannot be interrupted.
    std::this_thread::sleep_for(300ms);
    finished = true;
    return [&] { delivered = true; };
  });
  ASSERT_TRUE(QTest::qWaitFor([&] { return begun.load(); }, test::patience));
  const auto before = std::chrono::steady_clock::now();
  worker.cancelAll();
  EXPECT_FALSE(worker.isBusy());
  EXPECT_LT(std::chrono::steady_clock::now() - before, 100ms);
  ASSERT_TRUE(QTest::qWaitFor([&] { return finished.load(); }, test::patience));
  QTest::qWait(50);
  EXPECT_FALSE(delivered);
}

TEST(Worker, APreparationThatFailsIsAFailureOfTheWork) {
  Worker worker;
  QSignalSpy failures(&worker, &Worker::failed);
  worker.setPreparation([] { throw EngineError("there is no engine"); });
  bool ran = false;
  worker.submit(Kind::Model, QString(), [&](const Progress&) -> Worker::Delivery {
    ran = true;
    return {};
  });
  test::settle(worker);
  ASSERT_EQ(failures.count(), 1);
  EXPECT_EQ(failures[0][1].value<WorkFailure>().message, QStringLiteral("there is no engine"));
  EXPECT_FALSE(ran);
}

TEST(Worker, TellsFailuresAndGoesOn) {
  Worker worker;
  QSignalSpy failures(&worker, &Worker::failed);
  worker.submit(Kind::Model, QString(), [](const Progress&) -> Worker::Delivery {
    throw ModelError("it does not fit\nbecause of this");
  });
  test::settle(worker);
  ASSERT_EQ(failures.count(), 1);
  EXPECT_EQ(failures[0][1].value<WorkFailure>().message, QStringLiteral("it does not fit"));
  EXPECT_TRUE(
      failures[0][1].value<WorkFailure>().details.contains(QStringLiteral("because of this")));
  bool delivered = false;
  worker.submit(Kind::Model, QString(),
                [&](const Progress&) -> Worker::Delivery { return [&] { delivered = true; }; });
  ASSERT_TRUE(QTest::qWaitFor([&] { return delivered; }, test::patience));
}

// This test hangs if the destructor does not cancel the work.
TEST(Worker, EndsWhileWorking) {
  std::atomic<bool> works = false;
  Worker worker;
  worker.submit(Kind::Model, QString(), [&](const Progress& progress) -> Worker::Delivery {
    for (;;) {
      progress.report(0.5, "step");
      works = true;
      std::this_thread::sleep_for(1ms);
    }
  });
  ASSERT_TRUE(QTest::qWaitFor([&] { return works.load(); }, test::patience));
}

}  // namespace
}  // namespace softscope
