#pragma once

#include "core/Progress.h"
#include "core/inspect/Inspection.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// How a head's line score is spread over pictures.
struct SurveyedHead {
  std::string layer;
  int head = 0;
  /// Those that the score is defined and finite for; mean and deviation are of them.
  std::int64_t pictures = 0;
  /// Nothing without any such picture.
  std::optional<double> mean;
  /// From picture to picture: sqrt(sum (score - mean)^2 / (pictures - 1)); nothing for fewer than
  /// two.
  std::optional<double> deviation;
};

/// Collects line scores picture by picture.
class LineScoreSurvey {
 public:
  /// Adds one picture. Its layers must be the same for every picture. May throw Cancelled.
  void add(const std::vector<LayerInspection>& layers, const Progress& progress = {});

  /// Every head of every layer, in the order in which the layers were given.
  std::vector<SurveyedHead> heads() const;

 private:
  struct Sum {
    std::string layer;
    int head = 0;
    std::int64_t pictures = 0;
    double mean = 0;
    double squares = 0;  ///< of differences from the mean
  };

  std::vector<Sum> sums_;
};

}  // namespace softscope
