#pragma once

#include "app/WindowSettings.h"
#include "widgets/figure/FigureSettings.h"

#include <QtCore/QObject>
#include <QtCore/QSizeF>
#include <QtCore/QString>

#include <functional>
#include <string>

class QPainter;
class QRectF;
class QWidget;

namespace softscope {

class ExportDialog;
class WindowActions;
class Workspace;

/// What leaves the window: the figure of the page in front, as a file, on the clipboard, or as the
/// command line that makes it again.
class FigureExport : public QObject {
  Q_OBJECT

 public:
  /// Keeps the figures' looks in `settings`; `threads` is what the program was told to use.
  FigureExport(QWidget& window, Workspace& workspace, WindowActions& actions,
               WindowSettings& settings, int threads);

  bool canExport() const;
  void openDialog();
  /// Writes what is shown, as PNG, SVG or PDF; false if that failed.
  bool save(const QString& path, const FigureSettings& settings);
  /// Copies what is shown, as a picture and as SVG.
  void copy(const FigureSettings& settings);
  void copyCommand(const QString& path, const FigureSettings& settings);

 Q_SIGNALS:
  void said(const QString& message);
  void failed(const QString& message);

 private:
  /// The page's figure, as it is at this moment.
  struct Shown {
    std::function<QSizeF(const FigureSettings&)> size;
    std::function<void(QPainter&, const QRectF&, const FigureSettings&)> paint;
    std::function<std::string(const FigureSettings&, const std::string& output)> command;
  };

  bool compares() const;
  Shown shown() const;
  template <typename Figure>
  Shown shownAs(const Figure& figure, bool everyModel) const;
  QString suggestedPath() const;
  /// Runs `action`; what it throws is told, in the dialog if one is open.
  bool attempt(const std::function<QString()>& action);

  QWidget& window_;
  Workspace& workspace_;
  WindowSettings& settings_;
  int threads_;
  ExportDialog* dialog_ = nullptr;
};

}  // namespace softscope
