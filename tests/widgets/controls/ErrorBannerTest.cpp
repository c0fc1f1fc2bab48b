#include "widgets/controls/ErrorBanner.h"

#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QPushButton>

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

/// A page of that size with a banner over it.
struct Covered {
  Covered() {
    page.resize(400, 300);
    page.show();
  }

  QWidget page;
  ErrorBanner banner{&page};
};

TEST(ErrorBanner, ALaterErrorTakesThePlaceOfAnEarlierOne) {
  Covered covered;
  covered.banner.showError(QStringLiteral("first"), {});
  covered.banner.showError(QStringLiteral("second"), {});
  EXPECT_EQ(covered.banner.message(), QStringLiteral("second"));
  EXPECT_FALSE(covered.banner.findChild<QPlainTextEdit*>()->toPlainText().contains("first"));
}

TEST(ErrorBanner, ErrorsOfOnePieceOfWorkAreCountedAndAllInTheDetails) {
  Covered covered;
  covered.banner.setBusy(true);
  for (const char* error : {"first", "second", "third"}) {
    covered.banner.showError(QLatin1String(error), {});
    covered.banner.noteSuccess();
  }
  EXPECT_TRUE(covered.banner.isVisible()) << "another file of the same work opened";
  EXPECT_EQ(covered.banner.message(), QStringLiteral("third (and 2 more)"));
  const QString details = covered.banner.findChild<QPlainTextEdit*>()->toPlainText();
  for (const char* error : {"first", "second", "third"}) {
    EXPECT_TRUE(details.contains(QLatin1String(error)));
  }
  covered.banner.setBusy(false);
  EXPECT_TRUE(covered.banner.isVisible());
  covered.banner.noteSuccess();
  EXPECT_FALSE(covered.banner.isVisible()) << "something later succeeded";
}

TEST(ErrorBanner, AnOfferStaysUntilItIsTakenOrReplaced) {
  Covered covered;
  covered.banner.showOffer(QStringLiteral("a file is missing"), {}, QStringLiteral("Locate"));
  covered.banner.noteSuccess();
  EXPECT_TRUE(covered.banner.isVisible());
  covered.banner.showError(QStringLiteral("another"), {});
  for (const auto* button : covered.banner.findChildren<QPushButton*>()) {
    EXPECT_FALSE(button->isVisible()) << "what an earlier message offered";
  }
}

TEST(ErrorBanner, LiesOverTheLowerEdgeAndMovesNothing) {
  Covered covered;
  const QRect before = covered.page.geometry();
  covered.banner.showError(QString(300, u'x') + u' ' + QString(300, u'y'), {});
  EXPECT_EQ(covered.page.geometry(), before);
  EXPECT_EQ(covered.banner.geometry().bottom(), covered.page.rect().bottom());
  EXPECT_EQ(covered.banner.width(), 400);
  covered.page.resize(600, 200);
  EXPECT_EQ(covered.banner.geometry().bottom(), 199);
  EXPECT_EQ(covered.banner.width(), 600);
}

TEST(ErrorBanner, AnOfferStandsBesideItsOwnMessageAlone) {
  Covered covered;
  const auto& offer = *covered.banner.findChildren<QPushButton*>().front();
  covered.banner.setBusy(true);
  covered.banner.showOffer(QStringLiteral("a file is missing"), {}, QStringLiteral("Locate"));
  covered.banner.showError(QStringLiteral("another %1 is damaged"), {});
  EXPECT_TRUE(offer.isVisible());
  EXPECT_EQ(covered.banner.message(), QStringLiteral("a file is missing (and 1 more)"));
  covered.banner.showError(QStringLiteral("a file is missing"), {});
  EXPECT_EQ(covered.banner.message(), QStringLiteral("a file is missing (and 1 more)"));
  EXPECT_TRUE(covered.banner.findChild<QPlainTextEdit*>()->toPlainText().contains(
      QStringLiteral("another %1 is damaged")));
  covered.banner.showOffer(QStringLiteral("the GPU is full"), {}, QStringLiteral("Use the CPU"));
  EXPECT_EQ(offer.text(), QStringLiteral("Use the CPU"));
  EXPECT_EQ(covered.banner.message(), QStringLiteral("the GPU is full (and 2 more)"));
}

}  // namespace
}  // namespace softscope
