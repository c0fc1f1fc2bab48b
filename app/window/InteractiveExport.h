#pragma once

#include "app/window/settings/WindowSettings.h"
#include "widgets/workspace/OpenedModel.h"

#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtCore/QStringList>

class QWidget;

namespace softscope {

class WindowActions;
class Workspace;

/// Exports layers of the current model as an interactive page, one .html file that answers every
/// query. The worker makes it.
class InteractiveExport : public QObject {
  Q_OBJECT

 public:
  InteractiveExport(QWidget& window, Workspace& workspace, WindowActions& actions,
                    WindowSettings& settings);

  /// Asks for layers and a file. All layers are ticked if they are few, otherwise the shown one.
  void openDialog();
  /// Has the worker write the layers of these names, which begin with the query, the head and the
  /// view on screen.
  void write(const QStringList& layers, const QString& path);

 Q_SIGNALS:
  void said(const QString& message);
  void failed(const QString& message);
  /// A file was written; `path` is absolute.
  void written(const QString& path);

 private:
  /// Returns the command line that writes the page; empty if no command can.
  std::string command(const QStringList& layers, const std::string& path) const;

  QWidget& window_;
  Workspace& workspace_;
  WindowSettings& settings_;
};

}  // namespace softscope
