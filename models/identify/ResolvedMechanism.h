#pragma once

#include "models/identify/Family.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Two mechanisms that the same parameters allow, the names that reveal which was trained, and
/// further mechanisms that names do not reveal.
struct MechanismChoice {
  std::string network;               ///< for messages: `DeiT`
  std::string usual;                 ///< the mechanism that published files were trained with
  std::string other;                 ///< the other mechanism that the same parameters allow
  std::vector<std::string> further;  ///< unpublished mechanisms that they also allow
  std::string mark;  ///< part of a name, in lower case, that means `other` was trained
  /// Words of published names, in lower case, with `#` for a number: `patch#`. A name of these,
  /// numbers, and words about the training alone means that `usual` was trained if it has one of
  /// these and a number. Any other word may be that of another mechanism.
  std::vector<std::string> published;
  /// True if weights without other indications were trained with the usual mechanism.
  bool usualIsCertain = false;
};

/// The mechanisms that the same parameters allow, if there are more than two.
struct MechanismNames {
  std::string network;                  ///< for messages
  std::vector<std::string> mechanisms;  ///< the usual one first
  /// Returns the mechanism that was trained according to the name of a model or file, in lower
  /// case; nothing if the name does not tell. Null if names never do.
  std::function<std::optional<std::string>(const std::string&)> namedBy;
  /// True if weights without other indications were trained with the usual mechanism.
  bool usualIsCertain = false;
};

/// The mechanism that a network runs with, and how it was determined.
struct ResolvedMechanism {
  std::string mechanism;
  double confidence = 1;
  /// The evidence that decided, as part of a sentence.
  std::string reason;
  /// True if the mechanism is not the one that the file says was trained.
  bool counterfactual = false;
};

/// Determines the mechanism: from `--attention`; then from what the file's metadata say about its
/// training; then from names, those of `--arch`, of the metadata and of the file; otherwise the
/// usual mechanism is assumed. Throws ModelError for a mechanism that is not among the choices.
ResolvedMechanism resolveMechanism(const MechanismChoice& choice, const ModelHints& hints);
ResolvedMechanism resolveMechanism(const MechanismNames& names, const ModelHints& hints);

/// Throws ModelError if the user chose another mechanism than the only one that the weights of
/// `network` allow.
void requireOnly(const std::string& network, const std::string& mechanism, const ModelHints& hints);

/// Returns the mechanisms of the choice, the chosen one first.
std::vector<std::string> alternatives(const MechanismChoice& choice, const std::string& chosen);
std::vector<std::string> alternatives(const MechanismNames& names, const std::string& chosen);

}  // namespace softscope
