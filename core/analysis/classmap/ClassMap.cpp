#include "core/analysis/classmap/ClassMap.h"

#include "core/Error.h"
#include "core/text/Words.h"

#include <algorithm>
#include <sstream>

namespace softscope {

namespace {

constexpr ClassMethod everyClassMethod[] = {ClassMethod::GradientRollout, ClassMethod::LeGrad,
                                            ClassMethod::GradientTokens, ClassMethod::GradCam,
                                            ClassMethod::IntegratedGradients};

/// Returns the names that a class goes by: ImageNet lists several, parted by commas.
std::vector<std::string> namesWithin(const std::string& name) {
  std::vector<std::string> names{lowerCase(name)};
  std::istringstream parts(names.front());
  for (std::string part; std::getline(parts, part, ',');) {
    const auto begin = part.find_first_not_of(' ');
    if (begin != std::string::npos) names.push_back(part.substr(begin));
  }
  return names;
}

/// Returns a few of the names, for those who asked for one that is not among them.
std::string someOf(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(shown, names.size()); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  return names.size() > shown ? text + ", ..." : text;
}

void addMaps(const std::string& model, const ClassMaps& maps, NamedArrays& arrays) {
  const std::string of = ".class_" + std::to_string(maps.classIndex);
  arrays.emplace_back(model + ".logit" + of, FloatArray{{1}, {static_cast<float>(maps.logit)}});
  for (const ClassMap& map : maps.maps) {
    if (!map.obstacle.empty()) continue;
    arrays.emplace_back(
        model + "." + methodName(map.method) + of,
        FloatArray{{map.grid.height, map.grid.width}, {map.patches.begin(), map.patches.end()}});
  }
}

/// Returns `(3, 4)`, or `(3, 4) of 16 x 16` if the grid is to be said; `none` if no patch speaks
/// for the class, or none more than another.
std::string topClassPatch(const ClassMap& map, bool saysGrid) {
  Eigen::Index best = 0;
  if (map.patches.size() == 0 || !(map.patches.maxCoeff(&best) > 0)) return "none";
  const auto isBest = [&](float value) { return value == map.patches[best]; };
  if (std::count_if(map.patches.begin(), map.patches.end(), isBest) > 1) return "no single one";
  const std::string patch = "(" + std::to_string(best / map.grid.width) + ", " +
                            std::to_string(best % map.grid.width) + ")";
  if (!saysGrid) return patch;
  return patch + " of " + std::to_string(map.grid.height) + " x " + std::to_string(map.grid.width);
}

/// True if the maps that were computed lie on different grids.
bool gridsDiffer(const std::vector<ModelClassMaps>& models) {
  std::optional<TokenGrid> first;
  for (const ModelClassMaps& of : models) {
    for (const ClassMaps* maps : {&of.first, of.second ? &*of.second : nullptr}) {
      if (maps == nullptr) continue;
      for (const ClassMap& map : maps->maps) {
        if (!map.obstacle.empty()) continue;
        if (!first) first = map.grid;
        if (!(map.grid == *first)) return true;
      }
    }
  }
  return false;
}

/// Returns `tabby in deit is (3, 4) by legrad, (2, 2) by grad_cam`, with the grids if these are to
/// be said.
std::string topClassPatches(const ModelClassMaps& of, const ClassMaps& maps, bool saysGrid) {
  std::string list;
  for (const ClassMap& map : maps.maps) {
    if (!map.obstacle.empty()) continue;
    list += (list.empty() ? " is " : ", ") + topClassPatch(map, saysGrid) + " by " +
            methodName(map.method);
  }
  return list.empty() ? list
                      : nameOfClass(maps.classIndex, of.classNames) + " in " + of.model + list;
}

std::string classSentence(const std::vector<ModelClassMaps>& models) {
  std::string text;
  const bool saysGrid = gridsDiffer(models);
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "The patch that speaks most for " : "; for ") + part;
  };
  for (const ModelClassMaps& of : models) {
    add(topClassPatches(of, of.first, saysGrid));
    if (of.second) add(topClassPatches(of, *of.second, saysGrid));
  }
  return text.empty() ? text : text + ".";
}

}  // namespace

std::vector<ClassMethod> methodsOf(ClassMethod choice) {
  if (choice != ClassMethod::All) return {choice};
  return {std::begin(everyClassMethod), std::end(everyClassMethod)};
}

