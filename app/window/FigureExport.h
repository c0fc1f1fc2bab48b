#pragma once

#include "app/window/settings/WindowSettings.h"
#include "widgets/pages/PageFigure.h"

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

/// What leaves the window: the figure of the page in front, as a file, on the clipboard, or as the
/// command line that makes it again; and the numbers behind it.
class FigureExport : public QObject {
  Q_OBJECT

 public:
  /// What is in front at this moment; nothing where that cannot be printed.
  using Shown = std::function<std::optional<PageFigure>()>;

  /// Keeps the figures' looks in `settings`.
  FigureExport(QWidget& window, Workspace& workspace, WindowActions& actions,
               WindowSettings& settings);

  void setShown(Shown shown) { shown_ = std::move(shown); }
  void openDialog();
  /// Writes what is shown, as PNG, SVG or PDF; false if that failed.
  bool save(const QString& path, const FigureSettings& settings);
  /// Asks for a file and writes one panel by itself, in the looks of figures.
  void savePanel(const QString& name, const std::shared_ptr<const PanelFigure>& panel);
  /// Copies what is shown, as a picture and as SVG.
  void copy(const FigureSettings& settings);
  void copyCommand(const QString& path, const FigureSettings& settings);
  /// Writes the numbers behind what is shown, or behind `figure`, as CSV or NPZ; false if that
  /// failed.
  bool saveNumbers(const QString& path);
  bool saveNumbers(const PageFigure& figure, const QString& path);
  /// Copies them as text, where they are a table.
  void copyNumbers();

 Q_SIGNALS:
  void said(const QString& message);
  void failed(const QString& message);

 private:
  std::optional<PageFigure> shown() const;
  FigureSource sourceOf(const PageFigure& figure) const;
  /// What is to be known of the models goes before what is to be known of the figure.
  void addModelNotes(PageFigure& figure) const;
  QString suggestedPath(const PageFigure& figure, const QString& ending) const;
  void openNumbersDialog();
  /// Runs `action` on what is shown, if anything is; what it throws is told, in the dialog if one
  /// is open.
  bool attempt(const std::function<QString(const PageFigure&)>& action);
  bool attempt(const PageFigure& figure, const std::function<QString(const PageFigure&)>& action);

  QWidget& window_;
  Workspace& workspace_;
  WindowSettings& settings_;
  Shown shown_;
  /// While it is open, what it previews is what it writes, whatever happens behind it.
  ExportDialog* dialog_ = nullptr;
  std::optional<PageFigure> previewed_;
  FigureSource previewedSource_;
};

}  // namespace softscope
