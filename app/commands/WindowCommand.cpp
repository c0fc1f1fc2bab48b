#include "app/commands/WindowCommand.h"

#include "app/arguments/Input.h"
#include "app/arguments/QueryArguments.h"
#include "app/arguments/UsageError.h"
#include "app/commands/BundledModels.h"
#include "app/figures/CostProcess.h"
#include "app/window/EndingSignals.h"
#include "app/window/MainWindow.h"
#include "app/window/QuitAfter.h"
#include "core/files/Resources.h"
#include "core/image/ColorMap.h"
#include "core/network/Device.h"
#include "core/text/FileText.h"
#include "models/live/OpenLiveModel.h"
#include "widgets/controls/GuardedApplication.h"
#include "widgets/controls/NameText.h"
#include "widgets/controls/Theme.h"
#include "widgets/controls/ToolTips.h"
#include "widgets/settings/Preferences.h"

#include <QtCore/QVariantAnimation>
#include <QtGui/QImage>
#include <QtGui/QPainter>
#include <QtWidgets/QStyle>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

bool isSet(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

/// Returns true if Wayland's display is the only one.
bool isOnWayland() {
  return !isSet("QT_QPA_PLATFORM") && !isSet("DISPLAY") && isSet("WAYLAND_DISPLAY");
}

void requireDisplay() {
  if (isSet("QT_QPA_PLATFORM") || isSet("DISPLAY") || isSet("WAYLAND_DISPLAY")) return;
  throw Error(
      "there is no display to open a window on; draw into a file instead, for example: softscope "
      "figure heads -m CKPT IMAGE -o heads.png");
}

const char* displayAdvice() {
  if (isOnWayland()) {
    return "install Qt's plugin for Wayland (Debian's qt6-wayland), or set DISPLAY for Xwayland";
  }
  return isSet("QT_QPA_PLATFORM") ? "check QT_QPA_PLATFORM" : "check DISPLAY";
}

/// Handles messages while Qt connects to the display: where Qt would abort, the program ends with
/// its own error message.
void endWithoutDisplay(QtMsgType type, const QMessageLogContext&, const QString&) {
  if (type != QtFatalMsg) return;
  std::fprintf(stderr,
               "softscope: the display cannot be reached; %s, or draw into a file instead, for "
               "example: softscope figure heads -m CKPT IMAGE -o heads.png\n",
               displayAdvice());
  std::_Exit(1);
}

/// Does now what Qt would do at first use under the lock of the loader of libraries: it loads the
/// plugins that draw icons and read pictures, registers what animations and regular expressions
/// leave behind with their thread, and starts the threads that fill large shapes. Then the window
/// need not wait for libraries that another thread loads.
void useLoaderOnce() {
  loadIcons();
  QApplication::style()->standardIcon(QStyle::SP_ToolBarHorizontalExtensionButton);
  QVariantAnimation animation;
  animation.setStartValue(0);
  animation.setEndValue(1);
  animation.start();
  unbroken(QStringLiteral("a.b"));
  QImage sheet(256, 256, QImage::Format_ARGB32_Premultiplied);
  QPainter(&sheet).fillRect(sheet.rect(), QLinearGradient(0, 0, 1, 1));
}

WindowOptions windowOptions(const WindowArguments& arguments) {
  WindowOptions options;
  options.picturePath = arguments.image;
  options.bundledPicture = resourcePath("pictures/chelsea.png");
  // Among the bundled models, this one has the layer whose maps differ most from query to query.
#ifdef SOFTSCOPE_HAS_CHECKPOINTS
  options.bundledModel = resourcePath("checkpoints/sima_xcit_everyday10.safetensors");
  options.library = bundledModels;
#else
  options.bundledModel = resourcePath("recordings/sima_xcit_everyday10.npz");
#endif
  options.bundledLayer = "blocks.3.attn";
  options.bundledQuery = PictureQuery{.x = 0.375, .y = 0.385};  // The query lies on an eye.
  options.opensOncePainted = true;
  options.threads = arguments.model.threads;
  arguments.model.modelNames();  // Throws if there are more names than models.
  for (std::size_t i = 0; i < arguments.model.checkpoints.size(); ++i) {
    options.models.push_back(arguments.model.request(i));
    options.modelNames.push_back(arguments.model.givenName(i));
  }
  if (arguments.theme->count() > 0) options.theme = arguments.preferences.theme;
  options.inputSize = chosenSize(arguments.size);
  options.reading = arguments.reading;
  options.layer = arguments.layer;
  if (!arguments.colorMap.empty()) {
    options.colorMap = asUsage([&] { return colorMap(arguments.colorMap).name; });
  }
  if (!arguments.query.empty()) options.patch = parsePatch(arguments.query);
  if (!arguments.place.empty()) options.query = parsePlace(arguments.place);
  if (!arguments.heads.empty()) {
    const HeadChoice choice = parseHeads(arguments.heads);
    if (choice.heads.size() > 1) {
      throw UsageError("the window shows one head or all of them; figure heads draws any of them");
    }
    if (!choice.heads.empty()) options.onlyHead = choice.heads.front();
    options.overHeads = {.mean = choice.mean, .largest = choice.largest};
  }
  options.dpi = arguments.dpi;
  options.live = std::make_shared<LiveProcesses>("softscope " SOFTSCOPE_VERSION);
  options.waitsForPython = arguments.listenAddress.has_value();
  return options;
}

/// Listens for Python on the user's own socket, unless another window does, and on the port that
/// was asked for, whose address it prints.
void listenForPython(const WindowArguments& arguments, LiveProcesses& processes) {
  try {
    processes.listenOnFile(liveSocketFile());
  } catch (const FileError&) {
    // Python finds the window that does.
  }
  if (!arguments.listenAddress || *arguments.listenAddress == "local") return;
  std::printf("Listening. In Python:\n\n    softscope.connect(\"%s\", model, ...)\n\n",
              processes.listenOnPort(*arguments.listenAddress).c_str());
  std::fflush(stdout);
}

/// Refuses names of files that the window cannot show, store or find again.
void requireUtf8Names(const WindowArguments& arguments) {
  std::vector<std::string> paths = arguments.model.checkpoints;
  paths.insert(paths.end(), arguments.model.classNames.begin(), arguments.model.classNames.end());
  paths.push_back(arguments.image);
  for (const std::string& path : paths) {
    if (isUtf8(path)) continue;
    throw UsageError("the name " + quotedText(path) +
                     " is not UTF-8, and the window opens no other; rename it");
  }
}

/// Refuses options that a workspace determines.
void refuseBesideWorkspace(const WindowArguments& arguments) {
  if (!arguments.image.ends_with(".softscope")) return;
  const std::pair<const char*, bool> given[] = {
      {"-m", !arguments.model.checkpoints.empty()},
      {"--size", !arguments.size.empty()},
      {"--exif", arguments.reading.orientation != PictureReading().orientation},
      {"--levels", !(arguments.reading.range == SampleRange())},
      {"--page", arguments.reading.page != 1},
      {"--layer", !arguments.layer.empty()},
      {"--head", !arguments.heads.empty()},
      {"--colormap", !arguments.colorMap.empty()}};
  for (const auto& [option, isGiven] : given) {
    if (!isGiven) continue;
    throw UsageError(std::string(option) + " does not go with " + arguments.image +
                     ": a workspace has its own models and looks; open it and change them in the "
                     "window");
  }
}

}  // namespace

