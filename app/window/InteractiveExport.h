#pragma once

#include "app/window/ExportJobs.h"
#include "app/window/settings/WindowSettings.h"
#include "widgets/figure/FigureCommandText.h"
#include "widgets/figure/InteractivePage.h"

#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtCore/QStringList>

#include <optional>
#include <string>

class QWidget;

namespace softscope {

class WindowActions;
class Workspace;

/// Exports layers of the current model as an interactive page, one .html file that answers every
/// query. It is a job, which goes on while the user looks elsewhere.
class InteractiveExport : public QObject {
  Q_OBJECT

 public:
  InteractiveExport(QWidget& window, Workspace& workspace, WindowActions& actions,
                    WindowSettings& settings);

  /// Asks for layers and a file. All layers are ticked if they are few, otherwise the shown one.
  void openDialog();
  /// Starts to write the layers of these names, which begin with the query, the head and the
  /// view on screen.
  void write(const QStringList& layers, const QString& path);

  /// Returns the names of the files that are still being written.
  QStringList writing() const { return exported_.writing(); }

 Q_SIGNALS:
  void said(const QString& message);
  void failed(const QString& message);
  /// A file was written; `path` is absolute.
  void written(const QString& path);

 private:
  /// The content of the screen when a dialog opens, which the page is made of even if another
  /// picture or model arrives behind the dialog.
  struct Subject {
    /// All layers of the model are in it; a page has some of them.
    PageSubject page;
    /// Where the model and the picture come from.
    FigureSource source;
    /// The heads on screen, as a figure would show them.
    HeadsSubject heads;
    /// The head that is shown alone, if one is.
    std::optional<int> onlyHead;
    JobText text;
  };

  /// A layer must be shown.
  Subject subject() const;
  /// Returns the command line that writes a page of these layers; empty if no command can.
  static std::string command(const Subject& subject, const QStringList& layers,
                             const std::string& path);
  void write(Subject subject, const QStringList& layers, const QString& path);

  QWidget& window_;
  Workspace& workspace_;
  WindowSettings& settings_;
  ExportJobs exported_;
};

}  // namespace softscope
