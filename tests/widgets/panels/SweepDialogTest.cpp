#include "core/Error.h"
#include "tests/widgets/Controls.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/panels/SweepDialog.h"

#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QDoubleSpinBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QSlider>
#include <QtWidgets/QSpinBox>

#include <gtest/gtest.h>

#include <map>
#include <memory>

namespace softscope {
namespace {

SweepFrames threeFrames() {
  std::vector<HeadsSubject> moments;
  for (const double x : {0.2, 0.5, 0.8}) {
    HeadsSubject moment;
    moment.picture = std::make_shared<const Picture>(readPicture(test::writeTestPicture(96, 64)));
    moment.region = {16, 0, 64, 64};
    moment.layers = {test::syntheticInspection()->layers[1]};
    moment.queries = markedQueries({{x, 0.3}});
    moments.push_back(moment);
  }
  return sweepFrames(moments);
}

template <typename Control>
Control* controlNamed(const QWidget& dialog, const char* name) {
  for (Control* control : dialog.findChildren<Control*>()) {
    if (control->accessibleName() == QLatin1String(name)) return control;
  }
  ADD_FAILURE() << "no control is called " << name;
  return nullptr;
}

class SweepDialogTest : public ::testing::Test {
 protected:
  SweepDialogTest() { open({}); }

  void open(const SweepSettings& settings) {
    const std::map<SweepOver, QString> obstacles{
        {SweepOver::Query, {}},
        {SweepOver::Layers, {}},
        {SweepOver::Checkpoints, QStringLiteral("no training")},
        {SweepOver::Landmarks, QStringLiteral("no landmarks")}};
    dialog_ = std::make_unique<SweepDialog>(
        [this](const SweepSettings& asked) {
          asked_ = asked;
          if (!problem_.empty()) throw InspectionError(problem_);
          return SweepPreview{threeFrames(), count_, QStringLiteral("about")};
        },
        obstacles, settings, FigureSettings(), path("sweep.webp"));
    dialog_->show();
  }
  QString path(const char* name) const { return folder_.filePath(QLatin1String(name)); }
  QString message() { return controlNamed<QLabel>(*dialog_, "Message")->text(); }
  QPushButton& exporting() { return *controlNamed<QPushButton>(*dialog_, "Export"); }

  QTemporaryDir folder_;
  SweepSettings asked_;
  std::string problem_;
  std::size_t count_ = 3;
  std::unique_ptr<SweepDialog> dialog_;
};

TEST_F(SweepDialogTest, EveryControlHasAName) {
  const auto controls = test::controlsBelow(*dialog_);
  EXPECT_GE(controls.size(), 9u);
  for (const QWidget* control : controls) {
    EXPECT_FALSE(control->accessibleName().isEmpty()) << control->metaObject()->className();
  }
}

TEST_F(SweepDialogTest, SaysHowLargeAndHowLongItBecomes) {
  EXPECT_TRUE(message().startsWith(QStringLiteral("3 frames of 960 × ")))
      << message().toStdString();
  EXPECT_TRUE(message().contains(QStringLiteral("0.4 s")));
  EXPECT_TRUE(message().contains(folder_.path()));
  controlNamed<QDoubleSpinBox>(*dialog_, "Frames a second")->setValue(3);
  controlNamed<QSpinBox>(*dialog_, "Width in pixels")->setValue(480);
  EXPECT_EQ(asked_.framesPerSecond, 3);
  EXPECT_TRUE(message().startsWith(QStringLiteral("3 frames of 480 × ")));
  EXPECT_TRUE(message().contains(QStringLiteral("1.0 s")));
}

TEST_F(SweepDialogTest, OnlyWhatCanMoveIsOffered) {
  auto* over = controlNamed<QComboBox>(*dialog_, "What moves");
  const auto isEnabled = [&](int index) {
    return over->model()->flags(over->model()->index(index, 0)).testFlag(Qt::ItemIsEnabled);
  };
  EXPECT_TRUE(isEnabled(0) && isEnabled(1));
  EXPECT_FALSE(isEnabled(2) || isEnabled(3));
  EXPECT_EQ(over->itemData(2, Qt::ToolTipRole), QStringLiteral("no training"));
  EXPECT_TRUE(controlNamed<QSpinBox>(*dialog_, "Frames")->isVisible());
  over->setCurrentIndex(1);
  Q_EMIT over->activated(1);
  EXPECT_EQ(asked_.over, SweepOver::Layers);
  EXPECT_FALSE(controlNamed<QSpinBox>(*dialog_, "Frames")->isVisible()) << "of a path alone";
}

TEST_F(SweepDialogTest, BeginsWithWhatCanMove) {
  SweepSettings remembered;
  remembered.over = SweepOver::Checkpoints;
  open(remembered);
  EXPECT_EQ(dialog_->settings().over, SweepOver::Query);
  EXPECT_EQ(asked_.over, SweepOver::Query);
}

TEST_F(SweepDialogTest, TheSliderShowsEveryFrame) {
  auto* slider = controlNamed<QSlider>(*dialog_, "Frame");
  auto* preview = controlNamed<QWidget>(*dialog_, "Preview");
  EXPECT_EQ(slider->maximum(), 2);
  const QImage first = preview->grab().toImage();
  slider->setValue(2);
  EXPECT_NE(preview->grab().toImage(), first);
}

TEST_F(SweepDialogTest, WhatCannotBeWrittenIsNotOffered) {
  auto* file = controlNamed<QLineEdit>(*dialog_, "File");
  EXPECT_TRUE(exporting().isEnabled());
  file->setText(QStringLiteral("sweep.png"));
  EXPECT_FALSE(exporting().isEnabled());
  EXPECT_TRUE(message().contains(QStringLiteral(".gif or .webp")));
  file->setText(QStringLiteral("frames"));
  EXPECT_TRUE(exporting().isEnabled());
  problem_ = "no patches here";
  controlNamed<QDoubleSpinBox>(*dialog_, "Frames a second")->setValue(3);
  EXPECT_FALSE(exporting().isEnabled());
  EXPECT_EQ(message(), QStringLiteral("no patches here"));
  problem_.clear();
  count_ = 1;
  controlNamed<QDoubleSpinBox>(*dialog_, "Frames a second")->setValue(4);
  EXPECT_FALSE(exporting().isEnabled()) << message().toStdString();
}

TEST_F(SweepDialogTest, AsksForTheFileAndTheCommand) {
  QSignalSpy saved(dialog_.get(), &SweepDialog::saveAsked);
  QSignalSpy copied(dialog_.get(), &SweepDialog::copyCommandAsked);
  controlNamed<QPushButton>(*dialog_, "Copy as command")->click();
  exporting().click();
  ASSERT_EQ(copied.count(), 1);
  ASSERT_EQ(saved.count(), 1);
  EXPECT_EQ(saved[0][0].toString(), path("sweep.webp"));
}

}  // namespace
}  // namespace softscope
