#pragma once

#include "app/window/BundledContent.h"
#include "widgets/workspace/WorkspaceState.h"

#include <QtCore/QDateTime>
#include <QtCore/QFile>
#include <QtCore/QObject>
#include <QtCore/QTimer>

#include <optional>

namespace softscope {

class Workspace;

/// A workspace that a process which no longer runs left behind.
struct RecoveredWorkspace {
  WorkspaceState state;
  QDateTime savedAt;
};

/// Keeps the workspace on disk while the program runs, so that a killed process loses at most a few
/// seconds. Each window has a file of its own in the user's data folder, and locks it while it
/// runs; one that ends as it should turns it into the last session, unless it never had anything
/// open that is not bundled.
class Autosave : public QObject {
  Q_OBJECT

 public:
  explicit Autosave(const Workspace& workspace, QObject* parent = nullptr);

  /// The destructor treats every exit that reaches it as intended.
  ~Autosave() override;

  /// Sets how many seconds after the first change the workspace is written; with 0 only finish()
  /// writes it.
  void setDelay(int seconds);
  /// Sets what a window without arguments shows; no session is kept of this alone.
  void setBundled(const BundledContent& bundled) { bundled_ = bundled; }
  /// Writes now if anything changed.
  void write();
  /// Call on an intended exit: makes the saved workspace the last session. The previous one stays
  /// if nothing was open in this process that is not bundled.
  void finish();

  /// Takes the newest workspace that a killed process left behind; others remain for the next
  /// start. A workspace that was taken is not recovered again; it becomes the last session.
  static std::optional<RecoveredWorkspace> takeRecovered();
  /// Returns the path of the last session, which may not exist.
  static QString lastSessionPath();
  /// Returns the path of the workspace that was replaced last, which may not exist.
  static QString replacedPath();

 private:
  static QString folder();
  void noteChange();
  bool hasOwnFiles() const;

  const Workspace& workspace_;
  const QString path_;
  /// Open and locked once the workspace is on disk.
  QFile lock_;
  QTimer due_;
  bool isOff_ = false;
  bool changed_ = false;
  BundledContent bundled_;
  /// True once hasOwnFiles() was.
  bool hadFiles_ = false;
  bool finished_ = false;
};

}  // namespace softscope
