#include "app/window/InitialContent.h"

#include "app/window/Autosave.h"
#include "app/window/SurveyFiles.h"
#include "app/window/WindowOptions.h"
#include "app/window/WorkspaceFiles.h"
#include "app/window/live/OpenSeries.h"
#include "app/window/settings/WindowSettings.h"
#include "core/Error.h"
#include "core/recording/RecordingPreview.h"
#include "core/text/Names.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QEvent>
#include <QtCore/QFileInfo>
#include <QtCore/QTimer>
#include <QtWidgets/QWidget>

namespace softscope {
namespace {

/// Returns true for a folder and for the names that recordings have.
bool mayBeRecording(const std::string& path) {
  return path.ends_with(".npz") || path.ends_with(".safetensors") ||
         QFileInfo(QString::fromStdString(path)).isDir();
}

}  // namespace

InitialContent::InitialContent(const WindowOptions& options, Workspace& workspace,
                               WorkspaceFiles& files, SurveyFiles& surveys, OpenSeries& series,
                               Preferences::First first, QObject* parent)
    : QObject(parent),
      options_(options),
      workspace_(workspace),
      files_(files),
      surveys_(surveys),
      series_(series),
      first_(first) {
  connect(&workspace.models(), &OpenModels::inspectionChanged, this, &InitialContent::ask);
}

void InitialContent::open() {
  openWhatThereIs();
  hasOpened_ = true;
  Q_EMIT opened();
}

void InitialContent::openOncePainted(QWidget& window) {
  window.installEventFilter(this);
}

bool InitialContent::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Paint) {
    watched->removeEventFilter(this);
    // Once the event loop returns, the paint is on the screen; others that waited for it go first.
    QTimer::singleShot(0, this, [this] { QTimer::singleShot(0, this, &InitialContent::open); });
  }
  return false;
}

void InitialContent::openWhatThereIs() {
  workspace_.setPage(QStringLiteral("heads"));
  const bool asked = !options_.picturePath.empty() || !options_.models.empty();
  if (!asked && options_.waitsForPython) return;
  if (!asked && (recover() || beginAsPreferred())) return;
  const QString first = QString::fromStdString(options_.picturePath);
  if (first.endsWith(QLatin1String(".softscope"))) {
    files_.open(first);
  } else if (first.endsWith(QLatin1String(".survey"))) {
    // The survey's points name its pictures and models.
    openModels();
    surveys_.open(first);
  } else {
    openFiles();
  }
}

bool InitialContent::recover() {
  const auto recovered = Autosave::takeRecovered();
  if (!recovered) return false;
  files_.restore(recovered->state);
  const QString message =
      tr("Softscope did not close properly last time. This is your work as of %1.")
          .arg(recovered->savedAt.time().toString());
  // A status bar that is not shown yet would also show the text beneath its message.
  QTimer::singleShot(0, this, [this, message] { Q_EMIT said(message); });
  return true;
}

bool InitialContent::beginAsPreferred() {
  if (first_ == Preferences::First::Nothing) return true;
  if (first_ != Preferences::First::LastSession) return false;
  if (!QFileInfo::exists(Autosave::lastSessionPath())) return false;
  files_.openLastSession();
  return true;
}

bool InitialContent::opensRecording() const {
  // Only the engine tells, and the window would have to wait until it is loaded.
  if (!options_.models.empty() || !mayBeRecording(options_.picturePath)) return false;
  try {
    return isRecording(options_.picturePath);
  } catch (const EngineError&) {
    return false;  // What opens the file as a picture says what is wrong.
  }
}

void InitialContent::openFiles() {
  const bool isRecorded = opensRecording();
  const bool asked = !options_.picturePath.empty() && !isRecorded;
  const std::string& picture = asked ? options_.picturePath : options_.bundledPicture;
  if (!picture.empty()) {
    workspace_.picture().open(QString::fromStdString(picture),
                              asked ? options_.reading : PictureReading());
  }
  openModels();
  if (isRecorded) {
    ModelRequest request;
    request.path = options_.picturePath;
    openModel(request, {.becomesCurrent = true, .keepsPicture = false, .name = {}});
  } else if (options_.models.empty() && !options_.bundledModel.empty()) {
    ModelRequest request;
    request.path = options_.bundledModel;
    request.device = workspace_.compute().device;
    workspace_.queue().open(request);
    if (options_.layer.empty()) workspace_.layers().setFirst(options_.bundledLayer);
  }
  if (options_.models.size() > 1) workspace_.setPage(QStringLiteral("compare"));
}

void InitialContent::openModels() {
  for (std::size_t i = 0; i < options_.models.size(); ++i) {
    const std::string name = i < options_.modelNames.size() ? options_.modelNames[i] : "";
    openModel(options_.models[i], {.becomesCurrent = i == 0,
                                   .keepsPicture = !options_.picturePath.empty(),
                                   .name = QString::fromStdString(name)});
  }
}

void InitialContent::openModel(ModelRequest request, const BesideOptions& how) {
  if (options_.device.empty()) request.device = workspace_.compute().device;
  if (series_.open(request, how.becomesCurrent)) return;
  workspace_.queue().openBeside(withRemembered(request), how);
}

void InitialContent::ask() {
  const OpenedModel* opened = workspace_.models().current();
  if (asked_ || !opened || !opened->inspection) return;
  asked_ = true;
  if (!options_.layer.empty() && !meansLayer(options_.layer, opened->layer)) {
    Q_EMIT failed(tr("There is no layer %1 in this model; the panel Layers lists those it has")
                      .arg(QString::fromStdString(options_.layer)));
  }
  if (options_.query) workspace_.queries().ask(*options_.query);
  if (options_.patch) askPatch(*options_.patch);
  if (showsBundled() && !options_.query && !options_.patch && options_.bundledQuery) {
    workspace_.queries().ask(*options_.bundledQuery);
  }
  // Undo begins with what the user asks.
  workspace_.queries().forgetHistory();
}

bool InitialContent::showsBundled() const {
  const OpenedModel* opened = workspace_.models().current();
  const Picture* picture = workspace_.picture().get();
  return opened && opened->request.path == options_.bundledModel && picture &&
         picture->path == options_.bundledPicture;
}

void InitialContent::askPatch(const Patch& patch) {
  const std::optional<TokenGrid> grid = workspace_.queries().grid();
  if (grid && patch.row < grid->height && patch.column < grid->width) {
    workspace_.queries().askPatch(patch);
    return;
  }
  const QString asked = QStringLiteral("%1,%2").arg(patch.row).arg(patch.column);
  Q_EMIT failed(
      grid ? tr("The query %1 is outside this layer's %2 × %3 patches, counted from 0")
                 .arg(asked)
                 .arg(grid->height)
                 .arg(grid->width)
           : tr("The query %1 is a patch, and this layer's queries are not patches").arg(asked));
}

}  // namespace softscope
