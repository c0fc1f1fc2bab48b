#include "models/identify/ResolvedSetting.h"

#include "core/Error.h"
#include "core/model/SettingOption.h"
#include "core/text/Words.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/Metadata.h"

#include <algorithm>
#include <utility>

namespace softscope {

namespace {

/// Libraries' names for activations, with the values of the option.
constexpr std::pair<const char*, const char*> otherActivationNames[] = {
    {"gelu_new", "gelu_tanh"},
    {"gelu_pytorch_tanh", "gelu_tanh"},
    {"gelu_fast", "gelu_tanh"},
    {"gelu_accurate", "gelu_tanh"},
    {"gelu_python_tanh", "gelu_tanh"},
    {"quickgelu", "quick_gelu"},
    {"swish", "silu"},
    {"gelu_python", "gelu"},
};

bool isPossible(const SettingKnowledge& known, const std::string& value) {
  const SettingOption* option = findSettingOption(known.option);
  if (known.isOpen && option != nullptr && option->accepts(value)) return true;
  return std::find(known.choices.begin(), known.choices.end(), value) != known.choices.end();
}

/// Returns the value if the network can compute it; otherwise nothing.
std::optional<std::string> possibleValue(const SettingKnowledge& known,
                                         const std::optional<std::string>& value) {
  if (!value) return std::nullopt;
  std::string canonical = settingWord(known.option, *value);
  return isPossible(known, canonical) ? std::optional(std::move(canonical)) : std::nullopt;
}

std::optional<std::string> entryOf(const std::map<std::string, std::string>& entries,
                                   const std::string& key) {
  const auto found = entries.find(key);
  return found == entries.end() ? std::nullopt : std::optional(found->second);
}

/// Returns the value in the file's metadata, if it can only be meant for the network.
std::optional<std::string> keptValue(const SettingKnowledge& known, const ModelHints& hints) {
  if (isGenericName(known.option) && !isWrittenBySoftscope(hints.metadata)) return std::nullopt;
  return possibleValue(known, entryOf(hints.metadata, known.option));
}

std::vector<std::string> valueFirst(std::vector<std::string> choices, const std::string& value) {
  std::erase(choices, value);
  choices.insert(choices.begin(), value);
  return choices;
}

std::optional<std::string> askedValue(const SettingKnowledge& known, const ModelHints& hints) {
  const auto asked = entryOf(hints.settings, known.option);
  if (!asked) return std::nullopt;
  if (const auto possible = possibleValue(known, asked)) return possible;
  throw ModelError("--" + known.option + " is " + listedWithOr(known.choices) +
                   " for this network, not \"" + *asked + "\"");
}

}  // namespace

SettingKnowledge knownOfPublished(const std::string& network, bool isPublished,
                                  const ConfigurationFile* said) {
  SettingKnowledge known{.reason = "no published " + network +
                                   " has these sizes, and no weight tells it"};
  known.isCertain = isPublished || namesNetwork(said);
  if (isPublished) {
    known.reason = "as in every published " + network;
  } else if (known.isCertain) {
    known.reason = "since " + said->fileName + " says no other";
  }
  return known;
}

std::string settingWord(const std::string& option, const std::string& value) {
  if (option == "epsilon") {
    const auto epsilon = parseEpsilon(value);
    return epsilon ? numberText(*epsilon) : value;
  }
  std::string word = lowerCase(value);
  if (option != "activation") return word;
  for (const auto& [other, own] : otherActivationNames) {
    if (word == other) return own;
  }
  return word;
}

NetworkSetting resolveSetting(const SettingKnowledge& known, const ModelHints& hints) {
  const auto asked = askedValue(known, hints);
  const auto kept = keptValue(known, hints);
  const auto configured = possibleValue(known, known.configured);
  NetworkSetting setting{.option = known.option, .value = known.usual, .source = "assumed"};
  std::optional<std::string> trained;
  if (kept) {
    trained = kept;
    setting.source = "from the file's metadata";
  } else if (configured) {
    trained = configured;
    setting.source = "from " + hints.configuration.fileName;
  } else if (known.isCertain) {
    trained = known.usual;
    setting.source = known.reason;
  } else if (!asked) {
    setting.why = known.reason;
  }
  setting.value = trained.value_or(known.usual);
  if (asked) {
    setting.isCounterfactual = trained && *trained != *asked;
    setting.value = *asked;
    setting.source = "chosen with --" + known.option;
  }
  setting.choices = valueFirst(known.choices, setting.value);
  return setting;
}

bool isToldBeforeConfiguration(const SettingKnowledge& known, const ModelHints& hints) {
  return hints.settings.contains(known.option) || keptValue(known, hints).has_value();
}

NetworkSetting resolveActivation(SettingKnowledge known, const ConfigurationFile* said,
                                 const ModelHints& hints) {
  known.option = "activation";
  if (said != nullptr && !said->activation.empty()) {
    known.configured = settingWord(known.option, said->activation);
    if (!isPossible(known, *known.configured) && !isToldBeforeConfiguration(known, hints)) {
      throw ModelError(said->place() + " says the activation " + said->activation +
                       ", which Softscope does not compute here; --activation chooses another: " +
                       listedWithOr(known.choices));
    }
  }
  return resolveSetting(known, hints);
}

NetworkSetting resolveMlpActivation(SettingKnowledge known, const ConfigurationFile* said,
                                    const ModelHints& hints) {
  known.usual = "gelu";
  known.choices = {"gelu", "gelu_tanh", "relu"};
  return resolveActivation(std::move(known), said, hints);
}

NetworkSetting resolveEpsilon(SettingKnowledge known, const std::optional<double>& said,
                              const ModelHints& hints, double& epsilon) {
  known.option = "epsilon";
  if (known.usual.empty()) known.usual = numberText(epsilon);
  known.choices = valueFirst({"1e-06", "1e-05", "1e-12"}, numberText(epsilon));
  known.isOpen = true;
  if (said) known.configured = numberText(*said);
  NetworkSetting setting = resolveSetting(known, hints);
  epsilon = parseEpsilon(setting.value).value_or(epsilon);
  return setting;
}

void describeSetting(const NetworkSetting& setting, ModelSummary& summary) {
  summary.settings.push_back(setting);
  summary.counterfactual = summary.counterfactual || setting.isCounterfactual;
}

void describeSettings(const std::vector<NetworkSetting>& settings, ModelSummary& summary) {
  for (const NetworkSetting& setting : settings) describeSetting(setting, summary);
}

}  // namespace softscope
