#include "app/window/JobExport.h"

#include "core/Error.h"

#include <QtCore/QFileInfo>

#include <algorithm>
#include <utility>

namespace softscope {
namespace {

/// The file that a job writes.
struct ExportedFile {
  std::string path;

  bool operator==(const ExportedFile&) const = default;
};

/// A file that was written, and what is not in it.
struct WrittenExport {
  QStringList leftOut;
};

std::size_t bytesOf(const WrittenExport&) {
  return sizeof(WrittenExport);
}

}  // namespace

JobExport::JobExport(Jobs& jobs) : jobs_(jobs) {
  connect(&jobs, &Jobs::changed, this, &JobExport::tellWritten);
}

void JobExport::startJob(const std::string& file, JobText text, Write write) {
  if (std::ranges::find(waiting_, file) != waiting_.end()) {
    throw FileError(file, "is still being written; wait for it, or choose another name");
  }
  waiting_.push_back(file);
  // Whatever was asked for before is still to be written.
  text.replacesWaiting = false;
  text.writesFile = true;
  jobs_.start<WrittenExport>(
      ExportedFile{file}, text,
      [write = std::move(write)](const Progress& progress, const Jobs::Teller<WrittenExport>&) {
        return WrittenExport{write(progress)};
      });
}

QStringList JobExport::writing() const {
  QStringList names;
  for (const std::string& file : waiting_)
    names += QFileInfo(QString::fromStdString(file)).fileName();
  return names;
}

void JobExport::tellWritten() {
  const std::vector<std::string> waiting = std::exchange(waiting_, {});
  for (const std::string& file : waiting) {
    const auto known = jobs_.find<WrittenExport>(ExportedFile{file});
    if (known.job && known.job->isActive()) {
      waiting_.push_back(file);
    } else if (known.result) {
      const QString name = QString::fromStdString(file);
      QString message = tr("Wrote %1").arg(name);
      for (const QString& reason : known.result->leftOut) message += QStringLiteral("; ") + reason;
      Q_EMIT said(message);
      Q_EMIT written(name);
    }
  }
}

}  // namespace softscope
