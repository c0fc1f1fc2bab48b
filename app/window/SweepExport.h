#pragma once

#include "app/window/JobExport.h"
#include "app/window/settings/WindowSettings.h"
#include "core/query/SweepAnalysis.h"
#include "widgets/figure/FigureCommandText.h"
#include "widgets/workspace/SweepPlan.h"

#include <QtCore/QString>

#include <string>

class QWidget;

namespace softscope {

class OpenSeries;
class WindowActions;
class Workspace;

/// Exports the heads on screen in motion: along a path of the query, over layers, over the steps of
/// a training or over landmarks.
class SweepExport : public JobExport {
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

 private:
  /// The content of the screen when the dialog opens.
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
};

}  // namespace softscope
