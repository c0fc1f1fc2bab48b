#include "models/MechanismDecision.h"

#include "core/Error.h"
#include "models/ShapeReader.h"

#include <utility>

namespace softscope {

namespace {

/// The name of a model or a file, where it stood, and how far it is to be trusted.
struct GivenName {
  std::string name;
  std::string place;
  double confidence = 1;
};

std::vector<GivenName> givenNames(const ModelHints& hints) {
  std::vector<GivenName> names;
  if (hints.architecture) names.push_back({*hints.architecture, "--arch says "});
  for (const char* key : {"architecture", "arch", "model", "args.model"}) {
    const auto found = hints.metadata.find(key);
    if (found == hints.metadata.end()) continue;
    names.push_back({found->second, "the file's metadata says " + std::string(key) + " = "});
  }
  names.push_back({hints.fileName, "the file is called ", 0.9});
  return names;
}

bool contains(const std::string& text, const std::string& part) {
  return lowerCase(text).find(part) != std::string::npos;
}

/// What the file says about its training: its metadata first, then the names it goes by.
std::optional<MechanismDecision> trainedMechanism(const MechanismChoice& choice,
                                                  const ModelHints& hints) {
  const auto mechanism = hints.metadata.find("mechanism");
  if (mechanism != hints.metadata.end()) {
    return MechanismDecision{lowerCase(mechanism->second), 1,
                             "the file's metadata says " + mechanism->second};
  }
  const std::vector<GivenName> names = givenNames(hints);
  for (const GivenName& given : names) {
    if (contains(given.name, choice.mark)) {
      return MechanismDecision{choice.other, given.confidence, given.place + given.name};
    }
  }
  // A published name is also what somebody else's training of the other mechanism may have.
  for (const GivenName& given : names) {
    if (contains(given.name, choice.published)) {
      return MechanismDecision{choice.usual, 0.9, given.place + given.name};
    }
  }
  return std::nullopt;
}

}  // namespace

MechanismDecision decideMechanism(const MechanismChoice& choice, const ModelHints& hints) {
  const auto trained = trainedMechanism(choice, hints);
  MechanismDecision decision{choice.usual, 0.5,
                             "nothing says which was trained, so " + choice.usual + " is assumed"};
  if (trained) decision = *trained;
  if (hints.attention) decision = {lowerCase(*hints.attention), 1, "chosen with --attention"};
  if (decision.mechanism != choice.usual && decision.mechanism != choice.other) {
    throw ModelError(choice.network + "'s weights allow --attention " + choice.usual + " or " +
                     choice.other + ", not \"" + decision.mechanism + "\"");
  }
  decision.counterfactual = trained && trained->mechanism != decision.mechanism;
  return decision;
}

std::vector<std::string> alternatives(const MechanismChoice& choice, const std::string& chosen) {
  return chosen == choice.usual ? std::vector{choice.usual, choice.other}
                                : std::vector{choice.other, choice.usual};
}

}  // namespace softscope
