#pragma once

#include "core/model/InputSize.h"
#include "core/model/ModelRequest.h"
#include "widgets/workspace/Jobs.h"

#include <QtCore/QString>

#include <cstddef>
#include <memory>
#include <string>

namespace softscope {

class Workspace;
struct Inspection;
struct OpenedModel;

/// Identifies a run of a model on a picture by all that its numbers follow from: the checkpoint's
/// content, how it was opened, the size of the input, and the picture's pixels. It keeps neither
/// alive, so that results can be found again after the picture or the model was changed and changed
/// back.
struct ModelRun {
  ModelRequest request;
  QString fingerprint;
  /// A fingerprint samples large files; see OpenedModel::stamp.
  std::string stamp;
  InputSize size;
  std::size_t picture = 0;
  /// The inspection itself for a model whose file does not tell its weights, such as one in a
  /// Python process.
  std::weak_ptr<const Inspection> inspection;

  bool operator==(const ModelRun& other) const;
};

/// Returns the run in which a model that is open in the workspace has seen its picture.
ModelRun runOf(const Workspace& workspace, const OpenedModel& opened);

/// Returns the words for a job about a model and the open picture; `what` is being measured and
/// shown on the page of that name.
JobText jobText(const Workspace& workspace, const OpenedModel& opened, const QString& page,
                const QString& what);
/// Returns the words of jobText() for a job that a page starts by being shown.
JobText pageJobText(const Workspace& workspace, const OpenedModel& opened, const QString& page,
                    const QString& what);

}  // namespace softscope
