// Opens a window on a model of the tests, asks about a patch and writes all that a window writes:
//
//   window_writers FOLDER ROW
//
// FOLDER/saved.softscope by Save as, its settings below FOLDER/config, and below FOLDER/data what
// is kept while it runs, which becomes the last session when it is closed. FOLDER/picture.png is
// there. What a banner would say goes to stderr. Ends with 0, or with 1 where a banner was shown.

#include "app/window/Autosave.h"
#include "app/window/MainWindow.h"
#include "app/window/WorkspaceFiles.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/controls/GuardedApplication.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QDir>
#include <QtTest/QTest>

#include <cstdio>

namespace {

void prepareHome(const QString& folder) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  // Not in the folder: Qt's own complaints about it are not what is tested.
  qputenv("XDG_RUNTIME_DIR", QDir::tempPath().toUtf8());
  qputenv("XDG_CONFIG_HOME", (folder + QStringLiteral("/config")).toUtf8());
  qputenv("XDG_DATA_HOME", (folder + QStringLiteral("/data")).toUtf8());
}

/// What the offscreen platform says of itself.
void leaveUnsaid(QtMsgType, const QMessageLogContext&, const QString&) {}

softscope::WindowOptions optionsOf(const QString& folder) {
  softscope::WindowOptions options;
  options.picturePath = (folder + QStringLiteral("/picture.png")).toStdString();
  options.models.emplace_back().path = options.picturePath;
  return options;
}

bool writeAll(softscope::MainWindow& window, const QString& folder, int row) {
  bool isWell = true;
  QObject::connect(&window.workspaceFiles(), &softscope::WorkspaceFiles::failed,
                   [&](const QString& message) {
                     std::fprintf(stderr, "softscope: %s\n", qUtf8Printable(message));
                     isWell = false;
                   });
  constexpr int longest = 120'000;
  const auto isIdle = [&] { return !window.workspace().worker().isBusy(); };
  if (!QTest::qWaitFor(isIdle, longest)) return false;
  window.workspace().queries().askPatch({row, 1});
  if (!QTest::qWaitFor(isIdle, longest)) return false;
  window.workspaceFiles().saveAs(folder + QStringLiteral("/saved.softscope"));
  softscope::Autosave(window.workspace()).write();
  window.close();
  return isWell;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const QString folder = QDir(QString::fromLocal8Bit(argv[1])).absolutePath();
  prepareHome(folder);
  qInstallMessageHandler(leaveUnsaid);
  softscope::GuardedApplication application(argc, argv);
  QApplication::setOrganizationName(QStringLiteral("Softscope"));
  QApplication::setApplicationName(QStringLiteral("Writers"));
  bool isCaught = true;
  QObject::connect(&application, &softscope::GuardedApplication::failed,
                   [&](const QString& message) {
                     std::fprintf(stderr, "nobody caught: %s\n", qUtf8Printable(message));
                     isCaught = false;
                   });
  softscope::MainWindow window(softscope::test::syntheticEngine(), optionsOf(folder));
  window.show();
  const bool isWell = writeAll(window, folder, std::atoi(argv[2]));
  if (!isCaught) return 3;
  return isWell ? 0 : 1;
}
