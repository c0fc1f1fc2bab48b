#include "tests/widgets/workspace/Settle.h"
#include "widgets/workspace/Mailbox.h"

#include <QtTest/QTest>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace softscope {
namespace {

TEST(Mailbox, CallsAreMadeOnItsThreadInTheOrderTheyWereLeft) {
  Mailbox mailbox;
  std::vector<int> made;
  bool isHere = true;
  const std::thread::id here = std::this_thread::get_id();
  std::thread other([&] {
    for (int i = 0; i < 3; ++i) {
      mailbox.leave([&, i] {
        made.push_back(i);
        isHere = isHere && std::this_thread::get_id() == here;
      });
    }
  });
  other.join();
  EXPECT_TRUE(made.empty()) << "not before the events are looked at";
  ASSERT_TRUE(QTest::qWaitFor([&] { return made.size() == 3; }, test::patience));
  EXPECT_THAT(made, testing::ElementsAre(0, 1, 2));
  EXPECT_TRUE(isHere);
}

TEST(Mailbox, WhatIsForgottenIsNotMadeAndWhatComesAfterIs) {
  Mailbox mailbox;
  std::vector<int> made;
  mailbox.leave([&] { made.push_back(1); });
  mailbox.leave([&] { made.push_back(2); });
  mailbox.forget();
  mailbox.leave([&] { made.push_back(3); });
  ASSERT_TRUE(QTest::qWaitFor([&] { return !made.empty(); }, test::patience));
  QCoreApplication::processEvents();
  EXPECT_THAT(made, testing::ElementsAre(3));
}

}  // namespace
}  // namespace softscope
