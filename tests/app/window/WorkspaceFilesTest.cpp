#include "app/window/Autosave.h"
#include "app/window/MainWindow.h"
#include "app/window/WindowActions.h"
#include "app/window/WorkspaceFiles.h"
#include "core/Error.h"
#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/controls/ElidedLabel.h"
#include "widgets/controls/ErrorBanner.h"
#include "widgets/pages/HeadsPage.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Workspace.h"
#include "widgets/workspace/WorkspaceState.h"

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QFileInfo>
#include <QtCore/QLockFile>
#include <QtCore/QSettings>
#include <QtCore/QTemporaryDir>
#include <QtCore/QTimer>
#include <QtGui/QAction>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QMainWindow>
#include <QtWidgets/QMessageBox>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QStatusBar>

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>

namespace softscope {
namespace {

class WorkspaceFilesTest : public testing::Test {
 protected:
  std::unique_ptr<MainWindow> open(WindowOptions options) {
    auto window = std::make_unique<MainWindow>(test::syntheticEngine(), std::move(options));
    window->resize(1000, 700);
    window->show();
    settle(*window);
    return window;
  }
  void settle(MainWindow& window) { test::settle(window.workspace()); }
  std::string touch(const QString& name) {
    QFile file(folder_.filePath(name));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(name.toUtf8());
    return file.fileName().toStdString();
  }
  /// Its file stays, and nobody holds the lock.
  void leaveAsIfKilled(MainWindow& window) {
    Autosave kept(window.workspace());
    window.workspace().queries().askPatch({5, 3});
    kept.write();
    ASSERT_FALSE(ownFiles().isEmpty());
    ASSERT_TRUE(QFile::copy(ownFiles().first(),
                            recovery().filePath(QStringLiteral("999999999.softscope"))));
  }
  static QDir recovery() { return QFileInfo(Autosave::lastSessionPath()).dir(); }
  /// Returns the recovery files that windows of this process write while they run, the newest
  /// first.
  static QStringList ownFiles() {
    QStringList paths;
    const QString names = QStringLiteral("%1-*.softscope").arg(QCoreApplication::applicationPid());
    for (const QFileInfo& file : recovery().entryInfoList({names}, QDir::Files, QDir::Time)) {
      paths << file.filePath();
    }
    return paths;
  }
  WindowOptions twoModels() {
    WindowOptions options;
    options.picturePath = test::writeTestPicture(128, 64);
    for (const char* name : {"first.pth", "second.pth"}) {
      ModelRequest request;
      request.path = touch(QString::fromLatin1(name));
      options.models.push_back(request);
    }
    return options;
  }
  QString saved() const { return folder_.filePath(QStringLiteral("w.softscope")); }
  /// Answers the question about unsaved changes that comes next.
  static void answer(QMessageBox::StandardButton wanted) {
    QTimer::singleShot(0, qApp, [wanted] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      ASSERT_NE(box, nullptr);
      EXPECT_TRUE(box->text().contains(QStringLiteral("w.softscope")));
      box->button(wanted)->click();
    });
  }

