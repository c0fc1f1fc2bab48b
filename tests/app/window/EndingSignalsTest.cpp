#include "app/window/EndingSignals.h"
#include "tests/widgets/workspace/Settle.h"

#include <QtTest/QTest>

#include <gtest/gtest.h>

#include <csignal>
#include <vector>

namespace softscope {
namespace {

volatile std::sig_atomic_t endedAtOnce = 0;

extern "C" void noteSignal(int) {
  endedAtOnce = endedAtOnce + 1;
}

TEST(EndingSignals, TheFirstIsACallAndTheSecondEndsAsBefore) {
  const auto usual = std::signal(SIGTERM, noteSignal);
  endedAtOnce = 0;
  {
    std::vector<int> told;
    const EndingSignals ending([&told](int signal) { told.push_back(signal); });
    std::raise(SIGTERM);
    EXPECT_TRUE(QTest::qWaitFor([&told] { return !told.empty(); }, test::patience));
    EXPECT_EQ(told, std::vector<int>{SIGTERM});
    EXPECT_EQ(endedAtOnce, 0);
    std::raise(SIGTERM);
    EXPECT_EQ(endedAtOnce, 1);
  }
  EXPECT_EQ(std::signal(SIGTERM, usual), &noteSignal);
}

TEST(EndingSignals, IgnoredOnesStayIgnored) {
  const auto usual = std::signal(SIGHUP, SIG_IGN);
  {
    int told = 0;
    const EndingSignals ending([&told](int) { ++told; });
    std::raise(SIGHUP);
    QCoreApplication::processEvents();
    EXPECT_EQ(told, 0);
  }
  EXPECT_EQ(std::signal(SIGHUP, usual), SIG_IGN);
}

}  // namespace
}  // namespace softscope
