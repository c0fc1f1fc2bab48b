#pragma once

#include "app/window/ExportJobs.h"
#include "app/window/settings/WindowSettings.h"
#include "core/query/SweepAnalysis.h"
#include "widgets/figure/FigureCommandText.h"
#include "widgets/workspace/SweepPlan.h"

#include <QtCore/QObject>
#include <QtCore/QString>

#include <string>

class QWidget;

namespace softscope {

class OpenSeries;
class WindowActions;
class Workspace;

/// Exports the heads on screen in motion: along a path of the query, over layers, over the steps of
/// a training or over landmarks. It is a job, which goes on while the user looks elsewhere.
class SweepExport : public QObject {
  Q_OBJECT

 public:
  SweepExport(QWidget& window, Workspace& workspace, WindowActions& actions,
              WindowSettings& settings, const OpenSeries& series);

  /// Asks what moves, how fast, and for a file.
  void openDialog();
  /// Starts to write what is on screen; false if that cannot be.
  bool write(const SweepSettings& settings, const QString& path);
  /// Returns the command line that writes the same file. Throws Error if there is none, and
  /// InspectionError if no layer is shown.
  std::string command(const SweepSettings& settings, const QString& path) const;

  /// Returns the names of the files that are still being written.
  QStringList writing() const { return exported_.writing(); }

 Q_SIGNALS:
  void said(const QString& message);
  void failed(const QString& message);
  /// A file or folder was written; `path` is absolute.
  void written(const QString& path);

 private:
  /// The content of the screen when the dialog opens, which the sweep is made of even if another
  /// picture or model arrives behind the dialog.
  struct Subject {
    SweepPlan plan;
    FigureSource source;
    JobText text;

    /// Returns the plan at other settings.
    SweepPlan planAt(const SweepSettings& settings) const;
  };

  /// Throws InspectionError if no layer is shown.
  Subject subject(const SweepSettings& settings) const;
  /// Throws Error if the sweep cannot be written there.
  void start(const Subject& subject, const SweepSettings& settings, const QString& path);
  std::string command(const Subject& subject, const SweepSettings& settings,
                      const QString& path) const;

  QWidget& window_;
  Workspace& workspace_;
  WindowSettings& settings_;
  const OpenSeries& series_;
  ExportJobs exported_;
};

}  // namespace softscope
