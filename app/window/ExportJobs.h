#pragma once

#include "widgets/workspace/Jobs.h"

#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtCore/QStringList>

#include <functional>
#include <string>
#include <vector>

namespace softscope {

/// Writes exported files as jobs, which go on while the user looks elsewhere, and tells when a file
/// is there. Failures are told by Jobs.
class ExportJobs : public QObject {
  Q_OBJECT

 public:
  /// Writes the file on the jobs' thread, and returns what is not in it, with the reasons.
  using Write = std::function<QStringList(const Progress&)>;

  explicit ExportJobs(Jobs& jobs, QObject* parent = nullptr);

  /// Starts to write the file of this absolute path. Throws FileError if it is still being written.
  void start(const std::string& file, JobText text, Write write);
  /// Returns the names of the files that are still being written, without their folders.
  QStringList writing() const;

 Q_SIGNALS:
  void said(const QString& message);
  /// A file or folder was written; `path` is absolute.
  void written(const QString& path);

 private:
  void tellWritten();

  Jobs& jobs_;
  /// Files that are still being written.
  std::vector<std::string> waiting_;
};

}  // namespace softscope
