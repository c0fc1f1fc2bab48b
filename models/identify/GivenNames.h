#pragma once

#include "models/identify/Family.h"

#include <string>
#include <string_view>
#include <vector>

namespace softscope {

/// A name that someone gave to a network, where it was found, and how far to trust it.
struct GivenName {
  std::string name;
  std::string place;  ///< text in front of the name: `the file is called `
  double confidence = 1;
  /// True if it is of the configuration of the network, which also says what differs from the
  /// network of that name.
  bool isConfigured = false;
};

/// Returns the names, the most trusted first: `--arch`, the file's metadata, the config.json beside
/// it, and the file's own name without its folder.
std::vector<GivenName> givenNames(const ModelHints& hints);

/// A network's name in timm's form, and its tag, which says how it was trained:
/// `vit_tiny_patch16_224` and `augreg_in21k_ft_in1k`.
struct TimmName {
  std::string architecture;
  std::string tag;  ///< empty if there is none
};

/// Splits the name of a network or a file, in lower case: the part before the first dot, and the
/// part between that and a file's ending.
TimmName timmNameIn(const std::string& name);

/// Returns true for the beginning of a file's hash in lower case, `a1311bcf`, which authors put
/// behind the names of their files.
bool isShortHash(std::string_view word);

}  // namespace softscope
