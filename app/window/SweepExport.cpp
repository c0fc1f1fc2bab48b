#include "app/window/SweepExport.h"

#include "app/window/OpenFiles.h"
#include "app/window/RecentMenu.h"
#include "app/window/WindowActions.h"
#include "app/window/live/OpenSeries.h"
#include "core/Error.h"
#include "core/live/LiveModels.h"
#include "core/text/SettingOptions.h"
#include "core/text/Words.h"
#include "widgets/controls/NameText.h"
#include "widgets/figure/SweepFile.h"
#include "widgets/panels/SweepDialog.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/ModelRun.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/Workspace.h"
#include "widgets/workspace/WorkspaceFigures.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtGui/QAction>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>

#include <algorithm>
#include <map>
#include <utility>

namespace softscope {
namespace {

int countOf(const LandmarkChoice& choice) {
  return choice.count.value_or(0);
}

std::map<SweepOver, QString> obstaclesOf(const SweepPlan& plan) {
  std::map<SweepOver, QString> obstacles;
  for (const auto& choice : sweepOverNames) obstacles[choice.value] = plan.obstacle(choice.value);
  return obstacles;
}

}  // namespace

SweepExport::SweepExport(QWidget& window, Workspace& workspace, WindowActions& actions,
                         WindowSettings& settings, const OpenSeries& series)
    : JobExport(workspace.jobs()),
      window_(window),
      workspace_(workspace),
      settings_(settings),
      series_(series) {
  connect(actions.exportSweep, &QAction::triggered, this, &SweepExport::openDialog);
}

SweepPlan SweepExport::Subject::planAt(const SweepSettings& settings) const {
  SweepPlan other = plan;
  other.settings = settings;
  return other;
}

SweepExport::Subject SweepExport::subject(const SweepSettings& settings) const {
  SweepPlan plan = sweepPlan(workspace_, settings, series_.shownSteps());
  const auto index = static_cast<std::size_t>(workspace_.models().currentIndex());
  JobText text = jobText(workspace_, plan.model, QStringLiteral("heads"), tr("Sweep"));
  return {std::move(plan), figureSource(workspace_, {index}), std::move(text)};
}

void SweepExport::openDialog() {
  const OpenedModel* opened = workspace_.models().current();
  if (!opened || !opened->shownLayer()) return;
  const SweepSettings chosen = workspace_.analysis().settings().of<SweepSettings>();
  const Subject shown = subject(chosen);
  const auto preview = [&shown](const SweepSettings& settings) {
    const SweepPlan plan = shown.planAt(settings);
    return SweepPreview{previewedFrames(plan), plan.count(), plan.about()};
  };
  const QString path = QDir(usersFolder(settings_.exportFolder))
                           .filePath(asFileName(opened->name()) + QStringLiteral(".webp"));
  SweepDialog dialog(preview, obstaclesOf(shown.plan), chosen, settings_.figure, path, &window_);
  connect(&dialog, &SweepDialog::saveAsked, this,
          [this, &dialog, &shown](const QString& file, const SweepSettings& settings) {
            try {
              start(shown, settings, file);
              dialog.accept();
            } catch (const Error& error) {
              dialog.showMessage(QString::fromUtf8(error.what()));
            }
          });
  connect(&dialog, &SweepDialog::copyCommandAsked, this,
          [this, &dialog, &shown](const QString& file, const SweepSettings& settings) {
            try {
              const std::string text = command(shown, settings, file);
              QGuiApplication::clipboard()->setText(QString::fromStdString(text));
              dialog.showMessage(tr("Copied the command that makes this sweep."));
            } catch (const Error& error) {
              dialog.showMessage(QString::fromUtf8(error.what()));
            }
          });
  dialog.exec();
  AnalysisSettings analyses = workspace_.analysis().settings();
  analyses.of<SweepSettings>() = dialog.settings();
  workspace_.analysis().set(analyses);
}

bool SweepExport::write(const SweepSettings& settings, const QString& path) {
  if (!workspace_.models().shownLayer()) return false;
  try {
    start(subject(settings), settings, path);
    return true;
  } catch (const Error& error) {
    Q_EMIT failed(QString::fromUtf8(error.what()));
    return false;
  }
}

void SweepExport::start(const Subject& subject, const SweepSettings& settings,
                        const QString& path) {
  const std::string file = QFileInfo(path).absoluteFilePath().toStdString();
  checkSweepPath(file, settings_.figure);
  refuseOpenFile(workspace_, file);
  SweepPlan plan = subject.planAt(settings);
  const QString obstacle = plan.obstacle(settings.over);
  if (!obstacle.isEmpty()) throw InspectionError(obstacle.toStdString());
  startJob(file, subject.text,
           [plan = std::move(plan), figure = settings_.figure, file](const Progress& progress) {
             constexpr double madePart = 0.5;
             MadeSweep made = makeSweep(plan, progress.part(0, madePart, "Asking the network"));
             saveSweep(file, made.frames, plan.settings, figure,
                       progress.part(madePart, 1, "Drawing frames"));
             return made.leftOut;
           });
  settings_.exportFolder = QFileInfo(QString::fromStdString(file)).absolutePath();
  Q_EMIT said(tr("Writing %1").arg(QFileInfo(path).fileName()));
}

std::string SweepExport::command(const SweepSettings& settings, const QString& path) const {
  return command(subject(settings), settings, path);
}

std::string SweepExport::command(const Subject& subject, const SweepSettings& settings,
                                 const QString& path) const {
  const SweepPlan plan = subject.planAt(settings);
  const std::string name(liveName(plan.model.request.path));
  if (!name.empty()) {
    throw Error("no command can ask the Python process that runs " + name);
  }
  AnalysisCommand command = headsCommand(plan.shown);
  command.kind = "sweep";
  if (settings.over == SweepOver::Layers) {
    // All layers, which is the default.
    const auto layer = std::ranges::find(command.options, "--layer");
    command.options.erase(layer, layer + 2);
  }
  if (settings.over == SweepOver::Query) command.queries = markedQueries(plan.corners);
  const std::vector<std::string> own = settingOptions(sweepSettings, settings);
  command.options.insert(command.options.end(), own.begin(), own.end());
  FigureSource source = subject.source;
  if (settings.over == SweepOver::Landmarks) {
    source.models.front().request.landmarks.count.reset();
    command.options.insert(command.options.end(),
                           {"--landmark-counts", listText(plan.landmarks(), ",", countOf)});
  }
  if (settings.over == SweepOver::Checkpoints) {
    const FigureModel model = source.models.front();
    source.models.clear();
    for (const std::string& step : plan.steps) {
      source.models.push_back(model);
      source.models.back().request.path = step;
      // A sweep reads the file of each step as it is then, and so does the command.
      source.models.back().versions.clear();
      source.models.back().name.clear();
    }
  }
  FigureSettings figure = settings_.figure;
  // Frames have a width in pixels instead.
  figure.dpi = FigureSettings().dpi;
  return figureCommandText(command, source, figure, path.toStdString());
}

}  // namespace softscope
