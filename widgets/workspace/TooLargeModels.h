#pragma once

#include "widgets/workspace/PendingModels.h"

#include <vector>

namespace softscope {

/// The models that did not fit on their GPU or whose GPU is not there, and that have not run since.
class TooLargeModels {
 public:
  bool isEmpty() const { return openings_.empty(); }
  void clear() { openings_.clear(); }
  /// Adds a model that could not be opened.
  void add(const ModelOpening& opening) { openings_.push_back(opening); }
  /// Adds a model that could not be run or analysed, unless it is on the CPU already.
  void add(const OpenedModel& model);
  void forget(int id);
  /// Returns what opens the models on the CPU, and forgets them.
  std::vector<ModelOpening> takeForCpu();

 private:
  std::vector<ModelOpening> openings_;
};

}  // namespace softscope
