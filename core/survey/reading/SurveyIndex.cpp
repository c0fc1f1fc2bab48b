#include "core/survey/reading/SurveyIndex.h"

#include <algorithm>

namespace softscope {

std::string SurveyIndex::folder() const {
  const auto found = about.find("folder");
  return found == about.end() ? std::string() : found->second;
}

int SurveyIndex::readablePictures() const {
  return static_cast<int>(
      std::count_if(pictures.begin(), pictures.end(),
                    [](const Picture& picture) { return picture.unreadable.empty(); }));
}

int SurveyIndex::measure(const std::string& name) const {
  const auto found = std::find_if(measures.begin(), measures.end(),
                                  [&](const Measure& measure) { return measure.name == name; });
  return found == measures.end() ? -1 : static_cast<int>(found - measures.begin());
}

std::vector<SurveyIndex::Unit> SurveyIndex::units(Scope scope) const {
  std::vector<Unit> units;
  switch (scope) {
    case Scope::Model:
      for (int i = 0; i < static_cast<int>(models.size()); ++i) units.push_back({i, -1, -1});
      break;
    case Scope::Layer:
      for (int i = 0; i < static_cast<int>(layers.size()); ++i) {
        units.push_back({layers[static_cast<std::size_t>(i)].model, i, -1});
      }
      break;
    case Scope::Head:
      for (int i = 0; i < static_cast<int>(heads.size()); ++i) {
        const int layer = heads[static_cast<std::size_t>(i)].layer;
        units.push_back({layers[static_cast<std::size_t>(layer)].model, layer, i});
      }
      break;
  }
  return units;
}

std::string SurveyIndex::layerName(const Unit& unit) const {
  return unit.layer < 0 ? std::string() : layers[static_cast<std::size_t>(unit.layer)].name;
}

int SurveyIndex::headNumber(const Unit& unit) const {
  return unit.head < 0 ? -1 : heads[static_cast<std::size_t>(unit.head)].number;
}

std::string SurveyIndex::className(const Picture& picture) const {
  return picture.ofClass < 0 ? std::string() : classes[static_cast<std::size_t>(picture.ofClass)];
}

}  // namespace softscope
