#include "app/window/contents/ModelChips.h"
#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/plot/Plot.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Workspace.h"

#include <QtGui/QMouseEvent>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>
#include <QtWidgets/QMenu>
#include <QtWidgets/QToolButton>

#include <gtest/gtest.h>

namespace softscope {
namespace {

class ModelChipsTest : public testing::Test {
 protected:
  ModelChipsTest() {
    chips_.resize(900, 40);
    chips_.show();
  }
  void open(const std::string& path, const std::string& mechanism) {
    ModelRequest request;
    request.path = path;
    request.attention = mechanism;
    workspace_.queue().openBeside(request);
    test::settle(workspace_);
    QCoreApplication::processEvents();
  }
  std::vector<QToolButton*> chips() {
    std::vector<QToolButton*> all;
    for (auto* button : chips_.findChildren<QToolButton*>()) {
      if (button->isCheckable() && !button->isHidden()) all.push_back(button);
    }
    return all;
  }
  void choose(QMenu& menu, const QString& text) {
    for (QAction* action : menu.actions()) {
      if (action->text() == text) return action->trigger();
    }
    FAIL() << "there is no " << text.toStdString();
  }

  Workspace workspace_{test::syntheticEngine()};
  ModelChips chips_{workspace_,
                    [] {
                      return std::vector<LibraryModel>{{.path = "/box/sima.safetensors",
                                                        .name = "sima",
                                                        .mechanism = "sima",
                                                        .accuracy = "93 %"}};
                    },
                    [] { return QStringList{QStringLiteral("/lately/soft.pth")}; }};
};

TEST_F(ModelChipsTest, TellMechanismThenNameAndShowAModelByAClick) {
  EXPECT_TRUE(chips_.isHidden()) << "nothing is open";
  open("first.pth", "soft");
  open("second.pth", "soft++");
  ASSERT_EQ(chips().size(), 2u);
  EXPECT_EQ(chips()[0]->text(), QStringLiteral("SOFT · first"));
  EXPECT_EQ(chips()[1]->text(), QStringLiteral("SOFT++ · second"));
  EXPECT_TRUE(chips()[1]->isChecked());
  QTest::mouseClick(chips()[0], Qt::LeftButton, {}, {8, chips()[0]->height() / 2});
  EXPECT_EQ(workspace_.models().currentIndex(), 0);
  EXPECT_TRUE(chips()[0]->isChecked());
  EXPECT_FALSE(chips()[1]->isChecked());
  QTest::mouseClick(chips()[0], Qt::LeftButton, {}, {8, chips()[0]->height() / 2});
  EXPECT_TRUE(chips()[0]->isChecked()) << "and stays so";
}

TEST_F(ModelChipsTest, HaveTheColoursOfCurves) {
  open("first.pth", "soft");
  open("second.pth", "soft++");
  const std::vector<QColor> colors = curveColors(2);
  for (std::size_t i = 0; i < 2; ++i) {
    const QImage dot = chips()[i]->icon().pixmap(10, 10).toImage();
    EXPECT_EQ(dot.pixelColor(dot.width() / 2, dot.height() / 2).rgb(), colors[i].rgb());
  }
}

TEST_F(ModelChipsTest, LongNamesStayApart) {
  for (const char* size : {"small", "tiny", "large", "huge"}) {
    open(std::string("soft_imagenet_224_") + size + "_after_three_hundred_epochs.pth", "soft");
  }
  QSet<QString> texts;
  for (const QToolButton* chip : chips()) texts.insert(chip->text());
  EXPECT_EQ(texts.size(), 4);
}

TEST_F(ModelChipsTest, InLittleRoomMechanismsStandForNames) {
  open("everyday_pictures_with_landmarks.pth", "soft");
  open("everyday_pictures_and_nothing_else.pth", "soft++");
  chips_.resize(340, 40);
  QCoreApplication::processEvents();
  EXPECT_EQ(chips()[0]->text(), QStringLiteral("SOFT"));
  EXPECT_EQ(chips()[1]->text(), QStringLiteral("SOFT++"));
  open("everyday_pictures_once_more.pth", "soft");
  EXPECT_NE(chips()[0]->text(), chips()[2]->text()) << "where two have the same mechanism";
}

TEST_F(ModelChipsTest, ADragPutsAModelElsewhereInTheRow) {
  for (const char* path : {"first.pth", "second.pth", "third.pth"}) open(path, "soft");
  const auto paths = [this] {
    std::string all;
    for (const OpenedModel& model : workspace_.models().all()) all += model.request.path + " ";
    return all;
  };
  workspace_.models().setCurrent(1);
  const auto drag = [this](std::size_t from, std::size_t to) {
    QToolButton& chip = *chips()[from];
    const QPoint start(12, chip.height() / 2);
    const QPoint end = chip.mapFrom(&chips_, chips()[to]->geometry().center());
    QTest::mousePress(&chip, Qt::LeftButton, {}, start);
    for (const QPoint& place : {start + QPoint(2, 0), (start + end) / 2, end}) {
      QMouseEvent move(QEvent::MouseMove, place, chip.mapToGlobal(place), Qt::NoButton,
                       Qt::LeftButton, {});
      QApplication::sendEvent(&chip, &move);
    }
    QTest::mouseRelease(&chip, Qt::LeftButton, {}, end);
  };
  drag(0, 2);
  EXPECT_EQ(paths(), "second.pth third.pth first.pth ");
  EXPECT_EQ(workspace_.models().current()->request.path, "second.pth") << "as before";
  drag(2, 1);
  EXPECT_EQ(paths(), "second.pth first.pth third.pth ");
  for (const QToolButton* chip : chips()) EXPECT_FALSE(chip->isDown());
  // A drag that ends beside the chips, and a click with a trembling hand, leave the order.
  QToolButton& chip = *chips()[2];
  QTest::mousePress(&chip, Qt::LeftButton, {}, {12, 8});
  QMouseEvent away(QEvent::MouseMove, QPoint(12, 300), chip.mapToGlobal(QPoint(12, 300)),
                   Qt::NoButton, Qt::LeftButton, {});
  QApplication::sendEvent(&chip, &away);
  QTest::mouseRelease(&chip, Qt::LeftButton, {}, {12, 300});
  EXPECT_EQ(paths(), "second.pth first.pth third.pth ");
  EXPECT_EQ(workspace_.models().currentIndex(), 0);
  QTest::mouseClick(&chip, Qt::LeftButton, {}, {12, 8});
  EXPECT_EQ(workspace_.models().currentIndex(), 2);
  QMenu& menu = *chips()[2]->menu();
  Q_EMIT menu.aboutToShow();
  choose(menu, QStringLiteral("Move left"));
  EXPECT_EQ(paths(), "second.pth third.pth first.pth ");
}

TEST_F(ModelChipsTest, AMenuClosesRenamesAndOpensOtherMechanisms) {
  open("first.pth", "soft");
  open("second.pth", "soft++");
  QSignalSpy renamed(&chips_, &ModelChips::renameWanted);
  QMenu& menu = *chips()[0]->menu();
  Q_EMIT menu.aboutToShow();
  choose(menu, QStringLiteral("Rename…"));
  ASSERT_EQ(renamed.count(), 1);
  EXPECT_EQ(renamed[0][0].toInt(), 0);
  auto* other = menu.findChild<QMenu*>();
  ASSERT_TRUE(other);
  choose(*other, QStringLiteral("SOFT++"));
  ASSERT_TRUE(
      QTest::qWaitFor([this] { return workspace_.models().all().size() == 3; }, test::patience));
  test::settle(workspace_);
  EXPECT_EQ(workspace_.models().all()[2].request.path, "first.pth");
  EXPECT_EQ(workspace_.models().all()[2].summary().mechanism, "soft++");
  Q_EMIT menu.aboutToShow();
  choose(menu, QStringLiteral("Close"));
  ASSERT_EQ(workspace_.models().all().size(), 2u);
  EXPECT_EQ(workspace_.models().all()[0].request.path, "second.pth");
}

TEST_F(ModelChipsTest, ThePlusListsTheBoxRecentModelsAndFiles) {
  open("first.pth", "soft");
  QSignalSpy wanted(&chips_, &ModelChips::modelWanted);
  QSignalSpy files(&chips_, &ModelChips::fileWanted);
  const auto list = [this]() -> QMenu& {
    chips_.listModels(chips_.mapToGlobal(QPoint(0, 0)));
    return *qobject_cast<QMenu*>(QApplication::activePopupWidget());
  };
  choose(list(), QStringLiteral("SimA · sima · 93 %"));
  choose(list(), QStringLiteral("soft.pth"));
  choose(list(), QStringLiteral("A file…"));
  ASSERT_EQ(wanted.count(), 2);
  EXPECT_EQ(wanted[0][0].toString(), QStringLiteral("/box/sima.safetensors"));
  EXPECT_EQ(wanted[1][0].toString(), QStringLiteral("/lately/soft.pth"));
  EXPECT_EQ(files.count(), 1);
}

TEST_F(ModelChipsTest, AKeyFlipsBetweenTheTwoLookedAtLast) {
  open("first.pth", "soft");
  open("second.pth", "soft++");
  open("third.pth", "gaussian");
  OpenModels& models = workspace_.models();
  models.setCurrent(0);
  models.flip();
  EXPECT_EQ(models.currentIndex(), 2);
  models.flip();
  EXPECT_EQ(models.currentIndex(), 0);
  workspace_.queue().close(2);
  models.flip();
  EXPECT_EQ(models.currentIndex(), 1) << "the next one, as the other is gone";
}

TEST_F(ModelChipsTest, AMenuSilencesAModelWhichStaysInFrontAndIsDimmed) {
  open("first.pth", "soft");
  QMenu& menu = *chips()[0]->menu();
  const auto silence = [&menu]() -> QAction* {
    Q_EMIT menu.aboutToShow();
    for (QAction* action : menu.actions()) {
      if (action->text() == QStringLiteral("Leave out of comparisons")) return action;
    }
    return nullptr;
  };
  ASSERT_TRUE(silence());
  EXPECT_FALSE(silence()->isEnabled()) << "there is no other model to be heard";
  open("second.pth", "soft++");
  workspace_.models().setCurrent(0);
  ASSERT_TRUE(silence()->isEnabled());
  silence()->trigger();
  EXPECT_TRUE(workspace_.models().all()[0].marks.isSilenced);
  EXPECT_TRUE(chips()[0]->isChecked());
  EXPECT_TRUE(chips()[0]->property("silenced").toBool());
  EXPECT_TRUE(chips()[0]->accessibleName().endsWith(QStringLiteral("left out of comparisons")));
  EXPECT_FALSE(chips()[1]->property("silenced").toBool());
  const QImage dot = chips()[1]->icon().pixmap(10, 10).toImage();
  EXPECT_EQ(dot.pixelColor(dot.width() / 2, dot.height() / 2).rgb(), curveColors(1)[0].rgb())
      << "as its curve, which is the only one";
  EXPECT_TRUE(silence()->isChecked());
  silence()->trigger();
  EXPECT_FALSE(workspace_.models().all()[0].marks.isSilenced);
  EXPECT_FALSE(chips()[0]->property("silenced").toBool());
}

TEST_F(ModelChipsTest, AnotherMechanismIsOpenedAsTheModelOfTheChipIs) {
  Comparison apart = workspace_.comparison().settings();
  apart.linkedLayers = false;
  workspace_.comparison().set(apart);
  open("first.pth", "soft");
  const InputSize small{InputSize::Kind::Crop, 32, 32};
  workspace_.queue().setInputSize(small);
  workspace_.layers().choose("block2.0.attn");
  open("second.pth", "soft++");
  workspace_.queue().setInputSize({InputSize::Kind::Crop, 96, 96});
  workspace_.layers().choose("blocks.2.attn");
  QMenu& menu = *chips()[0]->menu();
  Q_EMIT menu.aboutToShow();
  choose(*menu.findChild<QMenu*>(), QStringLiteral("SOFT++"));
  ASSERT_TRUE(
      QTest::qWaitFor([this] { return workspace_.models().all().size() == 3; }, test::patience));
  EXPECT_EQ(workspace_.models().all()[2].wantedSize(), small);
  EXPECT_EQ(workspace_.models().all()[2].layer, "block2.0.attn");
}

TEST_F(ModelChipsTest, ManyModelsHaveNumbersInPlaceOfNames) {
  for (int i = 0; i < 9; ++i) open("soft_everyday_" + std::to_string(i) + ".pth", "soft");
  chips_.resize(420, 40);
  QCoreApplication::processEvents();
  ASSERT_EQ(chips().size(), 9u);
  EXPECT_EQ(chips()[8]->text(), QStringLiteral("9"));
  EXPECT_TRUE(chips()[8]->toolTip().contains(QStringLiteral("soft_everyday_8")));
  const int line = chips()[0]->sizeHint().height();
  EXPECT_LT(chips_.heightForWidth(420), 4 * line);
  chips_.resize(2400, 40);
  QCoreApplication::processEvents();
  EXPECT_TRUE(chips()[8]->text().contains(QStringLiteral("soft_everyday_8")));
}

}  // namespace
}  // namespace softscope
