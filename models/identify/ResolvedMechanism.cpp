#include "models/identify/ResolvedMechanism.h"

#include "core/Error.h"
#include "core/attention/Mechanism.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"
#include "models/identify/GivenNames.h"
#include "models/identify/OtherNetworks.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace softscope {

namespace {

bool contains(const std::string& text, const std::string& part) {
  return lowerCase(text).find(part) != std::string::npos;
}

/// Words that follow networks' names, and the endings of files.
const std::vector<std::string> wordsOfAnyName{
    "google", "facebook", "timm",    "orig",        "augreg", "augreg#", "ft",   "in",
    "fb",     "in#k",     "in#ft#k", "ft#k",        "#k",     "sam",     "dino", "mae",
    "miil",   "bamboo",   "pth",     "safetensors", "tar",    "bin",     "pt",   "imagenet"};

bool isNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Returns true for `patch16` and the pattern `patch#`.
bool isNamedWord(std::string_view word, std::string_view pattern) {
  std::size_t at = 0;
  for (const char wanted : pattern) {
    const std::size_t begin = at;
    while (wanted == '#' && at < word.size() && isNumber(word.substr(at, 1))) ++at;
    const bool isThere = wanted == '#' ? at > begin : at < word.size() && word[at++] == wanted;
    if (!isThere) return false;
  }
  return at == word.size();
}

/// Splits a name in lower case at all but letters and digits.
std::vector<std::string> wordsOfName(const std::string& name) {
  std::vector<std::string> words(1);
  for (const char character : lowerCase(name)) {
    if (std::isalnum(static_cast<unsigned char>(character)) != 0) {
      words.back() += character;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool isPublishedName(const std::string& name, const std::vector<std::string>& published) {
  const auto isOneOf = [](const std::string& word, const std::vector<std::string>& patterns) {
    return std::ranges::any_of(patterns,
                               [&](const std::string& one) { return isNamedWord(word, one); });
  };
  const std::vector<std::string> words = wordsOfName(name);
  const auto isPlainNumber = [](const std::string& word) {
    return isNumber(word) || isNamedWord(word, "#x#");
  };
  const auto isKnown = [&](const std::string& word) {
    return isPlainNumber(word) || isShortHash(word) || isOneOf(word, published) ||
           isOneOf(word, wordsOfAnyName);
  };
  return !published.empty() && std::ranges::all_of(words, isKnown) &&
         std::ranges::any_of(words, isPlainNumber) &&
         std::ranges::any_of(words, [&](const auto& word) { return isOneOf(word, published); });
}

/// Returns true for a type of config.json, `cvt`: the library that wrote it computes one attention.
bool isLibraryType(const GivenName& given, const std::vector<std::string>& published) {
  return given.isConfigured &&
         std::ranges::find(published, lowerCase(given.name)) != published.end();
}

/// Returns the name used in descriptions: `soft++` for `SOFT_norm`.
std::string canonicalName(const std::string& asked) {
  const std::string name = lowerCase(asked);
  const Mechanism* mechanism = findMechanism(name);
  return mechanism != nullptr ? std::string(mechanism->name) : name;
}

/// Returns the mechanism that the file's metadata explicitly give for its training.
std::optional<ResolvedMechanism> mechanismInMetadata(const ModelHints& hints) {
  const auto mechanism = hints.metadata.find("mechanism");
  if (mechanism == hints.metadata.end()) return std::nullopt;
  return ResolvedMechanism{canonicalName(mechanism->second), 1,
                           "the file's metadata says " + mechanism->second};
}

std::optional<ResolvedMechanism> mechanismInNames(const MechanismChoice& choice,
                                                  const ModelHints& hints) {
  const std::vector<GivenName> names = givenNames(hints);
  for (const GivenName& given : names) {
    if (contains(given.name, choice.mark)) {
      return ResolvedMechanism{choice.other, given.confidence, given.place + given.name};
    }
  }
  // A model with a published name may still have been trained with the other mechanism by someone
  // else.
  for (const GivenName& given : names) {
    if (isPublishedName(given.name, choice.published) || isLibraryType(given, choice.published)) {
      return ResolvedMechanism{choice.usual, 0.9, given.place + given.name};
    }
  }
  return std::nullopt;
}

std::optional<ResolvedMechanism> mechanismInNames(const MechanismNames& choice,
                                                  const ModelHints& hints) {
  if (!choice.namedBy) return std::nullopt;
  for (const GivenName& given : givenNames(hints)) {
    if (const auto mechanism = choice.namedBy(lowerCase(given.name))) {
      return ResolvedMechanism{*mechanism, given.confidence, given.place + given.name};
    }
  }
  return std::nullopt;
}

/// Throws ModelError unless `mechanism` is among those that the weights of `network` allow.
void requireAllowed(const std::string& network, const std::vector<std::string>& mechanisms,
                    const std::string& mechanism) {
  if (std::find(mechanisms.begin(), mechanisms.end(), mechanism) != mechanisms.end()) return;
  throw ModelError(network + "'s weights allow --attention " + listedWithOr(mechanisms) +
                   ", not \"" + mechanism + "\"");
}

/// Chooses among `mechanisms`; `trained` is the one that was trained, if known.
ResolvedMechanism resolveAmong(const std::string& network,
                               const std::vector<std::string>& mechanisms,
                               const std::optional<ResolvedMechanism>& trained,
                               const ModelHints& hints) {
  const std::string& usual = mechanisms.front();
  ResolvedMechanism decision{usual, 0.5,
                             "nothing says which was trained, so " + usual + " is assumed"};
  if (trained) decision = *trained;
  if (hints.attention) decision = {canonicalName(*hints.attention), 1, "chosen with --attention"};
  if (!hints.attention && std::ranges::find(mechanisms, decision.mechanism) == mechanisms.end()) {
    throw ModelError(decision.reason + ", and of " + network +
                     " with these tensors Softscope computes " + listedWithOr(mechanisms) +
                     ", which --attention puts in place of " + quotedText(decision.mechanism) +
                     "; " + recordingAdvice());
  }
  requireAllowed(network, mechanisms, decision.mechanism);
  decision.counterfactual = trained ? trained->mechanism != decision.mechanism
                                    : mechanismNamed(decision.mechanism).neverTrained;
  return decision;
}

std::vector<std::string> mechanismsOf(const MechanismChoice& choice) {
  std::vector<std::string> mechanisms{choice.usual, choice.other};
  mechanisms.insert(mechanisms.end(), choice.further.begin(), choice.further.end());
  return mechanisms;
}

/// Moves the chosen one to the front.
std::vector<std::string> chosenFirst(std::vector<std::string> mechanisms,
                                     const std::string& chosen) {
  std::stable_partition(mechanisms.begin(), mechanisms.end(),
                        [&](const std::string& name) { return name == chosen; });
  return mechanisms;
}

}  // namespace

ResolvedMechanism resolveMechanism(const MechanismChoice& choice, const ModelHints& hints) {
  auto trained = mechanismInMetadata(hints);
  if (!trained) trained = mechanismInNames(choice, hints);
  if (!trained && choice.usualIsCertain) trained = ResolvedMechanism{choice.usual, 1, {}};
  return resolveAmong(choice.network, mechanismsOf(choice), trained, hints);
}

ResolvedMechanism resolveMechanism(const MechanismNames& names, const ModelHints& hints) {
  auto trained = mechanismInMetadata(hints);
  if (!trained) trained = mechanismInNames(names, hints);
  if (!trained && names.usualIsCertain)
    trained = ResolvedMechanism{names.mechanisms.front(), 1, {}};
  return resolveAmong(names.network, names.mechanisms, trained, hints);
}

void requireOnly(const std::string& network, const std::string& mechanism,
                 const ModelHints& hints) {
  if (hints.attention) requireAllowed(network, {mechanism}, *hints.attention);
}

std::vector<std::string> alternatives(const MechanismChoice& choice, const std::string& chosen) {
  return chosenFirst(mechanismsOf(choice), chosen);
}

std::vector<std::string> alternatives(const MechanismNames& names, const std::string& chosen) {
  return chosenFirst(names.mechanisms, chosen);
}

}  // namespace softscope
