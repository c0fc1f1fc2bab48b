#pragma once

#include "widgets/workspace/Jobs.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QCoreApplication>
#include <QtTest/QTest>

#include <gtest/gtest.h>

namespace softscope::test {

/// Longest time to wait for something that a test expects to happen, in milliseconds. A loaded
/// machine may take twenty times as long as an idle one, and a wait ends once what it is for has
/// happened.
inline constexpr int patience = 120000;

/// Waits until neither of these is busy and what follows from their answers is done, such as
/// drawing them, which may ask for more.
template <typename... Parts>
void settle(const Parts&... parts) {
  const auto isBusy = [&] { return (parts.isBusy() || ...); };
  // An answer comes to its page through a signal and a timer, so one look does not suffice.
  constexpr int looks = 3;
  constexpr int mostMilliseconds = 20;
  for (int look = 0; look < looks; ++look) {
    ASSERT_TRUE(QTest::qWaitFor([&] { return !isBusy(); }, patience));
    QCoreApplication::processEvents(QEventLoop::AllEvents, mostMilliseconds);
  }
}

/// Settles all that a workspace computes and measures.
inline void settle(Workspace& workspace) {
  settle(workspace.worker(), workspace.jobs());
}

}  // namespace softscope::test
