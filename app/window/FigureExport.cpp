#include "app/window/FigureExport.h"

#include "app/window/OpenFiles.h"
#include "app/window/RecentMenu.h"
#include "app/window/WindowActions.h"
#include "core/Error.h"
#include "core/array/NumbersFile.h"
#include "core/live/LiveModels.h"
#include "widgets/controls/NameText.h"
#include "widgets/figure/FigureFile.h"
#include "widgets/panels/ExportDialog.h"
#include "widgets/workspace/Jobs.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"
#include "widgets/workspace/WorkspaceFigures.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QMimeData>
#include <QtCore/QRegularExpression>
#include <QtGui/QAction>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtWidgets/QFileDialog>

#include <algorithm>
#include <memory>

namespace softscope {
namespace {

/// Default width of a single exported panel in millimetres.
constexpr double onePanelWidth = 60;

}  // namespace

FigureExport::FigureExport(QWidget& window, Workspace& workspace, WindowActions& actions,
                           WindowSettings& settings)
    : window_(window), workspace_(workspace), settings_(settings) {
  connect(actions.exportFigure, &QAction::triggered, this, &FigureExport::openDialog);
  connect(actions.copy, &QAction::triggered, this, [this] { copy(settings_.figure); });
  connect(actions.copyCommand, &QAction::triggered, this, [this] {
    const auto figure = shown();
    copyCommand(figure ? suggestedPath(*figure, ending_) : QString(), settings_.figure);
  });
  connect(actions.saveNumbers, &QAction::triggered, this, &FigureExport::openNumbersDialog);
  connect(actions.copyNumbers, &QAction::triggered, this, &FigureExport::copyNumbers);
}

std::optional<PageFigure> FigureExport::shown() const {
  if (dialog_) return previewed_;
  std::optional<PageFigure> figure = shown_ ? shown_() : std::nullopt;
  if (figure) addModelNotes(*figure);
  return figure;
}

void FigureExport::addModelNotes(PageFigure& figure) const {
  std::vector<std::string> notes;
  for (const std::size_t index : figure.models) {
    const OpenedModel& model = workspace_.models().all()[index];
    if (!model.note.empty()) notes.push_back(model.name().toStdString() + ": " + model.note);
  }
  figure.caveats = [notes, more = figure.caveats] {
    std::vector<std::string> all = notes;
    if (!more) return all;
    for (std::string& caveat : more()) all.push_back(std::move(caveat));
    return all;
  };
}

FigureSource FigureExport::sourceOf(const PageFigure& figure) const {
  if (dialog_) return previewedSource_;
  return figureSource(workspace_, figure.models);
}

QString FigureExport::suggestedPath(const PageFigure& figure, const QString& ending) const {
  return QDir(usersFolder(settings_.exportFolder)).filePath(figure.name + ending);
}

QString FigureExport::shownName() const {
  const auto figure = shown();
  return figure ? figure->name : QString();
}

std::optional<PrintableFigure> FigureExport::shownDrawing() const {
  const auto figure = shown();
  return figure ? std::optional(figure->drawing) : std::nullopt;
}

void FigureExport::openDialog() {
  const auto figure = shown();
  if (!figure) return;
  previewed_ = figure;
  previewedSource_ = sourceOf(*figure);
  ExportDialog dialog(figure->drawing, settings_.figure, suggestedPath(*figure, ending_), &window_);
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
  previewed_.reset();
}

bool FigureExport::attempt(const std::function<QString(const PageFigure&)>& action) {
  const auto figure = shown();
  if (!figure) Q_EMIT said(missingText());
  return figure && attempt(*figure, action);
}

QString FigureExport::missingText() const {
  const bool isComputing =
      workspace_.worker().isBusy() ||
      std::ranges::any_of(workspace_.jobs().all(), [this](const Jobs::Job& job) {
        return job.isActive() && job.text.page == workspace_.page();
      });
  return isComputing ? tr("Nothing is copied or written yet: this page is still computing.")
                     : tr("Nothing is copied or written: this page shows no figure now.");
}

bool FigureExport::attempt(const PageFigure& figure,
                           const std::function<QString(const PageFigure&)>& action) {
  try {
    const QString message = action(figure);
    if (dialog_) dialog_->showMessage(message);
    Q_EMIT said(message);
    return true;
  } catch (const std::exception& error) {
    const QString message = QString::fromStdString(sentenceOf(error));
    if (dialog_) {
      dialog_->showMessage(message);
    } else {
      Q_EMIT failed(message);
    }
    return false;
  }
}

QString FigureExport::noteWritten(const QString& path) {
  const QFileInfo file(path);
  settings_.exportFolder = file.absolutePath();
  Q_EMIT written(file.absoluteFilePath());
  return tr("Wrote %1").arg(file.absoluteFilePath());
}

QString FigureExport::write(const QString& path, const PrintableFigure& figure,
                            const FigureSettings& settings, const QString& title) {
  refuseOpenFile(workspace_, path.toStdString());
  saveFigure(
      path.toStdString(), figure.size(settings), settings.dpi,
      [&](QPainter& painter, const QRectF& place) { figure.paint(painter, place, settings); },
      title);
  return noteWritten(path);
}

bool FigureExport::save(const QString& path, const FigureSettings& settings) {
  return attempt([&](const PageFigure& figure) {
    const PrintableFigure& drawing = figure.drawing;
    const QString message =
        write(path, drawing, settings, drawing.title ? drawing.title(settings) : figureTitle({}));
    ending_ = u'.' + QFileInfo(path).suffix().toLower();
    return message;
  });
}

bool FigureExport::saveAll(const QString& path, const std::vector<PrintableFigure>& figures,
                           const FigureSettings& settings) {
  return attempt(PageFigure(), [&](const PageFigure&) {
    refuseOpenFile(workspace_, path.toStdString());
    std::vector<PrintedFigure> pages;
    for (const PrintableFigure& figure : figures) {
      pages.push_back({figure.size(settings), [&](QPainter& painter, const QRectF& place) {
                         figure.paint(painter, place, settings);
                       }});
    }
    saveFigures(path.toStdString(), pages, settings.dpi, tr("Softscope figures"));
    return noteWritten(path);
  });
}

void FigureExport::savePanel(const QString& name, const std::shared_ptr<const PanelFigure>& panel) {
  QString file = name.simplified();
  file.replace(QRegularExpression(QStringLiteral("[^\\w.-]+")), QStringLiteral("_"));
  QFileDialog dialog(&window_, tr("Save this panel"), usersFolder(settings_.exportFolder),
                     tr("Pictures (*.png *.svg *.pdf)"));
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  dialog.setDefaultSuffix(QStringLiteral("png"));
  dialog.selectFile((file.isEmpty() ? QStringLiteral("panel") : asFileName(file)) +
                    QStringLiteral(".png"));
  if (dialog.exec() != QDialog::Accepted) return;
  PageFigure page;
  page.drawing = printable(*panel);
  attempt(page, [&](const PageFigure& figure) {
    FigureSettings settings = settings_.figure;
    // By default a single panel is as wide as one of a figure's columns.
    settings.width = std::min(settings.width, onePanelWidth);
    return write(dialog.selectedFiles().front(), figure.drawing, settings, name);
  });
}

void FigureExport::copy(const FigureSettings& settings) {
  attempt([&](const PageFigure& figure) {
    const QSizeF size = figure.drawing.size(settings);
    const FigurePainter painter = [&](QPainter& on, const QRectF& place) {
      figure.drawing.paint(on, place, settings);
    };
    auto copied = std::make_unique<QMimeData>();
    copied->setImageData(figureImage(size, settings.dpi, painter));
    copied->setData(QStringLiteral("image/svg+xml"), figureSvg(size, settings.dpi, painter));
    QGuiApplication::clipboard()->setMimeData(copied.release());
    return tr("Copied the figure.");
  });
}

void FigureExport::copyCommand(const QString& path, const FigureSettings& settings) {
  attempt([&](const PageFigure& figure) {
    const FigureSource source = sourceOf(figure);
    for (const FigureModel& model : source.models) {
      const std::string name(liveName(model.request.path));
      if (name.empty()) continue;
      throw Error("no command can ask the Python process that runs " + name +
                  "; softscope.record() there writes a file that the command line draws");
    }
    const std::string command = figure.command(source, settings, path.toStdString());
    QGuiApplication::clipboard()->setText(QString::fromStdString(command));
    return tr("Copied the command that makes this figure.") +
           (figure.commandNote.isEmpty() ? QString() : u' ' + figure.commandNote);
  });
}

bool FigureExport::saveNumbers(const QString& path) {
  const auto figure = shown();
  return figure && saveNumbers(*figure, path);
}

bool FigureExport::saveNumbers(const PageFigure& figure, const QString& path) {
  return attempt(figure, [&](const PageFigure& numbers) {
    const std::string file = path.toStdString();
    refuseOpenFile(workspace_, file);
    numbers.table ? writeNumbersFile(file, numbers.table())
                  : writeNumbersFile(file, numbers.arrays(), numbers.caveats());
    return noteWritten(path);
  });
}

void FigureExport::copyNumbers() {
  attempt([&](const PageFigure& figure) {
    if (!figure.table) {
      throw Error("these numbers are arrays; save them as a file instead");
    }
    QGuiApplication::clipboard()->setText(QString::fromStdString(csvText(figure.table())));
    return tr("Copied the numbers, as CSV.");
  });
}

void FigureExport::openNumbersDialog() {
  const auto figure = shown();
  if (!figure) return;
  const bool table = static_cast<bool>(figure->table);
  const QString ending = table ? QStringLiteral("csv") : QStringLiteral("npz");
  QFileDialog dialog(&window_, tr("Save the numbers"), usersFolder(settings_.exportFolder),
                     table ? tr("CSV (*.csv);;JSON with the result in a sentence (*.json)")
                           : tr("NumPy arrays (*.npz);;JSON (*.json)"));
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  // The suffix is added before the dialog asks whether a file may be replaced.
  dialog.setDefaultSuffix(ending);
  QObject::connect(&dialog, &QFileDialog::filterSelected, &dialog, [&](const QString& filter) {
    dialog.setDefaultSuffix(filter.contains(u"json") ? QStringLiteral("json") : ending);
  });
  dialog.selectFile(suggestedPath(*figure, u'.' + ending));
  // Save the figure of this moment, even if the window changes in the meantime.
  if (dialog.exec() == QDialog::Accepted) saveNumbers(*figure, dialog.selectedFiles().front());
}

}  // namespace softscope
