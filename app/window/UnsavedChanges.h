#pragma once

#include "widgets/workspace/WorkspaceState.h"

#include <QtCore/QObject>
#include <QtCore/QTimer>

#include <optional>

namespace softscope {

class Workspace;

/// Tells whether the workspace differs from what was last read from its file or written to it.
class UnsavedChanges : public QObject {
  Q_OBJECT

 public:
  explicit UnsavedChanges(const Workspace& workspace, QObject* parent = nullptr);

  /// Sets the content of the workspace's file; nothing if it has no file, and so nothing to differ
  /// from.
  void setSaved(std::optional<WorkspaceState> saved);
  const std::optional<WorkspaceState>& saved() const { return saved_; }
  /// True if there is a file with other content, as compare() found last.
  bool exist() const { return exist_; }
  /// Compares the workspace with its file; changes make this happen by itself a moment later.
  void compare();

 Q_SIGNALS:
  void changed();

 private:
  const Workspace& workspace_;
  std::optional<WorkspaceState> saved_;
  /// Collects the many changes of a drag.
  QTimer due_;
  bool exist_ = false;
};

}  // namespace softscope
