#pragma once

#include "core/analysis/registry/AnalysisSettings.h"
#include "widgets/analysis/PlottedFigure.h"
#include "widgets/controls/MapChoice.h"
#include "widgets/pages/AnalysisPage.h"
#include "widgets/plot/Plot.h"
#include "widgets/settings/MapSettings.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/LatestResult.h"
#include "widgets/workspace/MapOptions.h"
#include "widgets/workspace/OpenSubjects.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <optional>
#include <vector>

namespace softscope {

class PlotBoard;

/// The page of an analysis that is shown as plots. A click on a point that stands for a head shows
/// that head of that layer and model on Heads.
class PlotPage : public AnalysisPage {
  Q_OBJECT

 public:
  PlotBoard& board() { return *board_; }
  void showWhole() override;

 protected:
  PlotPage(Workspace& workspace, const QString& name, QWidget* parent);

  void showPlots(const std::vector<Plot>& plots, const QString& about);
  bool showsPlots() const;

 private:
  void goTo(int plot, int curve, int index);

  PlotBoard* board_;
};

/// The page of an analysis that is shown as plots. It is built entirely from the analysis's
/// description: the controls of its settings, the scope, the choice of a map if it uses one, plots,
/// caption, the figure and the command that writes it.
template <typename A>
class PlottedAnalysisPage : public PlotPage {
 public:
  explicit PlottedAnalysisPage(Workspace& workspace, QWidget* parent = nullptr)
      : PlotPage(workspace, titleWithoutMnemonic(A::about), parent),
        results_(workspace.worker(), [this] { showNow(); }) {
    addSettings(A::settingList, controls_);
    if constexpr (A::about.takesMaps) addMapChoice();
    addScope(A::about.name);
  }

  void showNow() override {
    const Settings& settings = workspace_.analysis().settings().template of<Settings>();
    controls_.show(settings);
    const MapOptions map = offered();
    if constexpr (A::about.takesMaps) showMap(map);
    const Subject subject{{scopeLayers(A::about.takesMaps), map.shown}, ofResults(settings)};
    const Results* results = results_.get(subject, QString::fromUtf8(A::about.working),
                                          [subject](const Progress& progress) {
                                            return A::compute(subject, subject.settings, progress);
                                          });
    if (!results) {
      showWaiting();
      return;
    }
    if (definedLayers(*results).empty()) {
      showObstacles(QString::fromUtf8(A::about.nothing), obstaclesOf(*results));
      return;
    }
    showPlots(A::plots(*results, settings),
              aboutOf(plottedCaption<A>(*results, settings), subject.layers));
  }

  void releaseResults() override { results_.keepIf(OpenSubjects(workspace_.models())); }
  bool hasFigure() const override { return showsPlots(); }

  std::optional<PageFigure> figure() const override {
    const auto results = results_.shared();
    if (!showsPlots() || !results) return std::nullopt;
    const Settings settings = workspace_.analysis().settings().template of<Settings>();
    AnalysisCommand command{A::about.name, scopeOptions()};
    addOptions(command, fileSettingsOf<A>(), settings);
    if constexpr (A::about.takesMaps) {
      addMap(command, offered().shown, scopeLayers(true));
      command.takesChannel = true;
    }
    PageFigure page = pageFigure(QString::fromUtf8(A::about.name),
                                 plottedFigure<A>(*results, settings), scopeModels(), command);
    page.table = [results] { return A::table(*results); };
    return page;
  }

 private:
  using Settings = typename A::Settings;
  using Results = typename A::Results;

  struct Subject : AnalysisInput {
    Settings settings;

    bool operator==(const Subject&) const = default;
  };

  static Settings ofResults(const Settings& settings) {
    if constexpr (requires { A::ofResults(settings); }) return A::ofResults(settings);
    return settings;
  }

  MapOptions offered() const {
    if constexpr (!A::about.takesMaps) return {};
    if constexpr (requires(const Settings& settings) { A::mapObstacle(settings); }) {
      const Settings& settings = workspace_.analysis().settings().template of<Settings>();
      const QString obstacle = QString::fromUtf8(A::mapObstacle(settings));
      if (!obstacle.isEmpty()) return {ShownMap::Attention, {}, obstacle};
    }
    return analysedMap(workspace_, scopeLayers(A::about.takesMaps));
  }

  void retry() override { results_.retry(); }

  SettingControls<Settings> controls_;
  LatestResult<Subject, Results> results_;
};

}  // namespace softscope
