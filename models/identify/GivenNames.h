#pragma once

#include "models/identify/Family.h"

#include <string>
#include <vector>

namespace softscope {

/// What somebody called a network, where that stands, and how far it is to be trusted.
struct GivenName {
  std::string name;
  std::string place;  ///< to stand before the name: `the file is called `
  double confidence = 1;
};

/// The strongest first: `--arch`, the file's metadata, the config.json beside it, and the file's
/// own name without its folder.
std::vector<GivenName> givenNames(const ModelHints& hints);

/// A network's name as timm has them, and its tag, which says how it was trained:
/// `vit_tiny_patch16_224` and `augreg_in21k_ft_in1k`.
struct TimmName {
  std::string architecture;
  std::string tag;  ///< empty where there is none
};

/// Takes a name or a file's apart, in lower case: what stands before the first dot, and between
/// that and an ending of files.
TimmName timmNameIn(const std::string& name);

}  // namespace softscope
