#include "core/model/ModelSummary.h"

#include "core/attention/Mechanism.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace softscope {

namespace {

/// Returns a setting as titles show it: `with ReLU`, `with norm post`.
std::string titleOf(const NetworkSetting& setting) {
  const bool isRectifier = setting.option == "activation" && setting.value == "relu";
  const bool isUsual = setting.option == "activation" && setting.value == "gelu";
  if (isRectifier) return "with ReLU";
  if (isUsual) return "with GELU";
  return "with " + setting.option + " " + setting.value;
}

}  // namespace

void ModelSummary::setOnlyMechanism(const std::string& only) {
  mechanism = only;
  alternatives = {only};
  mechanismConfidence = 1;
}

double ModelSummary::confidence() const {
  constexpr double guessed = 0.5;
  const bool guesses = !preparationDoubts.empty() ||
                       std::any_of(settings.begin(), settings.end(),
                                   [](const auto& setting) { return setting.isUndetermined(); });
  return std::min({mechanismConfidence, headsConfidence, guesses ? guessed : 1.0});
}

const NetworkSetting* ModelSummary::setting(const std::string& option) const {
  const auto found = std::find_if(settings.begin(), settings.end(),
                                  [&](const auto& known) { return known.option == option; });
  return found == settings.end() ? nullptr : &*found;
}

std::vector<NetworkSetting> ModelSummary::undetermined() const {
  std::vector<NetworkSetting> guessed;
  std::copy_if(settings.begin(), settings.end(), std::back_inserter(guessed),
               [](const NetworkSetting& setting) { return setting.isUndetermined(); });
  return guessed;
}

ModelRequest withTakenStride(ModelRequest request, const ModelSummary& summary) {
  const auto take = [&](const char* option, std::optional<std::string>& value) {
    const NetworkSetting* setting = summary.setting(option);
    const bool mayChange = setting != nullptr &&
                           (setting->isUndetermined() || setting->source.starts_with("by --size"));
    if (mayChange && !value) value = setting->value;
  };
  take("stride", request.stride);
  take("padding", request.padding);
  request.size.reset();
  return request;
}

LandmarkChoice ModelSummary::namedLandmarks() const {
  const bool pooled =
      landmarks.isTrained() && trainedWithPooledLandmarks && takesLandmarks(mechanism);
  return pooled ? LandmarkChoice{LandmarkSource::Pooled} : landmarks;
}

std::string ModelSummary::obstacleTo(const std::string& what) const {
  if (isLive) {
    return "the network runs in a Python process, which answers with attention, logits and what "
           "reaches a token alone, so there is no " +
           what;
  }
  if (!recorded) return {};
  return "a recording holds no weights, so there is no " + what +
         "; open the checkpoint that it was made of";
}

std::string ModelSummary::mechanismNote() const {
  if (!recordedNote.empty()) return recordedNote;
  std::string note = namedLandmarks().text();
  const auto add = [&](const std::string& part) { note += (note.empty() ? "" : ", ") + part; };
  for (const NetworkSetting& setting : settings) {
    if (setting.isCounterfactual && setting.option != "heads") add(titleOf(setting));
  }
  if (counterfactual) add("not what was trained");
  return note;
}

}  // namespace softscope