  QTemporaryDir folder_;
};

TEST_F(WorkspaceFilesTest, TwoModelsOpenSideBySide) {
  const auto window = open(twoModels());
  EXPECT_EQ(window->workspace().models().all().size(), 2u);
  EXPECT_EQ(window->workspace().models().currentIndex(), 0);
  EXPECT_EQ(window->workspace().page(), QStringLiteral("compare"));
}

TEST_F(WorkspaceFilesTest, SavedAndOpenedAgainEverythingIsAsItWas) {
  QByteArray before;
  {
    const auto window = open(twoModels());
    window->workspace().queries().askPatch({1, 6});
    window->workspace().queries().pin(window->workspace().queries().query());
    window->workspace().models().setCurrent(1);
    window->workspaceFiles().saveAs(saved());
    before = workspaceText(window->workspace().state(), {});
    window->close();
  }
  WindowOptions options;
  options.picturePath = saved().toStdString();
  const auto window = open(options);
  EXPECT_EQ(workspaceText(window->workspace().state(), {}), before);
  EXPECT_TRUE(window->workspace().models().anyIsShown());
  EXPECT_TRUE(window->windowTitle().contains(QStringLiteral("w")));
}

TEST_F(WorkspaceFilesTest, AModelOpenedDespiteUnexpectedParametersIsOpenedSoAgain) {
  {
    WindowOptions options = twoModels();
    options.models[1].ignoresUnexpected = true;
    open(options)->workspaceFiles().saveAs(saved());
  }
  WindowOptions options;
  options.picturePath = saved().toStdString();
  const auto window = open(options);
  ASSERT_EQ(window->workspace().models().all().size(), 2u);
  EXPECT_FALSE(window->workspace().models().all()[0].request.ignoresUnexpected);
  EXPECT_TRUE(window->workspace().models().all()[1].request.ignoresUnexpected);
}

TEST_F(WorkspaceFilesTest, WhatMovedIsNamedAndTheRestOpens) {
  open(twoModels())->workspaceFiles().saveAs(saved());
  ASSERT_TRUE(QFile::rename(folder_.filePath(QStringLiteral("first.pth")),
                            folder_.filePath(QStringLiteral("elsewhere.pth"))));
  WindowOptions options;
  options.picturePath = saved().toStdString();
  const auto window = open(options);
  const auto* banner = window->findChild<ErrorBanner*>();
  EXPECT_TRUE(banner->isVisible());
  EXPECT_TRUE(banner->message().contains(QStringLiteral("first.pth")));
  bool offered = false;
  for (const QPushButton* button : banner->findChildren<QPushButton*>()) {
    offered = offered || (button->isVisible() && button->text() == QStringLiteral("Locate…"));
  }
  EXPECT_TRUE(offered);
  const auto locate = [&]() -> QAction& {
    for (auto* action : window->findChildren<QAction*>()) {
      if (action->text() == QStringLiteral("Locate missing &files…")) return *action;
    }
    throw std::runtime_error("no such action");
  };
  window->findChild<ErrorBanner*>()->dismiss();
  EXPECT_TRUE(locate().isEnabled()) << "a dismissed message is not the end of it";
  ASSERT_EQ(window->workspace().models().all().size(), 1u);
  EXPECT_EQ(window->workspace().models().current()->name(), QStringLiteral("second"));
}

/// Chooses a file in the dialog that comes next, or closes it where there is none.
void choose(const QString& path) {
  QTimer::singleShot(0, qApp, [path] {
    auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
    ASSERT_NE(dialog, nullptr);
    if (path.isEmpty()) return dialog->reject();
    dialog->setDirectory(QFileInfo(path).absolutePath());
    dialog->selectFile(path);
    QMetaObject::invokeMethod(dialog, "accept");
  });
}

TEST_F(WorkspaceFilesTest, WhatIsLocatedJoinsWhatWasDoneSince) {
  open(twoModels())->workspaceFiles().saveAs(saved());
  const QString moved = folder_.filePath(QStringLiteral("elsewhere.pth"));
  ASSERT_TRUE(QFile::rename(folder_.filePath(QStringLiteral("first.pth")), moved));
  WindowOptions options;
  options.picturePath = saved().toStdString();
  const auto window = open(options);
  Workspace& workspace = window->workspace();
  workspace.queries().pin({0.25, 0.25});

  choose({});
  window->workspaceFiles().locateMissing();
  settle(*window);
  EXPECT_EQ(workspace.models().all().size(), 1u);
  EXPECT_EQ(workspace.queries().pins().size(), 1u);

  choose(moved);
  window->workspaceFiles().locateMissing();
  settle(*window);
  ASSERT_EQ(workspace.models().all().size(), 2u);
  EXPECT_EQ(workspace.models().all()[0].name(), QStringLiteral("elsewhere"));
  EXPECT_EQ(workspace.models().current()->name(), QStringLiteral("second"));
  EXPECT_EQ(workspace.queries().pins().size(), 1u);
}

TEST_F(WorkspaceFilesTest, AFileThatIsNoWorkspaceLeavesEverythingAsItWas) {
  const auto window = open(twoModels());
  const QByteArray before = workspaceText(window->workspace().state(), {});
  window->workspaceFiles().open(QString::fromStdString(touch(QStringLiteral("no.softscope"))));
  window->workspaceFiles().open(folder_.filePath(QStringLiteral("nowhere.softscope")));
  settle(*window);
  EXPECT_EQ(workspaceText(window->workspace().state(), {}), before);
  EXPECT_TRUE(window->findChild<ErrorBanner*>()->isVisible());
}

TEST_F(WorkspaceFilesTest, AFileTooLargeToBeAWorkspaceIsRefused) {
  const auto window = open(twoModels());
  window->workspaceFiles().saveAs(saved());
  QFile large(saved());
  // Sparse: the disk holds no more than before.
  ASSERT_TRUE(large.resize((qint64(256) << 20) + 1));
  QString message;
  QObject::connect(&window->workspaceFiles(), &WorkspaceFiles::failed,
                   [&](const QString& said) { message = said; });
  window->workspaceFiles().open(saved());
  EXPECT_TRUE(message.contains(QStringLiteral("larger than 256 MiB"))) << message.toStdString();
}

TEST_F(WorkspaceFilesTest, NothingThatIsOpenIsSavedOver) {
  const auto window = open(twoModels());
  const QString model = QString::fromStdString(window->workspace().models().all()[1].request.path);
  const QString link = folder_.filePath(QStringLiteral("link.softscope"));
  ASSERT_TRUE(QFile::link(model, link));
  const auto sizeBefore = QFileInfo(model).size();
  for (const QString& path : {model, link}) {
    QString message;
    const auto connection = QObject::connect(&window->workspaceFiles(), &WorkspaceFiles::failed,
                                             [&](const QString& said) { message = said; });
    window->workspaceFiles().saveAs(path);
    QObject::disconnect(connection);
    EXPECT_TRUE(message.contains(QStringLiteral("is read here"))) << message.toStdString();
    EXPECT_EQ(QFileInfo(model).size(), sizeBefore);
  }
}

TEST_F(WorkspaceFilesTest, AFolderThatCannotBeWrittenIsABanner) {
  const auto window = open(twoModels());
  window->workspaceFiles().saveAs(QStringLiteral("/nowhere/at/all/w.softscope"));
  EXPECT_TRUE(window->findChild<ErrorBanner*>()->isVisible());
}

TEST_F(WorkspaceFilesTest, WhatAKilledProcessKeptIsThereAgain) {
  WorkspaceState state;
  {
    const auto window = open(twoModels());
    window->workspace().queries().askPatch({5, 2});
    leaveAsIfKilled(*window);
    state = window->workspace().state();
    window->close();
  }
  WindowOptions options;
  options.bundledPicture = test::writeTestPicture(64, 64, "bundled.png");
  options.bundledModel = "bundled.pth";
  {
    const auto window = open(options);
    EXPECT_EQ(workspaceText(window->workspace().state(), {}), workspaceText(state, {}));
    const QStatusBar& bar = *window->statusBar();
    EXPECT_TRUE(bar.currentMessage().contains(QStringLiteral("did not close properly")));
    const auto* readout = bar.findChild<ElidedLabel*>();
    EXPECT_FALSE(readout->isVisible()) << "it would stand under the message";
    Q_EMIT window->findChild<HeadsPage*>()->readOut(QStringLiteral("head 1"));
    EXPECT_TRUE(bar.currentMessage().isEmpty());
    EXPECT_TRUE(readout->isVisible());
    window->close();
  }
  const auto window = open(options);
  EXPECT_EQ(window->workspace().models().current()->name(), QStringLiteral("bundled"))
      << "it is recovered once";
}

TEST_F(WorkspaceFilesTest, OfTwoThatWereKilledTheSecondIsThereAtTheNextStart) {
  {
    const auto window = open(twoModels());
    leaveAsIfKilled(*window);
    window->close();
  }
  const QDir place = QFileInfo(Autosave::lastSessionPath()).dir();
  ASSERT_TRUE(QFile::copy(place.filePath(QStringLiteral("999999999.softscope")),
                          place.filePath(QStringLiteral("999999998.softscope"))));
  EXPECT_TRUE(Autosave::takeRecovered());
  EXPECT_TRUE(Autosave::takeRecovered());
  EXPECT_FALSE(Autosave::takeRecovered());
}

TEST_F(WorkspaceFilesTest, AWindowBeginsWithTheLastSessionWhereThatIsLiked) {
  {
    const auto window = open(twoModels());
    window->workspace().queries().askPatch({5, 3});
    window->close();
  }
  WindowSettings settings;
  settings.preferences.first = Preferences::First::LastSession;
  writePreferences(settings);
  const auto window = open({});
  EXPECT_EQ(window->workspace().models().all().size(), 2u);
  EXPECT_EQ(window->workspace().queries().token(), 5 * 8 + 3);
  EXPECT_TRUE(window->workspaceFiles().path().isEmpty()) << "it is no file of the user's";
}

TEST_F(WorkspaceFilesTest, WithoutAutosaveTheSessionIsKeptAtItsEndAlone) {
  // The window's own file would be written beside.
  WindowSettings settings;
  settings.preferences.autosave = 0;
  writePreferences(settings);
  const auto window = open(twoModels());
  Autosave kept(window->workspace());
  kept.setDelay(0);
  window->workspace().queries().askPatch({5, 3});
  QTest::qWait(20);
  EXPECT_TRUE(ownFiles().isEmpty());
  QFile::remove(Autosave::lastSessionPath());
  kept.finish();
  EXPECT_TRUE(QFileInfo::exists(Autosave::lastSessionPath()));
}

TEST_F(WorkspaceFilesTest, AWindowThatWasKilledWithNothingInItIsNotRecovered) {
  const QDir place = QFileInfo(Autosave::lastSessionPath()).dir();
  QFile left(place.filePath(QStringLiteral("999999999.softscope")));
  ASSERT_TRUE(left.open(QIODevice::WriteOnly));
  left.write(workspaceText({}, {}));
  left.close();
  WindowOptions options;
  options.bundledPicture = test::writeTestPicture(128, 64, "bundled.png");
  options.bundledModel = touch(QStringLiteral("bundled.pth"));
  const auto window = open(options);
  EXPECT_TRUE(window->workspace().picture().get());
  EXPECT_TRUE(window->workspace().models().anyIsShown());
}

TEST_F(WorkspaceFilesTest, WhatIsRecoveredSaysWhatHasMovedAndIsTheLastSession) {
  {
    const auto window = open(twoModels());
    leaveAsIfKilled(*window);
    window->close();
  }
  ASSERT_TRUE(QFile::remove(Autosave::lastSessionPath()));
  const QString moved = folder_.filePath(QStringLiteral("elsewhere.pth"));
  ASSERT_TRUE(QFile::rename(folder_.filePath(QStringLiteral("first.pth")), moved));
  const auto window = open({});
  EXPECT_EQ(window->workspace().models().all().size(), 1u);
  EXPECT_TRUE(QFileInfo::exists(Autosave::lastSessionPath())) << "this process may be killed, too";
  const auto* banner = window->findChild<ErrorBanner*>();
  EXPECT_TRUE(banner->isVisible());
  EXPECT_TRUE(banner->message().contains(QStringLiteral("first.pth")));
  choose(moved);
  window->workspaceFiles().locateMissing();
  settle(*window);
  EXPECT_EQ(window->workspace().models().all().size(), 2u);
}

TEST_F(WorkspaceFilesTest, AnEndThatIsMeantKeepsTheLastSession) {
  QByteArray before;
  {
    const auto window = open(twoModels());
    window->workspace().queries().askPatch({2, 2});
    before = workspaceText(window->workspace().state(), {});
    window->close();
  }
  const auto window = open({});
  EXPECT_EQ(window->workspace().models().current(), nullptr) << "nothing was asked for";
  window->workspaceFiles().openLastSession();
  settle(*window);
  EXPECT_EQ(workspaceText(window->workspace().state(), {}), before);
  EXPECT_TRUE(window->workspaceFiles().path().isEmpty()) << "it is no file of the user's";
}

TEST_F(WorkspaceFilesTest, AWindowThatHadNothingLeavesTheLastSession) {
  open(twoModels())->close();
  const auto modelsOfLast = [] {
    QFile file(Autosave::lastSessionPath());
    EXPECT_TRUE(file.open(QIODevice::ReadOnly));
    return readWorkspace(file.readAll(), file.fileName()).models.size();
  };
  ASSERT_EQ(modelsOfLast(), 2u);
  {
    const auto window = open({});
    window->workspace().setPage(QStringLiteral("compare"));
    window->close();
  }
  EXPECT_EQ(modelsOfLast(), 2u);
  EXPECT_TRUE(ownFiles().isEmpty());
  {
    // It ends before it has opened what it was asked for.
    WindowOptions options = twoModels();
    options.models.pop_back();
    options.opensOncePainted = true;
    const MainWindow window(test::syntheticEngine(), options);
    EXPECT_FALSE(window.hasBegun());
  }
  EXPECT_EQ(modelsOfLast(), 2u);
  {
    const auto window = open(twoModels());
    window->workspace().queue().close(1);
    window->close();
  }
  EXPECT_EQ(modelsOfLast(), 1u) << "what was open is the last session";
}

TEST_F(WorkspaceFilesTest, ASurveyAloneIsASessionToo) {
  WorkspaceState state;
  state.analysis.of<SurveySettings>().file = touch(QStringLiteral("all.survey"));
  QFile left(
      QFileInfo(Autosave::lastSessionPath()).dir().filePath(QStringLiteral("999999999.softscope")));
  ASSERT_TRUE(left.open(QIODevice::WriteOnly));
  left.write(workspaceText(state, {}));
  left.close();
  const auto recovered = Autosave::takeRecovered();
  ASSERT_TRUE(recovered);
  EXPECT_EQ(recovered->state.analysis, state.analysis);
}

TEST_F(WorkspaceFilesTest, ALastSessionThatCannotBeReadLeavesTheOpenFile) {
  const auto window = open(twoModels());
  window->workspaceFiles().saveAs(saved());
  QFile last(Autosave::lastSessionPath());
  ASSERT_TRUE(last.open(QIODevice::WriteOnly));
  last.write("no workspace");
  last.close();
  window->workspaceFiles().openLastSession();
  EXPECT_EQ(window->workspaceFiles().path(), saved());
  EXPECT_TRUE(window->findChild<ErrorBanner*>()->isVisible());
}

TEST_F(WorkspaceFilesTest, TheLastSessionTakesNoPlaceAmongTheRecentFiles) {
  open(twoModels())->close();
  Workspace workspace(test::syntheticEngine());
  QMainWindow window;
  auto& actions = *new WindowActions(window);
  WindowSettings settings;
  for (int i = 0; i < 20; ++i) {
    rememberPath(settings.recentWorkspaces,
                 folder_.filePath(QStringLiteral("%1.softscope").arg(i)));
  }
  const QStringList recent = settings.recentWorkspaces;
  WorkspaceFiles files(window, workspace, actions, settings);
  files.openLastSession();
  EXPECT_EQ(workspace.state().models.size(), 2u);
  EXPECT_EQ(settings.recentWorkspaces, recent);
  test::settle(workspace);
}

TEST_F(WorkspaceFilesTest, WhatIsBundledAloneIsNoSession) {
  const auto modelsKept = [] {
    QFile last(Autosave::lastSessionPath());
    EXPECT_TRUE(last.open(QIODevice::ReadOnly));
    return readWorkspace(last.readAll(), last.fileName()).models.size();
  };
  open(twoModels())->close();
  WindowOptions options;
  options.bundledPicture = test::writeTestPicture(128, 64, "bundled.png");
  options.bundledModel = touch(QStringLiteral("bundled.pth"));
  {
    const auto window = open(options);
    ASSERT_TRUE(window->workspace().models().anyIsShown());
    window->close();
  }
  EXPECT_EQ(modelsKept(), 2u);
  {
    const auto window = open(options);
    for (const ModelRequest& request : twoModels().models) {
      window->workspace().queue().openBeside(request);
    }
    settle(*window);
    window->close();
  }
  EXPECT_EQ(modelsKept(), 3u) << "with files of the user's it is one";
}

// In a container, the window has the same process number at every start.
TEST_F(WorkspaceFilesTest, AWindowOfTheSameProcessNumberIsRecovered) {
  const QString left =
      recovery().filePath(QStringLiteral("%1.softscope").arg(QCoreApplication::applicationPid()));
  const QString lock = left + QStringLiteral(".lock");
  {
    const auto window = open(twoModels());
    leaveAsIfKilled(*window);
    window->close();
  }
  ASSERT_TRUE(QFile::rename(recovery().filePath(QStringLiteral("999999999.softscope")), left));
  {
    QLockFile running(lock);
    ASSERT_TRUE(running.tryLock(0));
    EXPECT_FALSE(Autosave::takeRecovered()) << "its window runs";
    // The process is killed, and says in its lock that it runs.
    ASSERT_TRUE(QFile::copy(lock, lock + QStringLiteral(".copy")));
  }
  ASSERT_TRUE(QFile::rename(lock + QStringLiteral(".copy"), lock));
  QFile killed(left);
  ASSERT_TRUE(killed.open(QIODevice::ReadOnly));
  const QByteArray workspace = killed.readAll();
  const auto window = open({});
  Autosave kept(window->workspace());
  window->workspace().setPage(QStringLiteral("heads"));
  kept.write();
  EXPECT_FALSE(ownFiles().isEmpty());
  EXPECT_FALSE(QFileInfo::exists(left)) << "it was recovered, and nothing is kept in its place";
  QFile last(Autosave::lastSessionPath());
  ASSERT_TRUE(last.open(QIODevice::ReadOnly));
  EXPECT_EQ(last.readAll(), workspace);
  EXPECT_FALSE(Autosave::takeRecovered()) << "a window that runs is not recovered";
}

QStringList savedModelNames(const QString& path) {
  QFile file(path);
  EXPECT_TRUE(file.open(QIODevice::ReadOnly));
  QStringList names;
  for (const ModelState& model : readWorkspace(file.readAll(), path).models) {
    names += QFileInfo(QString::fromStdString(model.request.path)).fileName();
  }
  return names;
}

TEST_F(WorkspaceFilesTest, WhatIsMissingStaysInTheFileAndTheSessionUntilItIsForgotten) {
  const QStringList both{QStringLiteral("first.pth"), QStringLiteral("second.pth")};
  {
    const auto window = open(twoModels());
    window->workspace().models().rename(0, QStringLiteral("mine"));
    window->workspaceFiles().saveAs(saved());
  }
  ASSERT_TRUE(QFile::rename(folder_.filePath(both[0]), folder_.filePath(QStringLiteral("away"))));
  WindowOptions options;
  options.picturePath = saved().toStdString();
  {
    const auto window = open(options);
    ASSERT_EQ(window->workspace().models().all().size(), 1u);
    window->workspaceFiles().saveAs(saved());
    EXPECT_EQ(savedModelNames(saved()), both);
    EXPECT_EQ(window->workspace().state().models[0].givenName, QStringLiteral("mine"));
    EXPECT_EQ(window->workspace().state().current, 1) << "what is shown";
    window->close();
  }
  EXPECT_EQ(savedModelNames(Autosave::lastSessionPath()), both);
  const auto window = open(options);
  auto* forget = window->findChild<QAction*>(QStringLiteral("forgetMissing"));
  ASSERT_TRUE(forget->isEnabled());
  forget->trigger();
  EXPECT_FALSE(forget->isEnabled());
  window->workspaceFiles().saveAs(saved());
  EXPECT_EQ(savedModelNames(saved()), QStringList{both[1]});
}

TEST_F(WorkspaceFilesTest, AModelThatFailsToOpenStaysInTheFile) {
  open(twoModels())->workspaceFiles().saveAs(saved());
  const auto engine = test::syntheticEngine(
      [](const ModelRequest& request, const Progress&) -> std::shared_ptr<const Model> {
        if (!request.path.ends_with("first.pth")) return test::syntheticModel(request);
        throw CheckpointError(request.path, "is damaged");
      });
  MainWindow window(engine, {});
  window.show();
  window.workspaceFiles().open(saved());
  settle(window);
  ASSERT_EQ(window.workspace().models().all().size(), 1u);
  window.workspaceFiles().saveAs(saved());
  EXPECT_EQ(savedModelNames(saved()),
            QStringList({QStringLiteral("first.pth"), QStringLiteral("second.pth")}));
}

TEST_F(WorkspaceFilesTest, AMissingPictureStaysInTheFileUntilAnotherIsOpen) {
  WindowOptions leaves;
  leaves.picturePath = test::writeTestPicture(32, 32, "leaves.png");
  open(leaves)->workspaceFiles().saveAs(saved());
  ASSERT_TRUE(QFile::remove(QString::fromStdString(leaves.picturePath)));
  WindowOptions options;
  options.picturePath = saved().toStdString();
  const auto window = open(options);
  ASSERT_FALSE(window->workspace().picture().get());
  EXPECT_EQ(window->workspace().state().picturePath.toStdString(), leaves.picturePath);
  window->workspace().picture().open(QStringLiteral("/nowhere/at.png"));
  settle(*window);
  EXPECT_EQ(window->workspace().state().picturePath.toStdString(), leaves.picturePath);
  const std::string other = test::writeTestPicture(64, 64, "other.png");
  window->workspace().picture().open(QString::fromStdString(other));
  settle(*window);
  EXPECT_EQ(window->workspace().state().picturePath.toStdString(), other);
}

TEST_F(WorkspaceFilesTest, APictureWithOtherContentThanWhenItWasSavedIsTold) {
  const QString picture = folder_.filePath(QStringLiteral("picture.png"));
  const auto write = [&](int width) {
    const std::string made = test::writeTestPicture(width, 64, "made.png");
    QFile::remove(picture);
    ASSERT_TRUE(QFile::copy(QString::fromStdString(made), picture));
  };
  write(128);
  WindowOptions options = twoModels();
  options.picturePath = picture.toStdString();
  open(options)->workspaceFiles().saveAs(saved());
  WindowOptions again;
  again.picturePath = saved().toStdString();
  EXPECT_FALSE(open(again)->findChild<ErrorBanner*>()->isVisible());
  write(96);
  const auto window = open(again);
  EXPECT_TRUE(window->findChild<ErrorBanner*>()->isVisible());
  EXPECT_TRUE(window->findChild<ErrorBanner*>()->message().startsWith(
      QStringLiteral("picture.png is not the picture it was when this workspace was saved")));
  EXPECT_EQ(window->workspace().picture().get()->width, 96);
}

TEST_F(WorkspaceFilesTest, SavingSaysWhichFilesAreGone) {
  const QString picture = folder_.filePath(QStringLiteral("gone.png"));
  const std::string made = test::writeTestPicture(128, 64, "made.png");
  ASSERT_TRUE(QFile::copy(QString::fromStdString(made), picture));
  WindowOptions options = twoModels();
  options.picturePath = picture.toStdString();
  const auto window = open(options);
  QFile::remove(picture);
  QSignalSpy said(&window->workspaceFiles(), &WorkspaceFiles::said);
  window->workspaceFiles().saveAs(saved());
  ASSERT_EQ(said.count(), 1);
  EXPECT_TRUE(said[0][0].toString().contains(QStringLiteral("gone.png")));
}

TEST_F(WorkspaceFilesTest, WhatAnotherWorkspaceReplacesCanBeGoneBackTo) {
  const auto window = open(twoModels());
  window->workspaceFiles().saveAs(saved());
  window->workspace().queue().close(1);
  window->workspace().queries().pin({0.25, 0.25});
  window->workspace().models().rename(0, QStringLiteral("mine"));
  settle(*window);
  const QByteArray before = workspaceText(window->workspace().state(), {});
  QSignalSpy replaced(&window->workspaceFiles(), &WorkspaceFiles::replaced);
  answer(QMessageBox::Discard);
  window->workspaceFiles().open(saved());
  settle(*window);
  EXPECT_EQ(replaced.count(), 1);
  const QByteArray opened = workspaceText(window->workspace().state(), {});
  EXPECT_NE(opened, before);
  EXPECT_TRUE(
      QTest::qWaitFor([] { return QFileInfo::exists(Autosave::replacedPath()); }, test::patience))
      << "this process may be killed";
  auto* back = window->findChild<QAction*>(QStringLiteral("goBack"));
  ASSERT_TRUE(back && back->isEnabled());
  back->trigger();
  settle(*window);
  EXPECT_EQ(workspaceText(window->workspace().state(), {}), before);
  EXPECT_EQ(window->workspaceFiles().path(), saved());
  answer(QMessageBox::Discard);
  back->trigger();
  settle(*window);
  EXPECT_EQ(workspaceText(window->workspace().state(), {}), opened) << "and forth";
}

TEST_F(WorkspaceFilesTest, WithoutAutosaveWhatIsReplacedIsKeptInTheWindowAlone) {
  WindowSettings settings;
  settings.preferences.autosave = 0;
  writePreferences(settings);
  QFile::remove(Autosave::replacedPath());
  const auto window = open(twoModels());
  const auto* back = window->findChild<QAction*>(QStringLiteral("goBack"));
  EXPECT_FALSE(back->isEnabled());
  window->workspaceFiles().saveAs(saved());
  window->workspaceFiles().open(saved());
  settle(*window);
  EXPECT_TRUE(back->isEnabled());
  EXPECT_FALSE(QFileInfo::exists(Autosave::replacedPath()));
}

TEST_F(WorkspaceFilesTest, AClosedModelTakesWhatWasCollectedNowhere) {
  const auto window = open(twoModels());
  QSignalSpy replaced(&window->workspaceFiles(), &WorkspaceFiles::replaced);
  window->workspace().queue().close(1);
  EXPECT_EQ(replaced.count(), 0) << "its file opens it again";
  window->workspace().models().collect(0, {"block1.0.attn", 1});
  const QByteArray before = workspaceText(window->workspace().state(), {});
  window->workspace().queue().close(0);
  EXPECT_EQ(replaced.count(), 1);
  window->workspaceFiles().goBack();
  settle(*window);
  EXPECT_EQ(workspaceText(window->workspace().state(), {}), before);
}

TEST_F(WorkspaceFilesTest, WhatIsBundledAloneIsNotKeptWhenItIsReplaced) {
  open(twoModels())->workspaceFiles().saveAs(saved());
  QFile::remove(Autosave::replacedPath());
  WindowOptions options;
  options.bundledPicture = test::writeTestPicture(128, 64, "bundled.png");
  options.bundledModel = touch(QStringLiteral("bundled.pth"));
  const auto window = open(options);
  ASSERT_TRUE(window->workspace().models().anyIsShown());
  QSignalSpy replaced(&window->workspaceFiles(), &WorkspaceFiles::replaced);
  window->workspaceFiles().open(saved());
  settle(*window);
  EXPECT_EQ(replaced.count(), 0);
  EXPECT_FALSE(window->findChild<QAction*>(QStringLiteral("goBack"))->isEnabled());
  const auto marked = open(options);
  marked->workspace().queries().pin({0.25, 0.25});
  QSignalSpy kept(&marked->workspaceFiles(), &WorkspaceFiles::replaced);
  marked->workspaceFiles().open(saved());
  settle(*marked);
  EXPECT_EQ(kept.count(), 1) << "its pins are its user's";
}

TEST_F(WorkspaceFilesTest, TheTitleMarksWhatIsNotSaved) {
  const auto window = open(twoModels());
  Workspace& workspace = window->workspace();
  const auto isMarked = [&window](bool marked) {
    return QTest::qWaitFor([&] { return window->isWindowModified() == marked; }, test::patience);
  };
  workspace.queries().askPatch({1, 6});
  EXPECT_FALSE(window->windowTitle().contains(QStringLiteral("[*]"))) << "it has no file yet";
  window->workspaceFiles().saveAs(saved());
  settle(*window);
  EXPECT_TRUE(window->windowTitle().contains(QStringLiteral("w[*]")));
  EXPECT_FALSE(window->isWindowModified());
  const PictureQuery before = workspace.queries().query();
  workspace.queries().ask({0.1, 0.1});
  EXPECT_TRUE(isMarked(true));
  workspace.queries().ask(before);
  EXPECT_TRUE(isMarked(false)) << "it is what its file holds again";
  workspace.setPage(QStringLiteral("heads"));
  EXPECT_TRUE(isMarked(true));
  window->workspaceFiles().save();
  EXPECT_FALSE(window->isWindowModified());
  workspace.queue().close(1);
  EXPECT_TRUE(isMarked(true));
  answer(QMessageBox::Discard);
  window->workspaceFiles().open(saved());
  settle(*window);
  EXPECT_TRUE(isMarked(false));
  window->workspaceFiles().goBack();
  settle(*window);
  EXPECT_TRUE(isMarked(true)) << "with what was changed, its mark is back";
}

TEST_F(WorkspaceFilesTest, AWindowWithUnsavedChangesAsksBeforeItCloses) {
  const auto window = open(twoModels());
  Workspace& workspace = window->workspace();
  window->workspaceFiles().saveAs(saved());
  settle(*window);
  const auto pointAsSaved = [&] {
    const auto other = open({});
    other->workspaceFiles().open(saved());
    settle(*other);
    return other->workspace().queries().query();
  };
  const PictureQuery first = workspace.queries().query();
  workspace.queries().ask({0.1, 0.1});
  answer(QMessageBox::Cancel);
  EXPECT_FALSE(window->close());
  EXPECT_TRUE(window->isVisible());
  answer(QMessageBox::Discard);
  EXPECT_TRUE(window->close());
  EXPECT_EQ(pointAsSaved(), first);
  window->show();
  answer(QMessageBox::Save);
  EXPECT_TRUE(window->close());
  EXPECT_EQ(pointAsSaved(), workspace.queries().query());
  window->show();
  EXPECT_TRUE(window->close()) << "nothing differs from the file";
}

TEST_F(WorkspaceFilesTest, UnsavedChangesAreAskedAboutBeforeAnotherWorkspaceReplacesThem) {
  const auto window = open(twoModels());
  Workspace& workspace = window->workspace();
  WorkspaceFiles& files = window->workspaceFiles();
  const QString other = folder_.filePath(QStringLiteral("other.softscope"));
  files.saveAs(other);
  files.saveAs(saved());
  settle(*window);
  workspace.queries().ask({0.1, 0.1});
  const PictureQuery asked = workspace.queries().query();
  for (const auto& replace : std::initializer_list<std::function<void()>>{
           [&] { files.open(other); }, [&] { files.openLastSession(); }, [&] { files.goBack(); }}) {
    answer(QMessageBox::Cancel);
    replace();
    EXPECT_EQ(files.path(), saved());
    EXPECT_EQ(workspace.queries().query(), asked);
  }
  answer(QMessageBox::Save);
  files.open(other);
  settle(*window);
  EXPECT_EQ(files.path(), other);
  EXPECT_NE(workspace.queries().query(), asked);
  files.open(saved());
  settle(*window);
  EXPECT_EQ(workspace.queries().query(), asked) << "it was saved, and nothing was asked again";
}

}  // namespace
}  // namespace softscope
