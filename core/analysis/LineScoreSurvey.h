#pragma once

#include "core/Progress.h"
#include "core/inspect/Inspection.h"

#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

/// How a head's line score is spread over pictures.
struct SurveyedHead {
  std::string layer;
  int head = 0;
  /// Those that the score is defined for; mean and deviation are of them.
  std::int64_t pictures = 0;
  double mean = 0;
  /// From picture to picture: sqrt(sum (score - mean)^2 / (pictures - 1)); 0 for fewer than two.
  double deviation = 0;
};

/// Collects line scores picture by picture.
class LineScoreSurvey {
 public:
  /// Adds one picture. Its layers must be the same for every picture. May throw Cancelled.
  void add(const std::vector<LayerInspection>& layers, const Progress& progress = {});

  /// Every head of every layer, in the order in which the layers were given.
  std::vector<SurveyedHead> heads() const;

 private:
  /// `deviation` is the sum of squared differences from the mean until it is asked for.
  std::vector<SurveyedHead> sums_;
};

}  // namespace softscope
