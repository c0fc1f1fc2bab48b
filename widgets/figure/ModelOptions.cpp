#include "widgets/figure/ModelOptions.h"

#include "core/model/SettingOption.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <system_error>

namespace softscope {

namespace {

using Words = std::vector<std::string>;
using ValueOf = std::function<std::string(const FigureModel&)>;

/// Adds an option with a value for each model if any model has one; a single value if all are
/// equal.
void addPerModel(Words& words, const std::vector<FigureModel>& models, const std::string& option,
                 const std::string& nothing, const ValueOf& valueOf) {
  Words values;
  for (const FigureModel& model : models) values.push_back(valueOf(model));
  if (std::all_of(values.begin(), values.end(), [](const auto& value) { return value.empty(); })) {
    return;
  }
  const bool same = std::all_of(values.begin(), values.end(),
                                [&](const auto& value) { return value == values.front(); });
  const std::size_t count = same ? 1 : values.size();
  for (std::size_t i = 0; i < count; ++i) {
    words.insert(words.end(), {option, values[i].empty() ? nothing : values[i]});
  }
}

/// Adds a name for each model up to the last named one; a single name applies to the first model
/// only.
void addNames(Words& words, const std::vector<FigureModel>& models) {
  std::size_t count = models.size();
  while (count > 0 && models[count - 1].name.empty()) --count;
  for (std::size_t i = 0; i < count; ++i) {
    words.insert(words.end(), {"--name", models[i].name.empty() ? "auto" : models[i].name});
  }
}

/// Adds the flag of plain norms: `--plain-norms=yes`.
void addPlainNorms(Words& words, const std::vector<FigureModel>& models) {
  Words values;
  const std::string flag = "--plain-norms";
  addPerModel(values, models, flag, "auto",
              [](const auto& m) { return m.request.plainNorms.value_or(""); });
  for (std::size_t i = 1; i < values.size(); i += 2) words.push_back(flag + "=" + values[i]);
}

}  // namespace

std::string absolutePath(const std::string& path) {
  std::error_code failed;
  std::filesystem::path absolute = std::filesystem::absolute(path, failed);
  if (failed) return path;
  // The parent of a linked folder is not the folder before it in the path.
  const bool climbs = std::find(absolute.begin(), absolute.end(), "..") != absolute.end();
  if (climbs) absolute = std::filesystem::weakly_canonical(absolute, failed);
  return failed ? path : absolute.lexically_normal().string();
}

std::vector<std::string> modelOptions(const std::vector<FigureModel>& models) {
  Words words;
  for (const FigureModel& model : models) {
    words.insert(words.end(), {"-m", absolutePath(model.request.path)});
  }
  addNames(words, models);
  const auto perModel = [&](const std::string& option, const std::string& nothing,
                            const ValueOf& valueOf) {
    addPerModel(words, models, option, nothing, valueOf);
  };
  perModel("--attention", "auto", [](const auto& m) { return m.request.attention.value_or(""); });
  perModel("--arch", "auto", [](const auto& m) { return m.request.architecture.value_or(""); });
  perModel("--heads", "0",
           [](const auto& m) { return m.request.heads ? m.request.heads->text() : std::string(); });
  perModel("--landmarks", "trained", [](const auto& m) {
    const LandmarkChoice& landmarks = m.request.landmarks;
    if (!landmarks.isTrained()) return nameOf(landmarks.source);
    return landmarks.count ? std::to_string(*landmarks.count) : std::string();
  });
  perModel("--landmark-count", "0", [](const auto& m) {
    const LandmarkChoice& landmarks = m.request.landmarks;
    const bool counts = landmarks.count && !landmarks.isTrained();
    return counts ? std::to_string(*landmarks.count) : std::string();
  });
  perModel("--landmark-seed", "0", [](const auto& m) {
    const int seed = m.request.landmarks.seed;
    return seed != 0 ? std::to_string(seed) : std::string();
  });
  for (const SettingOption& option : settingOptions()) {
    if (option.value == &ModelRequest::plainNorms) continue;
    perModel(std::string("--") + option.name, "auto",
             [&option](const auto& m) { return (m.request.*option.value).value_or(""); });
  }
  addPlainNorms(words, models);
  perModel("--weights", "auto", [](const auto& m) { return m.request.weights.value_or(""); });
  perModel("--class-names", "auto", [](const auto& m) {
    return m.request.classNames ? absolutePath(*m.request.classNames) : std::string();
  });
  // The flag applies to all models; it changes nothing for those without unexpected parameters.
  if (std::any_of(models.begin(), models.end(),
                  [](const auto& m) { return m.request.ignoresUnexpected; })) {
    words.push_back("--ignore-unexpected");
  }
  return words;
}

std::vector<std::string> sizeOptions(const std::vector<FigureModel>& models) {
  Words words;
  addPerModel(words, models, "--size", "published",
              [](const FigureModel& model) { return inputSizeText(model.inputSize); });
  return words;
}

}  // namespace softscope
