#include "widgets/workspace/ModelRun.h"

#include "widgets/paint/ValueText.h"
#include "widgets/workspace/OpenedModel.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QFileInfo>

namespace softscope {

bool ModelRun::operator==(const ModelRun& other) const {
  const bool sameInspection =
      !inspection.owner_before(other.inspection) && !other.inspection.owner_before(inspection);
  return request == other.request && fingerprint == other.fingerprint && stamp == other.stamp &&
         size == other.size && picture == other.picture && sameInspection;
}

ModelRun runOf(const Workspace& workspace, const OpenedModel& opened) {
  ModelRun run{opened.request,
               opened.fingerprint,
               opened.stamp,
               opened.inputSize,
               workspace.picture().fingerprint(),
               {}};
  if (opened.fingerprint.isEmpty()) run.inspection = opened.inspection;
  return run;
}

JobText jobText(const Workspace& workspace, const OpenedModel& opened, const QString& page,
                const QString& what) {
  QStringList about{opened.name()};
  if (const Picture* picture = workspace.picture().get()) {
    about += QFileInfo(QString::fromStdString(picture->path)).fileName();
  }
  return {page, what, about.join(captionSeparator)};
}

JobText pageJobText(const Workspace& workspace, const OpenedModel& opened, const QString& page,
                    const QString& what) {
  JobText text = jobText(workspace, opened, page, what);
  text.isStartedByPage = true;
  return text;
}

}  // namespace softscope
