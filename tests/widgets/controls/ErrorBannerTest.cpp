#include "widgets/controls/ErrorBanner.h"

#include <QtWidgets/QPlainTextEdit>

#include <gtest/gtest.h>

namespace softscope {
namespace {

TEST(ErrorBanner, ShowsWhatAFileCallsItsPartsInOneLineThatEnds) {
  ErrorBanner banner;
  banner.showError(QStringLiteral("the tensor \x1b[31m\n") + QString(1'000'000, u'x'), {});
  EXPECT_LE(banner.message().size(), 500);
  EXPECT_FALSE(banner.message().contains(QChar(0x1b)));
  EXPECT_FALSE(banner.message().contains(u'\n'));
}

TEST(ErrorBanner, KeepsTheDetailsToWhatOneCanRead) {
  ErrorBanner banner;
  banner.showError(QStringLiteral("refused"), QString(1'000'000, u'x'));
  EXPECT_LE(banner.findChild<QPlainTextEdit*>()->toPlainText().size(), 20'000);
}

}  // namespace
}  // namespace softscope
