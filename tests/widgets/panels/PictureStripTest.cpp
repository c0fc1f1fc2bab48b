#include "core/image/Picture.h"
#include "widgets/panels/PictureStrip.h"

#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QSpinBox>

#include <gtest/gtest.h>

#include <vector>

namespace softscope {
namespace {

class PictureStripTest : public testing::Test {
 protected:
  PictureStripTest() {
    QObject::connect(&strip_, &PictureStrip::readingChosen,
                     [this](const PictureReading& reading) { chosen_.push_back(reading); });
  }

  QLabel* note() { return strip_.findChild<QLabel*>(); }
  QComboBox* range() { return strip_.findChild<QComboBox*>(); }
  QSpinBox* page() { return strip_.findChild<QSpinBox*>(); }

  void type(const QString& text) {
    range()->lineEdit()->selectAll();
    QTest::keyClicks(range()->lineEdit(), text);
    QTest::keyClick(range()->lineEdit(), Qt::Key_Return);
  }

  static Picture dim() {
    Picture picture{1, 1, {0, 0, 0}, "cells.tif"};
    picture.source.bits = 16;
    picture.source.lowest = 254;
    picture.source.highest = 3250;
    picture.source.white = 65'535;
    picture.source.pages = 1000;
    return picture;
  }

  PictureStrip strip_;
  std::vector<PictureReading> chosen_;
};

TEST_F(PictureStripTest, IsHiddenForAnOrdinaryPictureAndForNone) {
  Picture picture{1, 1, {0, 0, 0}, "cat.png"};
  picture.source.bits = 8;
  strip_.setPicture(&picture);
  EXPECT_TRUE(strip_.isHidden());
  strip_.setPicture(nullptr);
  EXPECT_TRUE(strip_.isHidden());
}

TEST_F(PictureStripTest, SaysWhatIsShownAndOffersOthers) {
  const Picture picture = dim();
  strip_.setPicture(&picture);
  EXPECT_FALSE(strip_.isHidden());
  EXPECT_EQ(note()->text(),
            "16-bit, values 254 to 3 250 of 65 535, shown from 0 to 65 535; page 1 of 1 000");
  EXPECT_EQ(range()->currentText(), "full");
  EXPECT_EQ(page()->maximum(), 1000);
  EXPECT_TRUE(chosen_.empty()) << "showing is not choosing";
  page()->setValue(7);
  ASSERT_EQ(chosen_.size(), 1u);
  EXPECT_EQ(chosen_[0].page, 7);
  type("254, 3250");
  ASSERT_EQ(chosen_.size(), 2u);
  EXPECT_EQ(sampleRangeText(chosen_[1].range), "254,3250");
}

TEST_F(PictureStripTest, RefusesWhatIsNoRange) {
  const Picture picture = dim();
  strip_.setPicture(&picture);
  QSignalSpy refused(&strip_, &PictureStrip::rangeRefused);
  type("bright");
  EXPECT_EQ(refused.count(), 1);
  EXPECT_TRUE(chosen_.empty());
  EXPECT_EQ(range()->currentText(), "full");
}

TEST_F(PictureStripTest, KeepsWhatIsBeingTyped) {
  const Picture picture = dim();
  strip_.setPicture(&picture);
  range()->lineEdit()->selectAll();
  QTest::keyClicks(range()->lineEdit(), "25");
  strip_.setPicture(&picture);
  EXPECT_EQ(range()->currentText(), "25");
}

TEST_F(PictureStripTest, OffersNoPagesOfAnAnimation) {
  Picture picture{1, 1, {0, 0, 0}, "a.png"};
  picture.source.bits = 8;
  picture.source.pages = 3;
  picture.source.pageKind = PageKind::Frame;
  picture.source.profile = "<img src=\"file:///etc/passwd\">";
  strip_.setPicture(&picture);
  EXPECT_TRUE(page()->isHidden());
  EXPECT_TRUE(range()->isHidden());
  EXPECT_EQ(note()->text(), "frame 1 of 3; <img src=\"file:///etc/passwd\"> not applied");
  EXPECT_EQ(note()->textFormat(), Qt::PlainText);
}

TEST_F(PictureStripTest, ARangeChosenBeforeThePageHasBeenReadIsOfThatPage) {
  const Picture picture = dim();
  strip_.setPicture(&picture);
  page()->setValue(7);
  type("auto");
  page()->setValue(8);
  ASSERT_EQ(chosen_.size(), 3u);
  EXPECT_EQ(chosen_[1].page, 7);
  EXPECT_EQ(sampleRangeText(chosen_[1].range), "auto");
  EXPECT_EQ(chosen_[2].page, 8);
  EXPECT_EQ(sampleRangeText(chosen_[2].range), "auto");
}

}  // namespace
}  // namespace softscope
