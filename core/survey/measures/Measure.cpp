#include "core/survey/measures/Measure.h"

#include "core/Error.h"
#include "core/survey/measures/MeasureGroups.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace softscope {

namespace {

constexpr std::array<const char*, 3> scopesByIndex = {"model", "layer", "head"};

std::vector<Measure> everyMeasure(const MeasureOptions& options) {
  std::vector<Measure> measures;
  for (const std::vector<Measure>& group :
       {lineMeasuresOfHeads(), spreadMeasures(), rankMeasures(), weightMeasures(), sinkMeasures(),
        shareMeasures(), saliencyMeasures(), bottleneckMeasures(), ablationMeasures(),
        deletionMeasures(options.randomOrders), tokenMeasures(), reachMeasures(),
        predictionMeasures()}) {
    std::ranges::copy(group, std::back_inserter(measures));
  }
  std::ranges::stable_sort(measures, std::greater<>(),
                           [](const Measure& measure) { return measure.value.index(); });
  return measures;
}

bool isAskedFor(const Measure& measure, const std::string& name) {
  return name == "all" || name == measure.name || (!name.empty() && name == measure.group);
}

}  // namespace

std::string Measure::scope() const {
  return scopesByIndex[value.index()];
}

const std::vector<Measure>& allMeasures() {
  static const std::vector<Measure> measures = everyMeasure({});
  return measures;
}

std::vector<Measure> chosenMeasures(const std::vector<std::string>& names,
                                    const MeasureOptions& options) {
  for (const std::string& name : names) {
    const bool known = std::ranges::any_of(
        allMeasures(), [&](const Measure& measure) { return isAskedFor(measure, name); });
    if (!known) {
      throw InspectionError("there is no measure " + name + "; softscope survey --list names them");
    }
  }
  std::vector<Measure> chosen;
  std::ranges::copy_if(
      everyMeasure(options), std::back_inserter(chosen), [&](const Measure& measure) {
        if (names.empty()) return measure.isCheap();
        return std::ranges::any_of(
            names, [&](const std::string& name) { return isAskedFor(measure, name); });
      });
  return chosen;
}

}  // namespace softscope
