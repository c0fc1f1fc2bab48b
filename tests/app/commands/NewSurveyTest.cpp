#include "app/figures/drawing/HeadlessApplication.h"
#include "app/window/survey/SurveyDialog.h"
#include "core/survey/Database.h"
#include "core/survey/measures/Measure.h"
#include "tests/app/commands/Run.h"
#include "tests/widgets/WholeText.h"
#include "tests/widgets/workspace/Settle.h"

#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QListWidget>
#include <QtWidgets/QPushButton>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>

namespace softscope::test {
namespace {

/// The dialog of a new survey, with the program itself behind it.
class NewSurvey : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { application_ = std::make_unique<HeadlessApplication>(); }
  static void TearDownTestSuite() { application_.reset(); }

  NewSurvey() {
    const std::filesystem::path resources = std::filesystem::path(SOFTSCOPE_SOURCE) / "resources";
    std::filesystem::create_directory(pictures());
    std::filesystem::copy(resources / "pictures" / "chelsea.png", pictures() + "/a.png");
    std::filesystem::copy(resources / "pictures" / "astronaut.jpg", pictures() + "/b.jpg");
    FigureModel model;
    model.request.path = (resources / "checkpoints" / "sima_everyday10.safetensors").string();
    model.name = "small";
    dialog_ = std::make_unique<SurveyDialog>(QStringLiteral(SOFTSCOPE_EXECUTABLE),
                                             std::vector<FigureModel>{model});
    dialog_->show();
  }

  std::string pictures() const { return folder_ / "pictures"; }
  QString file() const { return QString::fromStdString(folder_ / "new.survey"); }
  QPushButton& button(const QString& text) {
    for (QPushButton* button : dialog_->findChildren<QPushButton*>()) {
      if (button->text() == text) return *button;
    }
    throw std::runtime_error("no button " + text.toStdString());
  }
  bool says(const QString& words) {
    for (const QLabel* label : dialog_->findChildren<QLabel*>()) {
      if (test::wholeText(*label).contains(words)) return true;
    }
    return false;
  }

