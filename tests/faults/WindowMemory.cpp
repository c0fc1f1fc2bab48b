// Opens a window on a picture and a trained model, and asks it for thirty pieces of work while the
// address space may grow by little. Each must end in an answer or in words, and when
// there is memory again, the window must answer as before.
//
//   window_memory CHECKPOINT OTHER_CHECKPOINT PICTURE
//
// Prints what was said how often. Ends with 0, or with 1 and a reason.

#include "app/window/MainWindow.h"
#include "core/attention/AttentionMap.h"
#include "models/NetworkEngine.h"
#include "widgets/controls/GuardedApplication.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

using namespace softscope;

constexpr rlim_t megabyte = 1 << 20;

/// Bytes of address space that are taken.
rlim_t addressSpace() {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

/// While it lives, the address space grows by no more than so much.
class LittleMemory {
 public:
  explicit LittleMemory(rlim_t more) {
    getrlimit(RLIMIT_AS, &before_);
    const rlimit little{addressSpace() + more, before_.rlim_max};
    setrlimit(RLIMIT_AS, &little);
  }
  ~LittleMemory() { setrlimit(RLIMIT_AS, &before_); }
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;

 private:
  rlimit before_{};
};

struct Paths {
  std::string checkpoint;
  std::string other;
  QString picture;
};

WindowOptions optionsOf(const Paths& paths) {
  WindowOptions options;
  options.picturePath = paths.picture.toStdString();
  options.models.emplace_back().path = paths.checkpoint;
  return options;
}

ModelRequest requestOf(const std::string& path) {
  ModelRequest request;
  request.path = path;
  return request;
}

using Work = std::pair<const char*, std::function<void(Workspace&)>>;

/// Ten pieces of work of every kind that the worker has.
std::vector<Work> worksOn(const Paths& paths) {
  const auto toPage = [](const char* page) {
    return Work{page,
                [page](Workspace& workspace) { workspace.setPage(QString::fromLatin1(page)); }};
  };
  return {
      {"a picture", [paths](Workspace& workspace) { workspace.picture().open(paths.picture); }},
      {"a larger input",
       [](Workspace& workspace) {
         workspace.queue().setInputSize({InputSize::Kind::Whole, 640, 640});
       }},
      {"a model",
       [paths](Workspace& workspace) { workspace.queue().open(requestOf(paths.other)); }},
      {"a model beside it",
       [paths](Workspace& workspace) {
         workspace.queue().openBeside(requestOf(paths.checkpoint));
       }},
      toPage("spectrum"),
      toPage("matrix"),
      toPage("norms"),
      toPage("bottleneck"),
      toPage("rollout"),
      toPage("tokens"),
  };
}

bool becomesIdle(MainWindow& window) {
  constexpr int longest = 120'000;
  return QTest::qWaitFor([&] { return !window.workspace().worker().isBusy(); }, longest);
}

/// What the first model answers on the picture, with nothing else open.
Vector answer(MainWindow& window, const Paths& paths) {
  Workspace& workspace = window.workspace();
  workspace.picture().open(paths.picture);
  while (!workspace.models().all().empty()) workspace.queue().close(0);
  workspace.setPage(QStringLiteral("heads"));
  workspace.queue().open(requestOf(paths.checkpoint));
  if (!becomesIdle(window)) return {};
  const LayerInspection* layer = workspace.models().shownLayer();
  return layer ? layer->attention->row(0, 0) : Vector();
}

int complain(const char* what) {
  std::fprintf(stderr, "window_memory: %s\n", what);
  return 1;
}

int useWithLittleMemory(MainWindow& window, const Paths& paths, std::map<QString, int>& said) {
  const Vector before = answer(window, paths);
  if (before.size() == 0) return complain("it does not answer before memory is short");
  // Less than the libraries' reserve, and a little beyond it; always enough for Qt to paint, which
  // ends the program where it finds none.
  for (const rlim_t more : {96 * megabyte, 264 * megabyte, 300 * megabyte}) {
    for (const auto& [name, work] : worksOn(paths)) {
      if (answer(window, paths) != before) return complain("it does not answer as before");
      {
        const LittleMemory little(more);
        work(window.workspace());
        QTest::qWait(50);  // pages begin once they are seen
        if (!becomesIdle(window)) return complain(name);
      }
    }
  }
  if (said.empty()) return complain("memory was never short");
  if (answer(window, paths) != before) return complain("it does not answer as before");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const Paths paths{argv[1], argv[2], QString::fromLocal8Bit(argv[3])};
  const QTemporaryDir home;
  qputenv("QT_QPA_PLATFORM", "offscreen");
  qputenv("XDG_CONFIG_HOME", home.path().toUtf8());
  qputenv("XDG_DATA_HOME", home.path().toUtf8());
  GuardedApplication application(argc, argv);
  std::map<QString, int> said;
  QObject::connect(&application, &GuardedApplication::failed,
                   [&](const QString& message) { ++said[message]; });
  MainWindow window(networkEngine(), optionsOf(paths));
  QObject::connect(&window.workspace(), &Workspace::failed,
                   [&](const QString& message) { ++said[message]; });
  window.show();
  if (!becomesIdle(window)) return complain("the window opens nothing");
  const int code = useWithLittleMemory(window, paths, said);
  for (const auto& [message, times] : said) {
    std::printf("%d x %s\n", times, qUtf8Printable(message));
  }
  return code;
}
