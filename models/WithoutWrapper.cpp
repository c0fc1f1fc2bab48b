#include "models/WithoutWrapper.h"

#include "core/checkpoint/NamePrefix.h"
#include "core/text/Words.h"
#include "models/identify/Families.h"
#include "models/identify/ParameterNames.h"
#include "models/structure/TensorUnits.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace softscope {

namespace {

/// Returns true for a name below a loss of a training: `criterion.weight`, `center_loss.centers`.
bool isOfLoss(const std::string& name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return false;
  const std::string module = lowerCase(name.substr(0, dot));
  return module.starts_with("criterion") || module == "loss" || module.starts_with("loss_") ||
         module.ends_with("loss") || module.ends_with("losses");
}

/// Leaves out the numbers of losses, such as the weights of classes, which Lightning stores beside
/// the network.
Checkpoint withoutLosses(Checkpoint checkpoint) {
  const auto& entries = checkpoint.state.entries();
  const auto ofLosses = std::ranges::count_if(
      entries, [](const StateDict::Entry& entry) { return isOfLoss(entry.name); });
  if (ofLosses == 0 || 2 * ofLosses > std::ssize(entries)) return checkpoint;
  StateDict state;
  for (const StateDict::Entry& entry : entries) {
    if (isOfLoss(entry.name)) {
      checkpoint.beside.push_back(checkpoint.prefix + entry.name);
    } else {
      state.insert(entry.name, entry.tensor);
    }
  }
  checkpoint.state = std::move(state);
  return checkpoint;
}

/// Removes the path that all names are below, which says nothing of a network that is read by
/// structure.
Checkpoint withoutSharedPath(Checkpoint checkpoint) {
  if (!isReadableByStructure(checkpoint.state) || checkpoint.state.empty()) return checkpoint;
  std::vector<std::string> names;
  for (const StateDict::Entry& entry : checkpoint.state.entries()) names.push_back(entry.name);
  const std::string path = commonPath(names);
  if (path.empty() || !structureReader().recognises(checkpoint.state)) return checkpoint;
  takePrefixOff(path + ".", checkpoint);
  return withoutLosses(std::move(checkpoint));
}

}  // namespace

Checkpoint withoutWrapper(Checkpoint checkpoint) {
  checkpoint = withoutLosses(std::move(checkpoint));
  checkpoint.state = withPlainHead(checkpoint.state);
  if (isOfAnyFamily(checkpoint.state)) return checkpoint;
  std::vector<std::string_view> names;
  for (const StateDict::Entry& entry : checkpoint.state.entries()) names.push_back(entry.name);
  for (const std::string& prefix : possiblePrefixes(names)) {
    Checkpoint unwrapped = checkpoint;
    takePrefixOff(prefix, unwrapped);
    if (!isOfAnyFamily(unwrapped.state)) continue;
    unwrapped.state = withPlainHead(unwrapped.state);
    return unwrapped;
  }
  return withoutSharedPath(std::move(checkpoint));
}

}  // namespace softscope
