#pragma once

#include "core/Progress.h"
#include "core/model/Model.h"
#include "core/train/ClassFolders.h"
#include "core/train/Evaluation.h"

#include <string>
#include <vector>

namespace softscope {

/// How often a model is right about files, and the problems with those that are not readable
/// pictures.
struct FileEvaluation {
  EvaluationResult result;
  std::vector<std::string> unreadable;
  /// The pictures that are not fed as they are stored.
  NotedPictures noted;
};

/// Decodes the files as options.reading says, prepares them as options.transform says, and runs the
/// model on each alone, on `workers` threads. Throws DataSetError if a class has no readable
/// picture, InspectionError for a size that the network does not take, and Cancelled.
FileEvaluation evaluateFiles(const Model& model, const ClassFolders& folders,
                             const EvaluationOptions& options, int workers,
                             const Progress& progress = {});

}  // namespace softscope
