#pragma once

#include "core/survey/reading/SurveyAnswer.h"

#include <QtCore/QString>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

/// Layers and heads side by side along an axis, each once, whichever models have them.
class SurveySlots {
 public:
  SurveySlots(const SurveyIndex& index, const std::vector<const SurveySeries*>& series);

  int count() const { return static_cast<int>(places_.size()); }
  int of(const SurveyIndex& index, const SurveyIndex::Unit& unit) const;
  /// What stands below them: the layer's block with its first head, and the other heads' numbers as
  /// far as there is room.
  std::vector<QString> names() const;

 private:
  /// A layer's name and a head's number.
  std::vector<std::pair<std::string, int>> places_;
};

}  // namespace softscope
