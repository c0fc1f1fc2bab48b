#include "app/window/FileExchange.h"

#include "app/window/RecentMenu.h"
#include "app/window/WindowActions.h"
#include "app/window/live/OpenSeries.h"
#include "app/window/settings/WindowSettings.h"
#include "core/files/CheckpointFiles.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QBuffer>
#include <QtCore/QFileInfo>
#include <QtCore/QMimeData>
#include <QtCore/QUrl>
#include <QtGui/QAction>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtGui/QImage>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QMenu>

#include <algorithm>
#include <utility>

namespace softscope {
namespace {

OfferedFile fileAt(const QString& path) {
  if (path.endsWith(QLatin1String(".softscope"), Qt::CaseInsensitive)) {
    return {OfferedFile::Kind::Workspace, path, {}};
  }
  if (path.endsWith(QLatin1String(".survey"), Qt::CaseInsensitive)) {
    return {OfferedFile::Kind::Survey, path, {}};
  }
  if (path.endsWith(QLatin1String(".npy"), Qt::CaseInsensitive) && !QFileInfo(path).isDir()) {
    return {OfferedFile::Kind::Vectors, path, {}};
  }
  return {isCheckpointName(path) ? OfferedFile::Kind::Model : OfferedFile::Kind::Picture, path, {}};
}

std::optional<OfferedFile> imageIn(const QMimeData& data) {
  const QImage image = qvariant_cast<QImage>(data.imageData());
  if (image.isNull()) return std::nullopt;
  OfferedFile file;
  file.kind = OfferedFile::Kind::PictureBytes;
  QBuffer buffer(&file.bytes);
  buffer.open(QIODevice::WriteOnly);
  if (!image.save(&buffer, "PNG")) return std::nullopt;
  return file;
}

/// A model of the box that is opened beside another, or any other one of its mechanism.
struct PairedModel {
  const char* mechanism;
  const char* file;
};

/// SOFT as its authors published it, and the SOFT++ whose attention acts.
constexpr PairedModel pairOfBox[] = {{"soft", "soft_everyday10"},
                                     {"soft++", "soft_norm_pooled_everyday10"}};

QString modelFilter() {
  QStringList patterns;
  for (const std::string& pattern : modelPatterns()) patterns += QString::fromStdString(pattern);
  return FileExchange::tr("Checkpoints and recordings (%1);;All files (*)")
      .arg(patterns.join(u' '));
}

}  // namespace

bool isCheckpointName(const QString& path) {
  // Folders are recordings written by softscope dump.
  return QFileInfo(path).isDir() || endsAsModel(path.toStdString());
}

std::vector<OfferedFile> offeredFiles(const QMimeData& data) {
  std::vector<OfferedFile> files;
  for (const QUrl& url : data.urls()) {
    if (url.isLocalFile()) files.push_back(fileAt(url.toLocalFile()));
  }
  if (!files.empty()) return files;
  if (data.hasImage()) {
    if (auto image = imageIn(data)) files.push_back(*image);
  } else if (data.hasText() && QFileInfo::exists(data.text().trimmed())) {
    files.push_back(fileAt(data.text().trimmed()));
  }
  return files;
}

FileExchange::FileExchange(QWidget& window, Workspace& workspace, WindowActions& actions,
                           WindowSettings& settings, OpenSeries& series)
    : window_(window),
      workspace_(workspace),
      actions_(actions),
      settings_(settings),
      series_(series) {
  connect(actions_.openPicture, &QAction::triggered, this, &FileExchange::openPictureDialog);
  connect(actions_.openModel, &QAction::triggered, this, &FileExchange::openModelDialog);
  connect(actions_.openSeries, &QAction::triggered, this, &FileExchange::openSeriesDialog);
  connect(actions_.openBeside, &QAction::triggered, this, &FileExchange::openBesideDialog);
  connect(actions_.nameClasses, &QAction::triggered, this,
          [this] { nameClassesDialog(workspace_.models().currentIndex()); });
  connect(actions_.openPair, &QAction::triggered, this, &FileExchange::openPair);
  actions_.openPair->setEnabled(false);
  connect(actions_.paste, &QAction::triggered, this, &FileExchange::paste);
  fillRecentMenus();
}

void FileExchange::openPictureDialog() {
  const QString path = QFileDialog::getOpenFileName(
      &window_, tr("Open a picture"), folderOf(settings_.recentPictures),
      tr("Pictures (*.jpg *.jpeg *.png *.webp *.tif *.tiff *.bmp);;All files (*)"));
  if (!path.isEmpty()) workspace_.picture().open(path);
}

void FileExchange::openModelDialog() {
  const QStringList paths = QFileDialog::getOpenFileNames(
      &window_, tr("Open models"), folderOf(settings_.recentModels), modelFilter());
  // If there are several, the others are compared with the first.
  for (const QString& path : paths) {
    if (path == paths.front()) {
      openModelAt(path);
    } else {
      openBesideAt(path);
    }
  }
}

void FileExchange::nameClassesDialog(int model) {
  const QString path = QFileDialog::getOpenFileName(
      &window_, tr("Names of the classes: a line for each, or JSON"),
      folderOf(settings_.recentModels), tr("Names (*.txt *.json);;All files (*)"));
  if (!path.isEmpty()) workspace_.queue().nameClasses(model, path.toStdString());
}

void FileExchange::openSeriesDialog() {
  const QString folder = QFileDialog::getExistingDirectory(
      &window_, tr("Open the checkpoints of a training"), folderOf(settings_.recentModels));
  if (folder.isEmpty() || openSeries(folder)) return;
  Q_EMIT failed(tr("“%1” holds no series: at least two checkpoints whose names differ in a number "
                   "alone, such as epoch_05.pth and epoch_10.pth.")
                    .arg(QFileInfo(folder).fileName()));
}

void FileExchange::openBesideDialog() {
  const QStringList paths = QFileDialog::getOpenFileNames(
      &window_, tr("Open models to compare"), folderOf(settings_.recentModels), modelFilter());
  for (const QString& path : paths) openBesideAt(path);
}

void FileExchange::setLibrary(LibraryPage::Source library) {
  library_ = std::move(library);
  actions_.openPair->setEnabled(static_cast<bool>(library_));
}

void FileExchange::openPair() {
  if (!library_) return;
  const std::vector<LibraryModel> models = library_();
  const std::vector<WantedModel> wanted = workspace_.queue().wanted();
  bool isFirst = wanted.empty();
  for (const PairedModel& paired : pairOfBox) {
    const auto& open = workspace_.models().all();
    const bool isOpen = std::any_of(open.begin(), open.end(), [&](const OpenedModel& model) {
      return model.summary().mechanism == paired.mechanism;
    });
    auto found = std::find_if(models.begin(), models.end(), [&](const LibraryModel& model) {
      return QFileInfo(model.path).completeBaseName() == QLatin1String(paired.file);
    });
    if (found == models.end()) {
      found = std::find_if(models.begin(), models.end(), [&](const LibraryModel& model) {
        return model.mechanism == QLatin1String(paired.mechanism);
      });
    }
    if (isOpen || found == models.end()) continue;
    // The mechanism of a file that is still being opened is not known, but its path is.
    const std::string path = found->path.toStdString();
    const bool isComing = std::any_of(wanted.begin(), wanted.end(), [&](const WantedModel& model) {
      const std::optional<std::string>& attention = model.request.attention;
      return model.isPending && model.request.path == path &&
             (!attention || *attention == paired.mechanism);
    });
    if (isComing) continue;
    if (isFirst) {
      openModelAt(found->path);
    } else {
      openBesideAt(found->path);
    }
    isFirst = false;
  }
}

ModelRequest FileExchange::requestOf(const QString& path) const {
  ModelRequest request;
  request.path = path.toStdString();
  const OpenedModel* current = workspace_.models().current();
  request.device = current ? current->request.device : workspace_.compute().device;
  return withRemembered(request);
}

bool FileExchange::openSeries(const QString& path) {
  if (!series_.open(requestOf(path))) return false;
  rememberModel(path);
  return true;
}

bool FileExchange::refusesOtherKind(const QString& path) {
  const QString name = QFileInfo(path).fileName();
  switch (fileAt(path).kind) {
    case OfferedFile::Kind::Workspace:
      Q_EMIT failed(
          tr("“%1” is a workspace, not a model; open it with File > Open workspace.").arg(name));
      return true;
    case OfferedFile::Kind::Survey:
      Q_EMIT failed(
          tr("“%1” is a survey, not a model; open it with File > Open survey.").arg(name));
      return true;
    default:
      return false;
  }
}

void FileExchange::openModelAt(const QString& path) {
  if (refusesOtherKind(path) || openSeries(path)) return;
  workspace_.queue().open(requestOf(path));
}

void FileExchange::openBesideAt(const QString& path) {
  if (refusesOtherKind(path) || openSeries(path)) return;
  workspace_.queue().openBeside(requestOf(path));
}

void FileExchange::paste() {
  const QMimeData* data = QGuiApplication::clipboard()->mimeData();
  if (data && canOpen(*data)) {
    open(*data);
  } else {
    Q_EMIT said(tr("There is neither a picture nor a file on the clipboard."));
  }
}

bool FileExchange::canOpen(const QMimeData& data) {
  return !offeredFiles(data).empty();
}

void FileExchange::open(const QMimeData& data) {
  bool beside = workspace_.models().current() && workspace_.page() == QLatin1String("compare");
  QStringList vectors;
  for (const OfferedFile& file : offeredFiles(data)) {
    switch (file.kind) {
      case OfferedFile::Kind::Picture:
        workspace_.picture().open(file.path);
        break;
      case OfferedFile::Kind::Model:
        if (beside) {
          openBesideAt(file.path);
        } else {
          openModelAt(file.path);
        }
        // If there are several, the others are compared with the first.
        beside = true;
        break;
      case OfferedFile::Kind::Workspace:
        Q_EMIT workspaceOffered(file.path);
        break;
      case OfferedFile::Kind::Survey:
        Q_EMIT surveyOffered(file.path);
        break;
      case OfferedFile::Kind::Vectors:
        vectors += file.path;
        break;
      case OfferedFile::Kind::PictureBytes:
        workspace_.picture().decode(file.bytes, tr("the pasted picture"));
        break;
    }
  }
  if (vectors.isEmpty()) return;
  workspace_.analysis().compareVectors(vectors);
  workspace_.setPage(QStringLiteral("tokens"));
}

void FileExchange::rememberPicture(const QString& path) {
  rememberPath(settings_.recentPictures, path);
  fillRecentMenus();
}

void FileExchange::rememberModel(const QString& path) {
  rememberPath(settings_.recentModels, path);
  fillRecentMenus();
}

void FileExchange::fillRecentMenus() {
  fillRecentMenu(*actions_.recentPictures, settings_.recentPictures,
                 [this](const QString& path) { workspace_.picture().open(path); });
  fillRecentMenu(*actions_.recentModels, settings_.recentModels,
                 [this](const QString& path) { openModelAt(path); });
}

}  // namespace softscope
