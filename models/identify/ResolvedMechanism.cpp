#include "models/identify/ResolvedMechanism.h"

#include "core/Error.h"
#include "core/attention/Mechanism.h"
#include "core/text/Words.h"
#include "models/identify/GivenNames.h"

#include <algorithm>

namespace softscope {

namespace {

bool contains(const std::string& text, const std::string& part) {
  return lowerCase(text).find(part) != std::string::npos;
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
    const bool isPublished = std::ranges::any_of(
        choice.published, [&](const std::string& part) { return contains(given.name, part); });
    if (isPublished) return ResolvedMechanism{choice.usual, 0.9, given.place + given.name};
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

void requireAllowed(const std::string& network, const std::vector<std::string>& mechanisms,
                    const std::string& mechanism) {
  if (std::find(mechanisms.begin(), mechanisms.end(), mechanism) != mechanisms.end()) return;
  throw ModelError(network + "'s weights allow --attention " + listedWithOr(mechanisms) +
                   ", not \"" + mechanism + "\"");
}

std::vector<std::string> alternatives(const MechanismChoice& choice, const std::string& chosen) {
  return chosenFirst(mechanismsOf(choice), chosen);
}

std::vector<std::string> alternatives(const MechanismNames& names, const std::string& chosen) {
  return chosenFirst(names.mechanisms, chosen);
}

}  // namespace softscope
