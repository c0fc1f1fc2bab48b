#include "models/structure/StructureAnswers.h"

#include "core/Error.h"
#include "core/model/SettingOption.h"
#include "core/text/Words.h"
#include "models/identify/ShapeReader.h"
#include "models/structure/SaidValues.h"

#include <algorithm>

namespace softscope {

std::string StructureAnswers::answer(const StructureQuestion& question) {
  NetworkSetting setting{.option = question.option, .value = question.usual, .source = "assumed"};
  const auto asked = askedValue(question);
  const auto said =
      saidValue(question.option, question.isOpen ? Words{} : question.choices, hints_);
  if (!question.told.empty()) {
    setting.source = question.told;
  } else if (question.isSaidElsewhere && said && isAccepted(question, said->text)) {
    setting.value = said->text;
    setting.source = said->source;
  } else if (!asked) {
    setting.why = question.why;
  }
  const bool isKnown = setting.source != "assumed";
  if (asked) {
    setting.isCounterfactual = isKnown && setting.value != *asked;
    setting.value = *asked;
    setting.source = "chosen with --" + question.option;
  }
  setting.choices = question.choices;
  std::erase(setting.choices, setting.value);
  setting.choices.insert(setting.choices.begin(), setting.value);
  settled_.described.push_back(setting);
  return setting.value;
}

bool StructureAnswers::isAccepted(const StructureQuestion& question,
                                  const std::string& value) const {
  if (std::ranges::find(question.choices, value) != question.choices.end()) return true;
  const SettingOption* option = findSettingOption(question.option);
  if (option != nullptr) return question.isOpen && option->accepts(value);
  return question.isOpen && parseNumber(value).has_value();
}

std::optional<std::string> StructureAnswers::askedValue(const StructureQuestion& question) const {
  std::optional<std::string> asked;
  if (question.option == "attention") asked = hints_.attention;
  if (question.option == "landmarks" && hints_.landmarks.isTrained() && hints_.landmarks.count) {
    asked = std::to_string(*hints_.landmarks.count);
  }
  const auto found = hints_.settings.find(question.option);
  if (found != hints_.settings.end()) asked = found->second;
  if (!asked) return std::nullopt;
  if (question.option.starts_with("epsilon")) {
    asked = epsilonText(parseEpsilon(*asked).value_or(0));
  }
  if (asked == "features") asked = "none";
  if (isAccepted(question, *asked)) return asked;
  throw ModelError("--" + question.option + " is " + listedWithOr(question.choices) +
                   " for this network" + (question.told.empty() ? "" : " (" + question.told + ")") +
                   ", not \"" + *asked + "\"");
}

}  // namespace softscope
