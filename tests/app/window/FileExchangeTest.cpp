#include "app/window/FileExchange.h"
#include "app/window/MainWindow.h"
#include "tests/app/window/SyntheticContent.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtCore/QTimer>
#include <QtWidgets/QApplication>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QMenu>
#include <QtWidgets/QPushButton>

#include <gtest/gtest.h>

namespace softscope {
namespace {

class FileExchangeTest : public test::WindowFixture {
 protected:
  FileExchangeTest() {
    QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    start(test::syntheticEngine(), test::syntheticContent({"first.pth"}));
    for (const char* name : {"second.pth", "third.pth"}) {
      QFile file(folder_.filePath(QLatin1String(name)));
      EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    }
  }
  /// In the dialog that opens next.
  void chooseBoth() {
    QTimer::singleShot(0, qApp, [this] {
      auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
      ASSERT_NE(dialog, nullptr);
      EXPECT_EQ(dialog->fileMode(), QFileDialog::ExistingFiles);
      dialog->setDirectory(folder_.path());
      dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))
          ->setText(QStringLiteral("\"second.pth\" \"third.pth\""));
      QMetaObject::invokeMethod(dialog, "accept");
    });
  }
  /// Opens a window without models whose box holds a pair.
  void openBox() {
    Engine engine = test::syntheticEngine();
    engine.openModel = [](const ModelRequest& request, const Progress&) {
      ModelRequest of = request;
      const bool isPooled = request.path.find("norm_pooled") != std::string::npos;
      if (!of.attention && isPooled) of.attention = "soft++";
      return test::syntheticModel(of);
    };
    WindowOptions options;
    options.picturePath = test::writeTestPicture(128, 64);
    options.library = [] {
      return std::vector<LibraryModel>{
          {.path = "/box/soft_everyday10.pth", .mechanism = "soft"},
          {.path = "/box/soft_norm_pooled_everyday10.pth", .mechanism = "soft++"}};
    };
    start(engine, std::move(options));
    ASSERT_TRUE(window_->workspace().models().all().empty());
  }
  std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const OpenedModel& model : window_->workspace().models().all()) {
      all.push_back(model.name().toStdString());
    }
    return all;
  }

  QTemporaryDir folder_;
};

TEST_F(FileExchangeTest, SeveralModelsAreAddedToAComparisonAtOnce) {
  window_->workspace().setPage(QStringLiteral("compare"));
  QPushButton* add = nullptr;
  for (auto* button : window_->findChildren<QPushButton*>()) {
    if (button->text() == QStringLiteral("+ Model…") && button->isVisible()) add = button;
  }
  ASSERT_TRUE(add);
  chooseBoth();
  add->click();
  // The button lists what can be opened; its last entry asks for files.
  auto* list = qobject_cast<QMenu*>(QApplication::activePopupWidget());
  ASSERT_TRUE(list);
  list->actions().back()->trigger();
  settle();
  EXPECT_EQ(names(), (std::vector<std::string>{"first", "second", "third"}));
}

TEST_F(FileExchangeTest, OfSeveralModelsTheFirstTakesThePlaceOfTheShownOne) {
  chooseBoth();
  window_->files().openModelDialog();
  settle();
  EXPECT_EQ(names(), (std::vector<std::string>{"second", "third"}));
}

TEST_F(FileExchangeTest, ClassesGetTheNamesOfAFile) {
  QFile file(folder_.filePath(QStringLiteral("names.txt")));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("cat\n");
  file.close();
  std::string asked;
  Engine engine = test::syntheticEngine();
  engine.openModel = [open = engine.openModel, &asked](const ModelRequest& request,
                                                       const Progress& progress) {
    asked = request.classNames.value_or("");
    return open(request, progress);
  };
  WindowOptions options;
  options.picturePath = test::writeTestPicture(128, 64);
  for (const char* path : {"first.pth", "second.pth"}) {
    options.models.emplace_back();
    options.models.back().path = path;
  }
  start(engine, options);
  ASSERT_EQ(asked, "");
  QTimer::singleShot(0, qApp, [&] {
    auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
    ASSERT_NE(dialog, nullptr);
    dialog->setDirectory(folder_.path());
    dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))
        ->setText(QStringLiteral("names.txt"));
    QMetaObject::invokeMethod(dialog, "accept");
  });
  window_->workspace().models().setCurrent(1);
  auto* action = window_->findChild<QAction*>(QStringLiteral("nameClasses"));
  ASSERT_TRUE(action->isEnabled());
  action->trigger();
  settle();
  EXPECT_EQ(asked, file.fileName().toStdString());
  EXPECT_EQ(window_->workspace().models().all()[1].request.classNames, asked);
  EXPECT_FALSE(window_->workspace().models().all()[0].request.classNames);
  EXPECT_EQ(window_->workspace().models().currentIndex(), 1);
}

TEST_F(FileExchangeTest, ThePairThatIsStillBeingOpenedIsNotOpenedTwice) {
  openBox();
  window_->files().openPair();
  window_->files().openPair();
  settle();
  const std::vector<std::string> both{"soft_everyday10", "soft_norm_pooled_everyday10"};
  EXPECT_EQ(names(), both);
  window_->files().openPair();
  settle();
  EXPECT_EQ(names(), both);
}

TEST_F(FileExchangeTest, WhatIsBeingOpenedWithThePairsMechanismIsOfThePair) {
  openBox();
  ModelRequest request;
  request.path = "/box/soft_everyday10.pth";
  request.attention = "soft";
  window_->workspace().queue().openBeside(request);
  window_->files().openPair();
  settle();
  EXPECT_EQ(names(), (std::vector<std::string>{"soft_everyday10", "soft_norm_pooled_everyday10"}));
  request.attention = "gaussian";
  openBox();
  window_->workspace().queue().openBeside(request);
  window_->files().openPair();
  settle();
  EXPECT_EQ(names().size(), 3u) << "with another mechanism it is not";
}

TEST_F(FileExchangeTest, AWorkspaceAndASurveyAreNoModels) {
  for (const char* name : {"work.softscope", "all.survey"}) {
    QString message;
    const auto connection = QObject::connect(&window_->files(), &FileExchange::failed,
                                             [&message](const QString& said) { message = said; });
    window_->files().openModelAt(folder_.filePath(QLatin1String(name)));
    QObject::disconnect(connection);
    EXPECT_TRUE(message.contains(QLatin1String(name))) << message.toStdString();
    EXPECT_TRUE(message.contains(QStringLiteral("File > Open"))) << message.toStdString();
    EXPECT_TRUE(window_->workspace().queue().wanted().size() == 1);
  }
}

}  // namespace
}  // namespace softscope
