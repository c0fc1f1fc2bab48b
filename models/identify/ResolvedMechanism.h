#pragma once

#include "models/identify/Family.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Two mechanisms that the same parameters allow, the names that tell which was trained, and
/// further mechanisms that names do not tell.
struct MechanismChoice {
  std::string network;               ///< for messages: `DeiT`
  std::string usual;                 ///< what published files were trained with
  std::string other;                 ///< what the same parameters allow beside it
  std::vector<std::string> further;  ///< what they allow as well, and nobody has published
  std::string mark;                  ///< in a name, in lower case: trained with `other`
  /// In a name without the mark, in lower case, any of them: trained with `usual`.
  std::vector<std::string> published;
  /// Weights that say nothing else were trained with the usual one.
  bool usualIsCertain = false;
};

/// Mechanisms that the same parameters allow, where they are more than two.
struct MechanismNames {
  std::string network;                  ///< for messages
  std::vector<std::string> mechanisms;  ///< the usual one first
  /// The one that was trained, told by a model's or a file's name in lower case; nothing if none.
  /// Null where names tell nothing.
  std::function<std::optional<std::string>(const std::string&)> namedBy;
  /// Weights that say nothing else were trained with the usual one.
  bool usualIsCertain = false;
};

/// The mechanism that a network runs with, and who said so.
struct ResolvedMechanism {
  std::string mechanism;
  double confidence = 1;
  /// Who decided, to stand in a sentence.
  std::string reason;
  /// The mechanism is not the one that the file says was trained.
  bool counterfactual = false;
};

/// `--attention` decides; then what the file's metadata says of its training; then names: that of
/// `--arch`, those in the metadata, and the file's; else the usual mechanism is assumed. Throws
/// ModelError for a mechanism that is not among them.
ResolvedMechanism resolveMechanism(const MechanismChoice& choice, const ModelHints& hints);
ResolvedMechanism resolveMechanism(const MechanismNames& names, const ModelHints& hints);

/// Throws ModelError unless `mechanism` is among those that the weights of `network` allow.
void requireAllowed(const std::string& network, const std::vector<std::string>& mechanisms,
                    const std::string& mechanism);

/// The choice's mechanisms, the chosen one first.
std::vector<std::string> alternatives(const MechanismChoice& choice, const std::string& chosen);
std::vector<std::string> alternatives(const MechanismNames& names, const std::string& chosen);

}  // namespace softscope
