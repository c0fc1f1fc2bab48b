#include "app/FileExchange.h"

#include "app/OfferedFile.h"
#include "app/WindowActions.h"
#include "widgets/Workspace.h"
#include "widgets/figure/FigureFile.h"

#include <QtCore/QFileInfo>
#include <QtCore/QMimeData>
#include <QtGui/QAction>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QMenu>

namespace softscope {
namespace {

constexpr int exportDpi = 300;
constexpr int clipboardDpi = 200;

FigurePainter painterOf(const HeadsFigure& figure) {
  return [&figure](QPainter& painter, const QRectF& place) {
    paintHeadsFigure(painter, place, figure);
  };
}

QString folderOf(const QStringList& recent) {
  return recent.isEmpty() ? QString() : QFileInfo(recent.front()).path();
}

template <typename Open>
void fillMenu(QMenu& menu, const QStringList& paths, Open open) {
  menu.clear();
  menu.setToolTipsVisible(true);
  menu.setEnabled(!paths.isEmpty());
  for (const QString& path : paths) {
    // An ampersand alone would mark a key.
    QString name = QFileInfo(path).fileName();
    QAction* action = menu.addAction(name.replace(u'&', QStringLiteral("&&")));
    action->setToolTip(path);
    QObject::connect(action, &QAction::triggered, &menu, [open, path] { open(path); });
  }
}

}  // namespace

FileExchange::FileExchange(QWidget& window, Workspace& workspace, WindowActions& actions,
                           WindowSettings& settings)
    : window_(window), workspace_(workspace), actions_(actions), settings_(settings) {
  connect(actions_.openPicture, &QAction::triggered, this, &FileExchange::openPictureDialog);
  connect(actions_.openModel, &QAction::triggered, this, &FileExchange::openModelDialog);
  connect(actions_.exportFigure, &QAction::triggered, this, &FileExchange::exportDialog);
  connect(actions_.copy, &QAction::triggered, this, &FileExchange::copyFigure);
  connect(actions_.paste, &QAction::triggered, this, &FileExchange::paste);
  fillRecentMenus();
}

void FileExchange::openPictureDialog() {
  const QString path = QFileDialog::getOpenFileName(
      &window_, tr("Open a picture"), folderOf(settings_.recentPictures),
      tr("Pictures (*.jpg *.jpeg *.png *.webp *.tif *.tiff *.bmp);;All files (*)"));
  if (!path.isEmpty()) workspace_.openPicture(path);
}

void FileExchange::openModelDialog() {
  const QString path = QFileDialog::getOpenFileName(
      &window_, tr("Open a model"), folderOf(settings_.recentModels),
      tr("Checkpoints (*.pth *.pt *.tar *.safetensors *.ckpt *.bin);;All files (*)"));
  if (!path.isEmpty()) openModelAt(path);
}

void FileExchange::openModelAt(const QString& path) {
  ModelRequest request;
  request.path = path.toStdString();
  if (workspace_.current()) request.device = workspace_.current()->request.device;
  workspace_.openModel(request);
}

void FileExchange::exportDialog() {
  if (!workspace_.canExport()) return;
  const OpenedModel& opened = *workspace_.current();
  const QString name =
      QStringLiteral("%1_%2.pdf")
          .arg(opened.name(), QString::fromStdString(opened.layer).replace(u'.', u'_'));
  const QString folder =
      settings_.exportFolder.isEmpty() ? QString() : settings_.exportFolder + u'/';
  const QString path = QFileDialog::getSaveFileName(
      &window_, tr("Export the figure"), folder + name, tr("Figures (*.pdf *.svg *.png)"));
  if (!path.isEmpty()) exportFigure(path);
}

void FileExchange::exportFigure(const QString& path) {
  try {
    const HeadsFigure figure = workspace_.figure();
    saveFigure(path.toStdString(), headsFigureSize(figure), exportDpi, painterOf(figure));
    settings_.exportFolder = QFileInfo(path).absolutePath();
    Q_EMIT said(tr("Wrote %1").arg(path));
  } catch (const std::exception& error) {
    Q_EMIT failed(QString::fromUtf8(error.what()));
  }
}

void FileExchange::copyFigure() {
  if (!workspace_.canExport()) return;
  try {
    const HeadsFigure figure = workspace_.figure();
    const QSizeF size = headsFigureSize(figure);
    auto* copied = new QMimeData;
    copied->setImageData(figureImage(size, clipboardDpi, painterOf(figure)));
    copied->setData(QStringLiteral("image/svg+xml"),
                    figureSvg(size, clipboardDpi, painterOf(figure)));
    QGuiApplication::clipboard()->setMimeData(copied);
    Q_EMIT said(tr("Copied the figure."));
  } catch (const std::exception& error) {
    Q_EMIT failed(QString::fromUtf8(error.what()));
  }
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
  for (const OfferedFile& file : offeredFiles(data)) {
    switch (file.kind) {
      case OfferedFile::Kind::Picture:
        workspace_.openPicture(file.path);
        break;
      case OfferedFile::Kind::Model:
        openModelAt(file.path);
        break;
      case OfferedFile::Kind::PictureBytes:
        workspace_.decodePicture(file.bytes, tr("the pasted picture"));
        break;
    }
  }
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
  fillMenu(*actions_.recentPictures, settings_.recentPictures,
           [this](const QString& path) { workspace_.openPicture(path); });
  fillMenu(*actions_.recentModels, settings_.recentModels,
           [this](const QString& path) { openModelAt(path); });
}

}  // namespace softscope
