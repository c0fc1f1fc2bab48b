#include "app/window/MainWindow.h"
#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/controls/ErrorBanner.h"
#include "widgets/controls/GuardedApplication.h"

#include <QtCore/QLocale>
#include <QtCore/QTimer>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QPushButton>

#include <gtest/gtest.h>

#include <clocale>
#include <new>
#include <stdexcept>

namespace softscope {
namespace {

GuardedApplication& guarded() {
  return *qobject_cast<GuardedApplication*>(QCoreApplication::instance());
}

TEST(GuardedApplication, WhatASlotThrowsIsToldAndTheSessionGoesOn) {
  QSignalSpy failures(&guarded(), &GuardedApplication::failed);
  QPushButton button;
  QObject::connect(&button, &QPushButton::clicked,
                   [] { throw std::runtime_error("the disk went away"); });
  button.show();
  QTest::mouseClick(&button, Qt::LeftButton);
  ASSERT_EQ(failures.size(), 1);
  EXPECT_EQ(failures.front().front().toString(), QStringLiteral("the disk went away"));
}

TEST(GuardedApplication, NumbersAreEnglishInEveryCountry) {
  EXPECT_EQ(QLocale().toString(2.5), QStringLiteral("2.5"));
  EXPECT_EQ(QLocale().language(), QLocale::English);
  EXPECT_STREQ(std::localeconv()->decimal_point, ".");
}

TEST(GuardedApplication, AMissingMegabyteIsToldInWords) {
  QSignalSpy failures(&guarded(), &GuardedApplication::failed);
  QTimer::singleShot(0, [] { throw std::bad_alloc(); });
  ASSERT_TRUE(QTest::qWaitFor([&] { return !failures.isEmpty(); }, test::patience));
  EXPECT_EQ(failures.front().front().toString(),
            QStringLiteral("There is not enough memory for this."));
}

TEST(GuardedApplication, TheWindowShowsItInItsBanner) {
  MainWindow window(test::syntheticEngine(), {});
  window.show();
  QTimer::singleShot(0, &window, [] { throw std::runtime_error("nobody caught this"); });
  auto* banner = window.findChild<ErrorBanner*>();
  ASSERT_NE(banner, nullptr);
  ASSERT_TRUE(QTest::qWaitFor([&] { return banner->isVisible(); }, test::patience));
  EXPECT_EQ(banner->message(), QStringLiteral("nobody caught this"));
}

}  // namespace
}  // namespace softscope
