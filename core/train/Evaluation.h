#pragma once

#include "core/model/InputTransform.h"
#include "core/train/DataSet.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace softscope {

class Network;

/// How often a network was right.
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

  /// In [0, 1].
  double accuracy() const;
  /// Of the accuracy, as of a share of independent pictures: sqrt(p (1 - p) / n).
  double standardError() const;
};

struct EvaluationOptions {
  /// Mean and deviation are used; the pictures have their size already.
  InputTransform transform;
  /// Index into the logits of each of the data's classes; empty: the same order.
  std::vector<int> logitOfClass;
  /// How files are read, where it is files that are evaluated.
  PictureReading reading = asPublished;
};

/// Counts how often a network, which must be in evaluation mode, is right.
class Evaluation {
 public:
  Evaluation(Network& network, const std::vector<std::string>& classes, EvaluationOptions options);

  /// Runs pictures prepared with asEvaluated(), all of one size, together. No layer mixes them, but
  /// products of other sizes may round otherwise; a picture alone depends on nothing but itself.
  /// Throws InspectionError for a size that the network does not take.
  void add(std::span<const LabelledPicture> pictures);
  /// What the network answered to one picture, elsewhere.
  void addAnswer(std::span<const float> logits, int label);

  /// Of the pictures so far.
  EvaluationResult result() const;

 private:
  Network& network_;
  EvaluationOptions options_;
  EvaluationResult counted_;
  double loss_ = 0;  ///< sum over the pictures
};

/// Evaluates a data set in batches of up to so many pictures.
EvaluationResult evaluate(Network& network, const DataSet& data, const EvaluationOptions& options,
                          std::int64_t batch = 1);

/// The logit that stands for each of the data's classes: by name where the model names them so, by
/// order where it names none of them and has as many. Throws DataSetError where they do not fit.
std::vector<int> matchClasses(const std::string& folder,
                              const std::vector<std::string>& dataClasses,
                              const std::vector<std::string>& modelClasses, int modelClassCount);

}  // namespace softscope
