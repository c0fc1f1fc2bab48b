#pragma once

#include "widgets/workspace/Jobs.h"

#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtCore/QStringList>

#include <functional>
#include <string>
#include <vector>

namespace softscope {

/// Base class of exports that are jobs: writes files while the user looks elsewhere, and tells when
/// a file is there. A file is made of what was on screen when its dialog opened, even if another
/// picture or model arrives behind the dialog.
class JobExport : public QObject {
  Q_OBJECT

 public:
  /// Returns the names of the files that are still being written, without their folders.
  QStringList writing() const;

 Q_SIGNALS:
  void said(const QString& message);
  /// An export could not begin; Jobs tells of those that fail later.
  void failed(const QString& message);
  /// A file or folder was written; `path` is absolute.
  void written(const QString& path);

 protected:
  /// Writes the file on the jobs' thread, and returns what is not in it, with the reasons.
  using Write = std::function<QStringList(const Progress&)>;

  explicit JobExport(Jobs& jobs);

  /// Starts to write the file of this absolute path. Throws FileError if it is still being written.
  void startJob(const std::string& file, JobText text, Write write);

 private:
  void tellWritten();

  Jobs& jobs_;
  /// Files that are still being written.
  std::vector<std::string> waiting_;
};

}  // namespace softscope
