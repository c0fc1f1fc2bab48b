#pragma once

#include "app/window/live/ModelSeries.h"
#include "core/model/ModelRequest.h"

#include <QtCore/QObject>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

class StepBar;
class Workspace;
struct WantedModel;

/// The series whose steps are open as models. While the model in front is a step of one, the bar
/// shows its slider, which puts another step in that model's place.
class OpenSeries : public QObject {
  Q_OBJECT

 public:
  OpenSeries(Workspace& workspace, StepBar& bar);
  ~OpenSeries() override;

  /// Opens the last step of every series that the request's path stands for: a folder of
  /// checkpoints, or a name with wildcards. Returns false, having opened nothing, for the path of
  /// anything else. The first series becomes the current model if `becomesCurrent` is true.
  bool open(const ModelRequest& request, bool becomesCurrent = true);
  /// Adds a step that Python sent. Whoever looks at the last step follows the training. Throws
  /// FileError.
  void add(const std::string& name, const LiveStep& step);
  /// Returns the files of all steps of the training that the model in front is a step of; empty if
  /// it is none.
  std::vector<std::string> shownSteps() const;
  /// True if there is a series from Python with this name.
  bool hasFromPython(const std::string& name) const;

 private:
  ModelSeries& seriesFromPython(const std::string& name);
  /// Returns the model that is or becomes a step of the series, as it was asked for last; nothing
  /// if there is none.
  std::optional<WantedModel> wantedOf(const ModelSeries& series) const;
  /// Opens the last steps of the series in `behind_` whose models are there.
  void catchUp();
  /// Goes on after a step that could not be opened.
  void passFailed();
  /// Opens the last step in addition to other models.
  void openLastBeside(const ModelSeries& series);
  /// Returns the series of the model in front, and the index of the step; null if it has none.
  std::pair<const ModelSeries*, std::size_t> shown() const;
  void showSteps();
  void goToStep(int index);

  Workspace& workspace_;
  StepBar& bar_;
  std::vector<std::unique_ptr<ModelSeries>> series_;
  /// Series from Python whose last step is shown, or was to be shown and could not be opened.
  std::set<const ModelSeries*> followed_;
  /// Series that are followed and got more steps while one was being opened. What is being opened
  /// is not replaced: a training that logs faster than that would never show anything.
  std::set<const ModelSeries*> behind_;
};

}  // namespace softscope
