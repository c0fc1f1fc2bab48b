#pragma once

#include "core/Progress.h"
#include "core/model/InputTransform.h"
#include "core/model/Model.h"
#include "core/train/ClassFolders.h"
#include "core/train/DataSet.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace softscope {

class Network;

/// Counts of how often a network was right.
struct EvaluationResult {
  struct ClassResult {
    std::string name;
    std::int64_t right = 0;
    std::int64_t pictures = 0;
  };
  std::vector<ClassResult> classes;
  std::int64_t right = 0;
  std::int64_t pictures = 0;
  double loss = 0;  ///< mean cross entropy
  /// Pictures that the network answers with NaN. It names no class for them, so they count as
  /// wrong.
  std::int64_t undefined = 0;

  /// Returns the accuracy, in [0, 1].
  double accuracy() const;
  /// Returns the standard error of the accuracy, as a share of independent pictures: sqrt(p (1 - p)
  /// / n).
  double standardError() const;
};

struct EvaluationOptions {
  /// The transform that gives the mean and deviation that pictures are normalised by. Its other
  /// parts are not used, because the pictures already have their size.
  InputTransform transform;
  /// Index of the logit of each of the data's classes; empty if they are in the same order.
  std::vector<int> logitOfClass;
  /// How files are read, if files are evaluated.
  PictureReading reading = asPublished;
};

/// Counts how often a network is right. The network must be in evaluation mode.
class Evaluation {
 public:
  Evaluation(Network& network, const std::vector<std::string>& classes, EvaluationOptions options);

  /// Runs pictures that were prepared with asEvaluated(), all of one size, together. No layer mixes
  /// them, but matrix products of other sizes may round differently; a picture that is run alone
  /// depends on nothing but itself. Throws InspectionError for a size that the network does not
  /// take.
  void add(std::span<const LabelledPicture> pictures);
  /// Counts a network's answer to one picture that was computed elsewhere.
  void addAnswer(std::span<const float> logits, int label);

  /// Returns the result for the pictures so far.
  EvaluationResult result() const;

 private:
  Network& network_;
  EvaluationOptions options_;
  EvaluationResult counted_;
  double loss_ = 0;  ///< sum over the pictures
};

/// Evaluates a data set in batches of up to `batch` pictures.
EvaluationResult evaluate(Network& network, const DataSet& data, const EvaluationOptions& options,
                          std::int64_t batch = 1);

/// Returns the logit for each of the data's classes: by name if the model has these names, by order
/// if it has none of them and the same number of classes. Throws DataSetError if they do not match.
std::vector<int> matchClasses(const std::string& folder,
                              const std::vector<std::string>& dataClasses,
                              const std::vector<std::string>& modelClasses, int modelClassCount);

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
