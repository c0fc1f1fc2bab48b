#include "app/FigureExport.h"

#include "app/FigureCommandText.h"
#include "app/WindowActions.h"
#include "core/Error.h"
#include "widgets/ExportDialog.h"
#include "widgets/Workspace.h"
#include "widgets/figure/FigureFile.h"

#include <QtCore/QFileInfo>
#include <QtCore/QMimeData>
#include <QtGui/QAction>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>

namespace softscope {
namespace {

QSizeF sizeOf(const HeadsFigure& figure) {
  return headsFigureSize(figure);
}
QSizeF sizeOf(const CompareFigure& figure) {
  return compareFigureSize(figure);
}
void paint(QPainter& painter, const QRectF& place, const HeadsFigure& figure) {
  paintHeadsFigure(painter, place, figure);
}
void paint(QPainter& painter, const QRectF& place, const CompareFigure& figure) {
  paintCompareFigure(painter, place, figure);
}

template <typename Figure>
Figure with(Figure figure, const FigureSettings& settings) {
  figure.settings = settings;
  return figure;
}

}  // namespace

FigureExport::FigureExport(QWidget& window, Workspace& workspace, WindowActions& actions,
                           WindowSettings& settings, int threads)
    : window_(window), workspace_(workspace), settings_(settings), threads_(threads) {
  connect(actions.exportFigure, &QAction::triggered, this, &FigureExport::openDialog);
  connect(actions.copy, &QAction::triggered, this, [this] { copy(settings_.figure); });
  connect(actions.copyCommand, &QAction::triggered, this,
          [this] { copyCommand(suggestedPath(), settings_.figure); });
}

bool FigureExport::compares() const {
  return workspace_.page() == QLatin1String("compare");
}

bool FigureExport::canExport() const {
  return compares() ? workspace_.canCompare() : workspace_.canExport();
}

FigureExport::Shown FigureExport::shown() const {
  return compares() ? shownAs(workspace_.compareFigure(), true)
                    : shownAs(workspace_.figure(), false);
}

template <typename Figure>
FigureExport::Shown FigureExport::shownAs(const Figure& figure, bool everyModel) const {
  FigureSource source;
  source.threads = threads_;
  for (const OpenedModel& model : workspace_.models()) {
    const bool belongs =
        everyModel ? model.shownLayer() != nullptr : &model == workspace_.current();
    if (belongs) source.models.push_back({model.request, model.inputSize});
  }
  if (workspace_.pictureIsFile()) source.picture = workspace_.picture()->path;
  return {[figure](const FigureSettings& settings) { return sizeOf(with(figure, settings)); },
          [figure](QPainter& painter, const QRectF& place, const FigureSettings& settings) {
            paint(painter, place, with(figure, settings));
          },
          [figure, source](const FigureSettings& settings, const std::string& output) {
            return figureCommandText(with(figure, settings), source, output);
          }};
}

QString FigureExport::suggestedPath() const {
  QString name = QStringLiteral("comparison");
  if (!compares()) {
    const OpenedModel& opened = *workspace_.current();
    name = opened.name() + u'_' + QString::fromStdString(opened.layer).replace(u'.', u'_');
  }
  const QString folder =
      settings_.exportFolder.isEmpty() ? QString() : settings_.exportFolder + u'/';
  return folder + name + QStringLiteral(".pdf");
}

void FigureExport::openDialog() {
  if (!canExport()) return;
  const Shown figure = shown();
  ExportDialog dialog({figure.size, figure.paint}, settings_.figure, suggestedPath(), &window_);
  dialog_ = &dialog;
  connect(&dialog, &ExportDialog::settingsChosen, this,
          [this](const FigureSettings& settings) { settings_.figure = settings; });
  connect(&dialog, &ExportDialog::saveAsked, this,
          [this, &dialog](const QString& path, const FigureSettings& settings) {
            if (save(path, settings)) dialog.accept();
          });
  connect(&dialog, &ExportDialog::copyAsked, this, &FigureExport::copy);
  connect(&dialog, &ExportDialog::copyCommandAsked, this, &FigureExport::copyCommand);
  dialog.exec();
  dialog_ = nullptr;
}

bool FigureExport::attempt(const std::function<QString()>& action) {
  try {
    const QString message = action();
    if (dialog_) dialog_->showMessage(message);
    Q_EMIT said(message);
    return true;
  } catch (const std::exception& error) {
    const QString message = QString::fromUtf8(error.what());
    if (dialog_) {
      dialog_->showMessage(message);
    } else {
      Q_EMIT failed(message);
    }
    return false;
  }
}

bool FigureExport::save(const QString& path, const FigureSettings& settings) {
  return attempt([&] {
    const Shown figure = shown();
    saveFigure(
        path.toStdString(), figure.size(settings), settings.dpi,
        [&](QPainter& painter, const QRectF& place) { figure.paint(painter, place, settings); });
    settings_.exportFolder = QFileInfo(path).absolutePath();
    return tr("Wrote %1").arg(path);
  });
}

void FigureExport::copy(const FigureSettings& settings) {
  if (!canExport()) return;
  attempt([&] {
    const Shown figure = shown();
    const QSizeF size = figure.size(settings);
    const FigurePainter painter = [&](QPainter& on, const QRectF& place) {
      figure.paint(on, place, settings);
    };
    auto* copied = new QMimeData;
    copied->setImageData(figureImage(size, settings.dpi, painter));
    copied->setData(QStringLiteral("image/svg+xml"), figureSvg(size, settings.dpi, painter));
    QGuiApplication::clipboard()->setMimeData(copied);
    return tr("Copied the figure.");
  });
}

void FigureExport::copyCommand(const QString& path, const FigureSettings& settings) {
  if (!canExport()) return;
  attempt([&] {
    const std::string command = shown().command(settings, path.toStdString());
    QGuiApplication::clipboard()->setText(QString::fromStdString(command));
    return tr("Copied the command that makes this figure.");
  });
}

}  // namespace softscope