ModelClassMaps computeClassMaps(const AnalysedLayer& of, const Model& model,
                                const InputTensor& input, const ClassMapSettings& settings,
                                const ClassMapMeasurer& measure, const Progress& progress) {
  ClassMapRequest request{.classIndex = settings.classIndex,
                          .methods = methodsOf(settings.method),
                          .entries = settings.entries,
                          .points = settings.points};
  if (settings.atLayer) request.layer = of.layer().name;
  const double ofFirst = settings.against ? 0.5 : 1;
  ModelClassMaps maps{.model = of.model,
                      .mechanismNote = of.mechanismNote,
                      .region = of.region,
                      .classNames = model.summary().classNames,
                      .first = measure(model, input, request, progress.part(0, ofFirst)),
                      .second = {}};
  if (settings.against) {
    request.classIndex = settings.against;
    maps.second = measure(model, input, request, progress.part(ofFirst, 1));
  }
  const bool isEmpty = std::none_of(maps.first.maps.begin(), maps.first.maps.end(),
                                    [](const ClassMap& map) { return map.obstacle.empty(); });
  if (isEmpty) throw InspectionError(maps.first.maps.front().obstacle);
  return maps;
}

std::string methodName(ClassMethod method) {
  switch (method) {
    case ClassMethod::All:
      break;
    case ClassMethod::GradientRollout:
      return "gradient_rollout";
    case ClassMethod::LeGrad:
      return "legrad";
    case ClassMethod::GradientTokens:
      return "gradient_tokens";
    case ClassMethod::GradCam:
      return "grad_cam";
    case ClassMethod::IntegratedGradients:
      return "integrated_gradients";
  }
  return "all";
}

Vector differenceOf(const ClassMap& first, const ClassMap& second) {
  if (first.patches.size() != second.patches.size()) {
    throw InspectionError("the maps of both classes have different grids");
  }
  const auto scaled = [](const Vector& patches) -> Vector {
    const float largest = patches.size() > 0 ? patches.cwiseAbs().maxCoeff() : 0.0f;
    return largest > 0 ? Vector(patches / largest) : patches;
  };
  return scaled(first.patches) - scaled(second.patches);
}

int classIndexOf(const std::string& text, const std::vector<std::string>& names, int classes) {
  if (classes == 0) {
    throw InspectionError("the network has no head, so that there are no classes to ask for");
  }
  // An index may also be a name: everyone means the name where there is one.
  const std::string asked = lowerCase(text);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (lowerCase(names[i]) == asked) return static_cast<int>(i);
  }
  if (const std::optional<int> index = parseNumber<int>(text)) {
    if (*index >= 0 && *index < classes) return *index;
    throw InspectionError("there is no class " + text + ": the network has " +
                          std::to_string(classes) + ", numbered from 0");
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::vector<std::string> within = namesWithin(names[i]);
    if (std::find(within.begin(), within.end(), asked) != within.end()) {
      return static_cast<int>(i);
    }
  }
  throw InspectionError("there is no class named " + text +
                        (names.empty() ? ": the names of this network's classes are not known; "
                                         "give a number from 0 to " +
                                             std::to_string(classes - 1)
                                       : "; there are " + someOf(names)));
}

std::string nameOfClass(int index, const std::vector<std::string>& names) {
  const auto i = static_cast<std::size_t>(index);
  return i < names.size() ? names[i] : "class " + std::to_string(index);
}

NamedArrays classMapArrays(const std::vector<ModelClassMaps>& models) {
  NamedArrays arrays;
  for (const ModelClassMaps& of : models) {
    addMaps(of.model, of.first, arrays);
    if (!of.second) continue;
    addMaps(of.model, *of.second, arrays);
    for (std::size_t i = 0; i < of.first.maps.size(); ++i) {
      const ClassMap& first = of.first.maps[i];
      const ClassMap& second = of.second->maps[i];
      if (!first.obstacle.empty() || !second.obstacle.empty()) continue;
      const Vector difference = differenceOf(first, second);
      arrays.emplace_back(of.model + "." + methodName(first.method) + ".difference",
                          FloatArray{{first.grid.height, first.grid.width},
                                     {difference.begin(), difference.end()}});
    }
  }
  arrays.sentence = classSentence(models);
  return arrays;
}

}  // namespace softscope
