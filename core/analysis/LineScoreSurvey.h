#pragma once

#include "core/Progress.h"
#include "core/analysis/LineMeasures.h"
#include "core/inspect/Inspection.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// How a measure is spread over pictures.
struct MeasureSpread {
  /// Those that the measure is defined and finite for; mean and deviation are of them.
  std::int64_t pictures = 0;
  /// Nothing without any such picture.
  std::optional<double> mean;
  /// From picture to picture: sqrt(sum (value - mean)^2 / (pictures - 1)); nothing for fewer than
  /// two.
  std::optional<double> deviation;
};

/// How a head's line measures are spread, in the order of lineMeasureNames.
struct SurveyedHead {
  std::string layer;
  int head = 0;
  std::array<MeasureSpread, lineMeasureNames.size()> measures;
};

/// Collects line measures picture by picture.
class LineScoreSurvey {
 public:
  /// Adds one picture. Its layers must be the same for every picture. May throw Cancelled.
  void add(const std::vector<LayerInspection>& layers, const Progress& progress = {});

  /// Every head of every layer, in the order in which the layers were given.
  std::vector<SurveyedHead> heads() const;

 private:
  struct Sum {
    std::int64_t pictures = 0;
    double mean = 0;
    double squares = 0;  ///< of differences from the mean

    void add(const std::optional<double>& value);
    MeasureSpread spread() const;
  };
  struct Head {
    std::string layer;
    int head = 0;
    std::array<Sum, lineMeasureNames.size()> sums;
  };

  std::vector<Head> heads_;
};

}  // namespace softscope
