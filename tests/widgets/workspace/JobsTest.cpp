#include "tests/widgets/workspace/Settle.h"
#include "widgets/workspace/Jobs.h"

#include <QtTest/QSignalSpy>
#include <QtTest/QTest>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace softscope {

/// A result that says how large it is.
struct Measured {
  int number = 0;
  std::size_t bytes = 1;
};
std::size_t bytesOf(const Measured& measured) {
  return measured.bytes;
}

namespace {

class JobsTest : public testing::Test {
 protected:
  void start(int subject, std::size_t bytes = 1, const QString& page = QStringLiteral("p"),
             bool replacesWaiting = true) {
    jobs_.start<Measured>(
        subject, {page, QStringLiteral("Measuring"), {}, replacesWaiting},
        [this, subject, bytes](const Progress& progress, const Jobs::Teller<Measured>& tell) {
          ++begun_;
          tell({-subject, 1});
          progress.report(0.5, "half");
          while (held_) {
            progress.throwIfCancelled();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
          return Measured{subject, bytes};
        });
  }
  void settle() { test::settle(jobs_); }
  Jobs::Known<Measured> find(int subject) { return jobs_.find<Measured>(subject); }

  std::atomic<bool> held_ = false;
  std::atomic<int> begun_ = 0;
  Jobs jobs_{100};
};

TEST_F(JobsTest, WhatReplacesNothingWaitsInTurn) {
  held_ = true;
  for (const int subject : {1, 2, 3}) start(subject, 1, QStringLiteral("p"), false);
  ASSERT_TRUE(QTest::qWaitFor([this] { return begun_ == 1; }, test::patience));
  held_ = false;
  settle();
  for (const int subject : {1, 2, 3}) EXPECT_NE(find(subject).result, nullptr) << subject;
}

TEST_F(JobsTest, ShowsWhatIsThereAndKeepsTheResult) {
  held_ = true;
  start(3);
  start(3);
  ASSERT_TRUE(QTest::qWaitFor([this] { return find(3).soFar != nullptr; }, test::patience));
  EXPECT_EQ(find(3).soFar->number, -3);
  EXPECT_EQ(find(3).result, nullptr);
  ASSERT_TRUE(QTest::qWaitFor([this] { return find(3).job->fraction == 0.5; }, test::patience));
  EXPECT_EQ(find(3).job->step, QStringLiteral("half"));
  held_ = false;
  settle();
  EXPECT_EQ(find(3).result->number, 3);
  EXPECT_EQ(find(3).soFar, nullptr);
  EXPECT_EQ(begun_, 1) << "asked twice, measured once";
  EXPECT_FALSE(find(4).job);
  EXPECT_FALSE(jobs_.find<Measured>(std::string("3")).job) << "a subject of another kind";
}

TEST_F(JobsTest, RunOneAfterAnotherAndDropWhatStillWaitsForTheSamePage) {
  held_ = true;
  start(1);
  start(2);
  start(3);
  start(4, 1, QStringLiteral("another page"));
  EXPECT_EQ(find(1).job->state, Jobs::State::Running);
  EXPECT_FALSE(find(2).job) << "the user has chosen something else";
  EXPECT_EQ(find(3).job->state, Jobs::State::Waiting);
  held_ = false;
  settle();
  EXPECT_EQ(find(1).result->number, 1);
  EXPECT_EQ(find(3).result->number, 3);
  EXPECT_EQ(find(4).result->number, 4);
  EXPECT_EQ(begun_, 3);
}

TEST_F(JobsTest, AStoppedOneKeepsWhatItHadAndCanBeStartedAgain) {
  held_ = true;
  start(1);
  start(2);
  ASSERT_TRUE(QTest::qWaitFor([this] { return find(1).soFar != nullptr; }, test::patience));
  jobs_.stop(find(1).job->id);
  EXPECT_EQ(find(1).job->state, Jobs::State::Stopped);
  EXPECT_EQ(find(1).soFar->number, -1);
  EXPECT_EQ(find(2).job->state, Jobs::State::Running) << "the next one";
  held_ = false;
  settle();
  EXPECT_EQ(find(1).result, nullptr);
  start(1);
  settle();
  EXPECT_EQ(find(1).result->number, 1);
}

TEST_F(JobsTest, KeepWhatFitsIntoTheBudget) {
  for (int subject = 1; subject <= 50; ++subject) {
    start(subject, 30);
    settle();
    EXPECT_LE(jobs_.keptBytes(), 100u);
    find(1);
  }
  EXPECT_TRUE(find(1).result) << "looked at again and again";
  EXPECT_TRUE(find(50).result);
  EXPECT_FALSE(find(2).job);
  EXPECT_EQ(jobs_.all().size(), 3u);
  start(51, 1000);
  settle();
  EXPECT_TRUE(find(51).result) << "too large, but the latest";
  EXPECT_EQ(jobs_.all().size(), 1u);
}

TEST_F(JobsTest, TellWhyOneFailed) {
  QSignalSpy failures(&jobs_, &Jobs::failed);
  for (int subject = 0; subject < 40; ++subject) {
    jobs_.start<Measured>(subject, {},
                          [](const Progress&, const Jobs::Teller<Measured>&) -> Measured {
                            throw std::runtime_error("no luck");
                          });
    settle();
  }
  EXPECT_EQ(failures.count(), 40);
  EXPECT_EQ(find(39).job->state, Jobs::State::Failed);
  EXPECT_EQ(find(39).job->failure, QStringLiteral("no luck"));
  EXPECT_LE(jobs_.all().size(), 10u) << "the list stays short";
}

TEST_F(JobsTest, SayHowLongTheyStillTake) {
  Jobs::Job job;
  EXPECT_EQ(timeLeftText(job), QString());
  job.secondsLeft = 40;
  EXPECT_EQ(timeLeftText(job), QStringLiteral("about 40 s left"));
  job.secondsLeft = 200;
  EXPECT_EQ(timeLeftText(job), QStringLiteral("about 3 min left"));
  job.secondsLeft = 9000;
  EXPECT_EQ(timeLeftText(job), QStringLiteral("about 2.5 h left"));
}

TEST_F(JobsTest, AProcessIsListedBesideJobsAndAskedToStop) {
  int stopped = 0;
  const JobText text{QStringLiteral("survey"), QStringLiteral("Survey"),
                     QStringLiteral("a.survey")};
  const int id = jobs_.addProcess(text, [&stopped] { ++stopped; });
  QSignalSpy told(&jobs_, &Jobs::progressed);
  jobs_.noteProcess(id, QStringLiteral("3 of 7 pictures"), 3.0 / 7);
  EXPECT_EQ(told.count(), 1);
  ASSERT_EQ(jobs_.all().size(), 1u);
  EXPECT_EQ(jobStateText(jobs_.all()[0]), QStringLiteral("3 of 7 pictures"));
  start(1);
  ASSERT_TRUE(QTest::qWaitFor([this] { return find(1).result != nullptr; }, test::patience))
      << "jobs do not wait for it";
  jobs_.stop(id);
  EXPECT_EQ(stopped, 1);
  EXPECT_TRUE(jobs_.isBusy()) << "it has not ended yet";
  jobs_.noteProcess(id, QStringLiteral("Stopping"), 3.0 / 7);
  jobs_.endProcess(id, Jobs::State::Stopped);
  EXPECT_FALSE(jobs_.isBusy());
  EXPECT_EQ(jobStateText(jobs_.all()[0]), QStringLiteral("stopped, 42 % done"));
  jobs_.stop(id);
  EXPECT_EQ(stopped, 1);
  jobs_.addProcess(text, {});
  EXPECT_EQ(jobs_.all().size(), 2u) << "takes the place of its earlier run";
}

}  // namespace
}  // namespace softscope
