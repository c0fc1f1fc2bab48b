#pragma once

#include "core/files/CheckpointSeries.h"
#include "core/live/LiveMessage.h"
#include "core/model/ModelRequest.h"

#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtCore/QTemporaryDir>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

/// The steps of one training, each a file: checkpoints that were there, or the recordings that
/// Python sends now and then, which are kept as long as the window.
class ModelSeries {
 public:
  static constexpr std::int64_t defaultBudget = std::int64_t{4} << 30;

  /// A series from Python, empty at first, whose files may take `budget` bytes.
  explicit ModelSeries(QString name, std::int64_t budget = defaultBudget);
  explicit ModelSeries(const CheckpointSeries& series);

  const QString& name() const { return name_; }
  /// True if its steps come from Python.
  bool isFromPython() const { return folder_ != nullptr; }
  /// Adds a recording to a series from Python; one of the same step is replaced. Throws FileError
  /// if it cannot be written, or if all of them would take more than the budget.
  void add(const LiveStep& step);
  /// Returns the steps in ascending order.
  const std::vector<std::int64_t>& steps() const { return steps_; }
  /// Returns the file of the step at this index.
  const QString& path(std::size_t index) const { return paths_[index]; }
  /// Returns the index of the step whose file this is; nothing for any other path.
  std::optional<std::size_t> find(const QString& path) const;
  /// True if a file is a step of both.
  bool sharesSteps(const ModelSeries& other) const;
  /// Returns a title such as `vit_tiny, step 120`.
  QString title(std::size_t index) const;

 private:
  QString name_;
  /// The recordings' folder; null for checkpoints.
  std::unique_ptr<QTemporaryDir> folder_;
  std::vector<std::int64_t> steps_;
  std::vector<QString> paths_;
  std::int64_t budget_ = defaultBudget;
  std::int64_t bytes_ = 0;
};

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
  /// Takes up the series of models that came with a workspace: their names tell which they are.
  void takeUpSaved();
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
  /// The files, and the names given to them, for which a series was looked for.
  std::set<std::pair<QString, QString>> lookedFor_;
  /// Series from Python whose last step is shown, or was to be shown and could not be opened.
  std::set<const ModelSeries*> followed_;
  /// Series that are followed and got more steps while one was being opened. What is being opened
  /// is not replaced: a training that logs faster than that would never show anything.
  std::set<const ModelSeries*> behind_;
};

}  // namespace softscope
