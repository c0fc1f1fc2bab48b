#pragma once

#include "app/window/JobExport.h"
#include "app/window/settings/WindowSettings.h"
#include "widgets/figure/FigureCommandText.h"
#include "widgets/figure/InteractivePage.h"

#include <QtCore/QString>
#include <QtCore/QStringList>

#include <optional>
#include <string>

class QWidget;

namespace softscope {

class WindowActions;
class Workspace;

/// Exports layers of the current model as an interactive page, one .html file that answers every
/// query.
class InteractiveExport : public JobExport {
  Q_OBJECT

 public:
  InteractiveExport(QWidget& window, Workspace& workspace, WindowActions& actions,
                    WindowSettings& settings);

  /// Asks for layers and a file. All layers are ticked if they are few, otherwise the shown one.
  void openDialog();
  /// Starts to write the layers of these names. The page opens with the query, the head and the
  /// view on screen.
  void write(const QStringList& layers, const QString& path);

 private:
  /// The content of the screen when the dialog opens.
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
  /// Returns the command line that writes a page of these layers; empty if no command
  /// can. `why` is then set to the reason, and stays empty for live models.
  static std::string command(const Subject& subject, const QStringList& layers,
                             const std::string& path, QString& why);
  void write(Subject subject, const QStringList& layers, const QString& path);

  QWidget& window_;
  Workspace& workspace_;
  WindowSettings& settings_;
};

}  // namespace softscope
