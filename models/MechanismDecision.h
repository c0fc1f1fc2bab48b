#pragma once

#include "models/Family.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Two mechanisms that the same parameters allow, and the names that tell which was trained.
struct MechanismChoice {
  std::string network;    ///< for messages: `DeiT`
  std::string usual;      ///< what published files were trained with
  std::string other;      ///< what the same parameters allow beside it
  std::string mark;       ///< in a name, in lower case: trained with `other`
  std::string published;  ///< in a name without the mark, in lower case: trained with `usual`
};

/// The mechanism that a network runs with, and who said so.
struct MechanismDecision {
  std::string mechanism;
  double confidence = 1;
  /// Who decided, to stand in a sentence.
  std::string reason;
  /// The mechanism is not the one that the file says was trained.
  bool counterfactual = false;
};

/// `--attention` decides; then `--arch`, the file's metadata and its name; else the usual mechanism
/// is assumed. Throws ModelError for a mechanism that is neither.
MechanismDecision decideMechanism(const MechanismChoice& choice, const ModelHints& hints);

/// The choice's mechanisms, the chosen one first.
std::vector<std::string> alternatives(const MechanismChoice& choice, const std::string& chosen);

}  // namespace softscope
