#pragma once

#include "core/survey/reading/SurveyAnswer.h"

#include <QtCore/QString>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

/// The slots of an axis: layers and heads side by side, each only once even if several models have
/// it.
class SurveySlots {
 public:
  SurveySlots(const SurveyIndex& index, const std::vector<const SurveySeries*>& series);

  int count() const { return static_cast<int>(places_.size()); }
  int of(const SurveyIndex& index, const SurveyIndex::Unit& unit) const;
  /// Returns the names below the slots: the layer's block at its first head, and the other heads'
  /// numbers as far as there is room.
  std::vector<QString> names() const;

 private:
  /// Layer name and head number of each slot.
  std::vector<std::pair<std::string, int>> places_;
};

}  // namespace softscope
