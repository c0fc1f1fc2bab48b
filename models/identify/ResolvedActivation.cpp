#include "models/identify/ResolvedActivation.h"

#include "core/Error.h"
#include "models/identify/ShapeReader.h"

#include <optional>

namespace softscope {

namespace {

/// Whether a name is that of ReLU; nothing for a name that is not known.
std::optional<bool> namesRelu(const std::string& name) {
  const std::string known = lowerCase(name);
  if (known == "relu") return true;
  if (known == "gelu") return false;
  return std::nullopt;
}

}  // namespace

ResolvedActivation resolveActivation(const ModelHints& hints, bool geluIsCertain) {
  std::optional<bool> trained;
  const auto told = hints.metadata.find("activation");
  if (told != hints.metadata.end()) trained = namesRelu(told->second);
  if (!trained && geluIsCertain) trained = false;
  if (!hints.activation) return {.relu = trained.value_or(false)};
  const auto asked = namesRelu(*hints.activation);
  if (!asked) throw ModelError("--activation is gelu or relu, not \"" + *hints.activation + "\"");
  return {.relu = *asked, .counterfactual = trained && *trained != *asked};
}

}  // namespace softscope