int openWindow(const WindowArguments& arguments, Engine engine,
               std::function<void()> loadLibraries) {
  requireUtf8Names(arguments);
  refuseBesideWorkspace(arguments);
  if (!arguments.query.empty() && !arguments.place.empty()) {
    throw UsageError("the window starts with one query; give --query or --at, not both");
  }
  WindowOptions options = windowOptions(arguments);
  requireDisplay();
  listenForPython(arguments, *options.live);
  if (arguments.device->count() > 0) {
    options.device = arguments.model.device;
    // The CPU needs no check by the engine, which takes longer to load than the window.
    if (options.device != "cpu") options.device = resolveDevice(options.device);
  }
  // Options of Qt itself are not read from the command line, only from the environment. Qt chooses
  // Wayland only in sessions that say they are of it.
  int argc = isOnWayland() ? 3 : 1;
  char name[] = "softscope";
  char option[] = "-platform";
  char platform[] = "wayland";
  char* argv[] = {name, option, platform, nullptr};
  const QtMessageHandler usual = qInstallMessageHandler(endWithoutDisplay);
  GuardedApplication application(argc, argv);
  qInstallMessageHandler(usual);
  useLoaderOnce();
  options.onceThreadsRun = std::move(loadLibraries);
  LongToolTips toolTips;
  application.installEventFilter(&toolTips);
  QApplication::setApplicationName("Softscope");
  QApplication::setOrganizationName("Softscope");
  QApplication::setApplicationVersion(SOFTSCOPE_VERSION);
  engine.openModel = [open = engine.openModel, live = options.live](const ModelRequest& request,
                                                                    const Progress& progress) {
    const std::string model(liveName(request.path));
    return model.empty() ? open(request, progress) : openLiveModel(model, live);
  };
  engine.measureCost = measureInChildProcess;
  MainWindow window(std::move(engine), std::move(options));
  std::optional<QuitAfter> quit;
  if (!arguments.quitAfter.empty()) quit.emplace(arguments.quitAfter, window);
  window.show();
  const EndingSignals ending([&window](int signal) {
    // Whoever sends a signal answers no question.
    window.setAsksBeforeClosing(false);
    window.close();
    // A dialog's own loop ends with it.
    constexpr int endedBySignal = 128;
    QApplication::exit(endedBySignal + signal);
  });
  return QApplication::exec();
}

}  // namespace softscope
