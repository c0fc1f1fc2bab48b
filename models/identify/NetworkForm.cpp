#include "models/identify/NetworkForm.h"

#include "core/Error.h"
#include "core/text/FileText.h"
#include "models/identify/OtherNetworks.h"
#include "models/identify/ShapeReader.h"

#include <algorithm>
#include <cctype>

namespace softscope {

namespace {

bool isNumbered(std::string_view text, std::string_view prefix) {
  return startsWith(text, prefix) && text.size() > prefix.size() &&
         std::isdigit(static_cast<unsigned char>(text[prefix.size()])) != 0;
}

/// Returns the kind of transformer that a block's parameter belongs to, by the beginning of its
/// name: `DeiT` (`blocks.0.`), `PVT` (`block1.0.`), `Swin` (`layers.0.`) or `CSwin` (`stage1.0.`);
/// empty for other names.
std::string networkForm(std::string_view parameter) {
  if (isNumbered(parameter, "blocks.")) return "DeiT";
  if (isNumbered(parameter, "block")) return "PVT";
  if (isNumbered(parameter, "layers.")) return "Swin";
  if (isNumbered(parameter, "stage")) return "CSwin";
  return {};
}

}  // namespace

std::optional<std::string> parameterOfBlocks(const StateDict& state,
                                             std::initializer_list<std::string_view> endings,
                                             int dimensions) {
  const auto& entries = state.entries();
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const auto& entry) {
    const std::string_view name = entry.name;
    return entry.tensor.dim() == dimensions && !networkForm(name).empty() &&
           std::any_of(endings.begin(), endings.end(),
                       [&](std::string_view ending) { return name.ends_with(ending); });
  });
  if (found == entries.end()) return std::nullopt;
  return found->name;
}

void requireNetworkForm(const std::string& attention, const std::string& opened,
                        const std::string& parameter) {
  const std::string form = networkForm(parameter);
  if (form == opened) return;
  throw ModelError("this is " + attention + "-" + form + ", by " + quotedText(parameter) +
                   ", which differs from " + attention + "-" + opened +
                   " in more than names; of the two, Softscope opens " + attention + "-" + opened +
                   "; " + recordingAdvice());
}

}  // namespace softscope
