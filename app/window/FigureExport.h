#pragma once

#include "app/window/settings/WindowSettings.h"
#include "widgets/pages/Page.h"

#include <QtCore/QObject>
#include <QtCore/QString>

#include <functional>
#include <memory>
#include <optional>

class QWidget;

namespace softscope {

class ExportDialog;
class WindowActions;
class Workspace;

/// Exports the figure of the page in front, as a file, on the clipboard, or as the command line
/// that makes it again; and the numbers behind it.
class FigureExport : public QObject {
  Q_OBJECT

 public:
  /// Returns what is in front at this moment; empty if that cannot be printed.
  using Shown = std::function<std::optional<PageFigure>()>;

  /// Keeps the figures' appearance in `settings`.
  FigureExport(QWidget& window, Workspace& workspace, WindowActions& actions,
               WindowSettings& settings);

  void setShown(Shown shown) { shown_ = std::move(shown); }
  void openDialog();
  /// Returns the name of the file of the figure in front, without its ending; empty if nothing in
  /// front can be printed.
  QString shownName() const;
  /// Returns true while the export dialog is open, whose figure stays what it was.
  bool isPreviewing() const { return dialog_ != nullptr; }
  /// Returns the drawing of the figure in front; empty if nothing in front can be printed.
  std::optional<PrintableFigure> shownDrawing() const;
  /// Writes the shown figure as PNG, SVG or PDF; false if that failed.
  bool save(const QString& path, const FigureSettings& settings);
  /// Writes figures as the pages of one PDF; false if that failed.
  bool saveAll(const QString& path, const std::vector<PrintableFigure>& figures,
               const FigureSettings& settings);
  /// Asks for a file and writes a single panel with the appearance of figures.
  void savePanel(const QString& name, const std::shared_ptr<const PanelFigure>& panel);
  /// Copies the shown figure, as a picture and as SVG.
  void copy(const FigureSettings& settings);
  void copyCommand(const QString& path, const FigureSettings& settings);
  /// Write the numbers behind the shown figure, or behind `figure`, as CSV or NPZ; false if that
  /// failed.
  bool saveNumbers(const QString& path);
  bool saveNumbers(const PageFigure& figure, const QString& path);
  /// Copies the numbers as text if they are a table.
  void copyNumbers();

 Q_SIGNALS:
  void said(const QString& message);
  void failed(const QString& message);
  /// A file was written; `path` is absolute.
  void written(const QString& path);

 private:
  std::optional<PageFigure> shown() const;
  FigureSource sourceOf(const PageFigure& figure) const;
  /// Puts the notes about the models before the notes about the figure.
  void addModelNotes(PageFigure& figure) const;
  QString suggestedPath(const PageFigure& figure, const QString& ending) const;
  void openNumbersDialog();
  /// Writes a figure, and returns the message about it.
  QString write(const QString& path, const PrintableFigure& figure, const FigureSettings& settings,
                const QString& title);
  /// Remembers the folder of a file that was written, and returns the message about it.
  QString noteWritten(const QString& path);
  /// Says why there is no figure to copy or to write.
  QString missingText() const;
  /// Run `action` on the shown figure; that there is none is said, and exceptions are reported, in
  /// the dialog if one is open.
  bool attempt(const std::function<QString(const PageFigure&)>& action);
  bool attempt(const PageFigure& figure, const std::function<QString(const PageFigure&)>& action);

  QWidget& window_;
  Workspace& workspace_;
  WindowSettings& settings_;
  Shown shown_;
  /// While the dialog is open, it writes the figure that it previews, even if the page behind it
  /// changes.
  ExportDialog* dialog_ = nullptr;
  /// The ending of the file that was saved last, which is offered again.
  QString ending_ = QStringLiteral(".pdf");
  std::optional<PageFigure> previewed_;
  FigureSource previewedSource_;
};

}  // namespace softscope
