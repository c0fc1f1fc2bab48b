#pragma once

#include "core/live/LiveMessage.h"

#include <QtCore/QString>
#include <QtCore/QTemporaryDir>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace softscope {

/// The recordings that a training run sends now and then, as files that last as long as the window.
class ModelSeries {
 public:
  explicit ModelSeries(QString name);

  const QString& name() const { return name_; }
  /// Adds a recording; one of the same step is replaced. Throws FileError if it cannot be written,
  /// or if all of them would take more than four gigabytes.
  void add(const LiveStep& step);
  /// Returns the steps in ascending order.
  const std::vector<std::int64_t>& steps() const { return steps_; }
  /// Returns the file of the step at this index.
  QString path(std::size_t index) const;
  /// Returns the index of the step whose file this is; nothing for any other path.
  std::optional<std::size_t> find(const QString& path) const;
  /// Returns a title such as `vit_tiny, step 120`.
  QString title(std::size_t index) const;

 private:
  QString name_;
  QTemporaryDir folder_;
  std::vector<std::int64_t> steps_;
  std::int64_t bytes_ = 0;
};

}  // namespace softscope
