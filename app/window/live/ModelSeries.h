#pragma once

#include "core/files/CheckpointSeries.h"
#include "core/live/LiveMessage.h"

#include <QtCore/QString>
#include <QtCore/QTemporaryDir>

#include <cstdint>
#include <memory>
#include <optional>
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

}  // namespace softscope
