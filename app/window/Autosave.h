#pragma once

#include "widgets/workspace/WorkspaceState.h"

#include <QtCore/QDateTime>
#include <QtCore/QLockFile>
#include <QtCore/QObject>
#include <QtCore/QTimer>

#include <optional>

namespace softscope {

class Workspace;

/// A workspace that was found where a program that is gone had kept it.
struct RecoveredWorkspace {
  WorkspaceState state;
  QDateTime savedAt;
};

/// Keeps the workspace on disk while the program runs, so that a killed process loses at most a few
/// seconds. Each process has its own file, in the user's data folder; one that ends as it should
/// turns it into the last session.
class Autosave : public QObject {
  Q_OBJECT

 public:
  explicit Autosave(const Workspace& workspace, QObject* parent = nullptr);

  /// Takes every end that gets here for one that is meant.
  ~Autosave() override;

  /// Changes are written so many seconds after the first of them; with 0 not before finish().
  void setDelay(int seconds);
  /// Writes now if anything changed.
  void write();
  /// For an end that is meant: what there is becomes the last session.
  void finish();

  /// Takes what a process that was killed left behind, the newest of several; the others are there
  /// for the next start. What was taken is not recovered again, but is the last session.
  static std::optional<RecoveredWorkspace> takeRecovered();
  /// Where the last session is; there may be none.
  static QString lastSessionPath();

 private:
  static QString folder();
  QString path() const;
  void noteChange();

  const Workspace& workspace_;
  QLockFile lock_;
  QTimer due_;
  bool isOff_ = false;
  bool changed_ = false;
  bool finished_ = false;
};

}  // namespace softscope