  const TemporaryFolder folder_;
  std::unique_ptr<SurveyDialog> dialog_;
  static std::unique_ptr<HeadlessApplication> application_;
};

std::unique_ptr<HeadlessApplication> NewSurvey::application_;

TEST_F(NewSurvey, EnterInAFieldStartsNothing) {
  QSignalSpy started(dialog_.get(), &SurveyDialog::started);
  auto* folder = dialog_->findChild<QLineEdit*>();
  ASSERT_EQ(folder->accessibleName(), QStringLiteral("Folder of pictures"));
  folder->setFocus();
  folder->setText(QString::fromStdString(pictures()));
  QTest::keyClick(folder, Qt::Key_Return);
  EXPECT_TRUE(dialog_->file().endsWith(QStringLiteral("pictures.survey")));
  QTest::keyClick(folder, Qt::Key_Return);
  EXPECT_EQ(started.count(), 0);
  EXPECT_FALSE(dialog_->isRunning());
}

TEST_F(NewSurvey, ReturnPressedTwiceDoesNotStopWhatItBegan) {
  dialog_->setFolder(QString::fromStdString(pictures()));
  dialog_->setFile(file());
  QSignalSpy measured(dialog_.get(), &SurveyDialog::measured);
  QApplication::setActiveWindow(dialog_.get());
  button("Measure").setFocus();
  QTest::keyClick(&button("Measure"), Qt::Key_Return);
  ASSERT_TRUE(dialog_->isRunning());
  QWidget* focus = dialog_->focusWidget() ? dialog_->focusWidget() : dialog_.get();
  QTest::keyClick(focus, Qt::Key_Return);
  EXPECT_TRUE(button("Stop").isEnabled()) << "it is not stopping";
  EXPECT_TRUE(measured.wait(test::patience));
}

TEST_F(NewSurvey, AllMeasuresAreCheckedAndUncheckedAtOnce) {
  const auto measures = [this] {
    const QStringList words = dialog_->arguments();
    return words[words.indexOf(QStringLiteral("--measure")) + 1].split(u',', Qt::SkipEmptyParts);
  };
  button(QStringLiteral("None")).click();
  EXPECT_TRUE(measures().isEmpty());
  button(QStringLiteral("All")).click();
  EXPECT_EQ(static_cast<std::size_t>(measures().size()), allMeasures().size());
}

TEST_F(NewSurvey, SaysWhatIsMissing) {
  EXPECT_FALSE(button("Measure").isEnabled());
  EXPECT_TRUE(says("Choose a folder"));
  dialog_->setFolder(QString::fromStdString(pictures()));
  EXPECT_TRUE(button("Measure").isEnabled());
  dialog_->setFile("survey.txt");
  EXPECT_TRUE(says("ends in .survey"));
  dialog_->setFile(file());
  for (QListWidget* list : dialog_->findChildren<QListWidget*>()) {
    if (list->count() == 1) list->item(0)->setCheckState(Qt::Unchecked);
  }
  EXPECT_TRUE(says("Choose a model"));
}

TEST_F(NewSurvey, MeasuresWhatIsChosen) {
  dialog_->setFolder(QString::fromStdString(pictures()));
  dialog_->setFile(file());
  QSignalSpy measured(dialog_.get(), &SurveyDialog::measured);
  QTest::mouseClick(&button("Measure"), Qt::LeftButton);
  EXPECT_TRUE(dialog_->isRunning());
  ASSERT_TRUE(measured.wait(test::patience));
  EXPECT_TRUE(says(" of 2 pictures")) << "it said how far it was";
  EXPECT_EQ(measured.front().front().toString(), file());
  EXPECT_FALSE(dialog_->isVisible());
  Database survey(file().toStdString(), Database::Mode::ReadOnly);
  Statement row(
      survey,
      "SELECT name, (SELECT count(*) FROM picture), (SELECT count(*) FROM measure) FROM model");
  ASSERT_TRUE(row.step());
  EXPECT_EQ(row.text(0), "small");
  EXPECT_EQ(row.integer(1), 2);
  EXPECT_GT(row.integer(2), 10);
}

TEST_F(NewSurvey, SaysWhatWentWrong) {
  dialog_->setFolder(QString::fromStdString(folder_ / "nowhere"));
  dialog_->setFile(file());
  QTest::mouseClick(&button("Measure"), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !dialog_->isRunning(); }, test::patience));
  EXPECT_TRUE(dialog_->isVisible());
  EXPECT_TRUE(says("nowhere"));
  EXPECT_TRUE(button("Measure").isEnabled());
}

TEST_F(NewSurvey, NamesWhatWasPassedOver) {
  std::ofstream(pictures() + "/broken.jpg") << "no picture";
  std::ofstream(pictures() + "/notes.txt") << "no picture by its name";
  dialog_->setFolder(QString::fromStdString(pictures()));
  dialog_->setFile(file());
  QSignalSpy measured(dialog_.get(), &SurveyDialog::measured);
  QTest::mouseClick(&button("Measure"), Qt::LeftButton);
  ASSERT_TRUE(measured.wait(test::patience));
  EXPECT_TRUE(dialog_->isVisible());
  EXPECT_TRUE(says("passed over 1 file"));
  EXPECT_TRUE(says("broken.jpg"));
  EXPECT_FALSE(says("named like a picture"));
}

TEST_F(NewSurvey, AModelWhoseFileWasReplacedIsNotMeasured) {
  const std::string path = folder_ / "model.safetensors";
  std::ofstream(path) << "weights";
  FigureModel model;
  model.request.path = path;
  model.name = "replaced";
  model.versions = {{{path}, stampOf({path}), fileFingerprint(path)}};
  dialog_ = std::make_unique<SurveyDialog>(QStringLiteral(SOFTSCOPE_EXECUTABLE),
                                           std::vector<FigureModel>{model});
  std::ofstream(path) << "other weights";
  dialog_->setFolder(QString::fromStdString(pictures()));
  dialog_->setFile(file());
  QTest::mouseClick(&button("Measure"), Qt::LeftButton);
  EXPECT_FALSE(dialog_->isRunning());
  EXPECT_TRUE(says("model.safetensors: was written since it was opened"));
}

}  // namespace
}  // namespace softscope::test
