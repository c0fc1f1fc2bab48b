#include "models/WithoutWrapper.h"

#include "core/Error.h"
#include "core/checkpoint/NamePrefix.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"
#include "models/identify/Adapters.h"
#include "models/identify/Families.h"
#include "models/identify/ParameterNames.h"
#include "models/identify/Quantisation.h"
#include "models/identify/Reparametrisation.h"
#include "models/structure/TensorUnits.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
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

/// Moves what `isBeside` tells out of the network to what stands beside it.
template <typename IsBeside>
Checkpoint without(const IsBeside& isBeside, Checkpoint checkpoint) {
  StateDict state;
  for (const StateDict::Entry& entry : checkpoint.state.entries()) {
    if (isBeside(entry.name)) {
      checkpoint.beside.push_back(checkpoint.prefix + entry.name);
    } else {
      state.insert(entry.name, entry.tensor);
    }
  }
  checkpoint.state = std::move(state);
  return checkpoint;
}

/// Leaves out the numbers of losses, such as the weights of classes, which Lightning stores beside
/// the network.
Checkpoint withoutLosses(Checkpoint checkpoint) {
  const auto& entries = checkpoint.state.entries();
  const auto ofLosses = std::ranges::count_if(
      entries, [](const StateDict::Entry& entry) { return isOfLoss(entry.name); });
  if (ofLosses == 0 || 2 * ofLosses > std::ssize(entries)) return checkpoint;
  return without(isOfLoss, std::move(checkpoint));
}

/// Leaves out what observers noted, which compute nothing.
Checkpoint withoutObservers(Checkpoint checkpoint) {
  const std::vector<std::string> names = observersIn(checkpoint.state);
  if (names.empty()) return checkpoint;
  const std::set<std::string> observers(names.begin(), names.end());
  return without([&](const std::string& name) { return observers.contains(name); },
                 std::move(checkpoint));
}

/// Moves the head of OpenMMLab's vision transformers below the backbone that it follows, and takes
/// the backbone's prefix off.
Checkpoint withHeadOfOpenMmlab(Checkpoint checkpoint) {
  constexpr std::string_view head = "head.layers.";
  const std::string backbone = "backbone.";
  std::vector<std::string_view> names;
  for (const StateDict::Entry& entry : checkpoint.state.entries()) names.push_back(entry.name);
  if (!haveHeadOfOpenMmlab(names)) return checkpoint;
  StateDict moved;
  for (const StateDict::Entry& entry : checkpoint.state.entries()) {
    moved.insert(entry.name.starts_with(head) ? backbone + entry.name : entry.name, entry.tensor);
  }
  checkpoint.state = std::move(moved);
  takePrefixOff(backbone, checkpoint);
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

/// Returns the names below a prefix, each with the shape of its tensor.
std::map<std::string_view, at::IntArrayRef> shapesBelow(const StateDict& state,
                                                        const std::string& prefix) {
  std::map<std::string_view, at::IntArrayRef> shapes;
  for (const StateDict::Entry& entry : state.entries()) {
    if (!entry.name.starts_with(prefix)) continue;
    shapes.emplace(std::string_view(entry.name).substr(prefix.size()), entry.tensor.sizes());
  }
  return shapes;
}

/// Returns true if two prefixes have networks of one kind below them, each with a patch embedding:
/// most names of the smaller one are those of the larger. A decoder has none, and is no network of
/// its own.
bool areSiblings(const StateDict& state, const std::string& one, const std::string& other) {
  const auto first = shapesBelow(state, one);
  const auto second = shapesBelow(state, other);
  constexpr std::size_t ofConvolution = 4;
  std::size_t twins = 0;
  bool haveConvolution = false;
  for (const auto& [name, shape] : first) {
    const auto twin = second.find(name);
    if (twin == second.end()) continue;
    ++twins;
    haveConvolution =
        haveConvolution || (shape.size() == ofConvolution && twin->second.size() == ofConvolution);
  }
  return haveConvolution && 2 * twins > std::min(first.size(), second.size());
}

/// Throws ModelError if networks like the one below `prefix` stand beside it, and nothing says
/// which of them is meant.
void refuseSiblings(const Checkpoint& checkpoint, const std::string& prefix,
                    const std::vector<std::string>& others) {
  std::vector<std::string> siblings{quotedText(checkpoint.prefix + prefix)};
  for (const std::string& other : others) {
    const bool isApart = !other.starts_with(prefix) && !prefix.starts_with(other);
    if (!isApart || !areSiblings(checkpoint.state, prefix, other)) continue;
    // A prefix that lies within one already listed names the same network.
    const auto isInside = [&](const std::string& known) {
      const std::string path = checkpoint.prefix + other;
      return quotedText(path).starts_with(known.substr(0, known.size() - 1));
    };
    if (std::ranges::any_of(siblings, isInside)) continue;
    Checkpoint unwrapped = checkpoint;
    takePrefixOff(other, unwrapped);
    if (isOfAnyFamily(unwrapped.state)) siblings.push_back(quotedText(checkpoint.prefix + other));
  }
  if (siblings.size() == 1) return;
  std::ranges::sort(siblings);
  throw ModelError(
      checkpoint.path + ": holds " + std::to_string(siblings.size()) +
      " networks of one kind, below " + listText(siblings) +
      ", and nothing says which is meant; save the state_dict() of the one to look at");
}

}  // namespace

Checkpoint withoutWrapper(Checkpoint checkpoint) {
  checkpoint.state = withComputedWeights(withoutWrappersWords(checkpoint.state));
  checkpoint = withoutObservers(withoutLosses(std::move(checkpoint)));
  checkpoint = withHeadOfOpenMmlab(std::move(checkpoint));
  checkpoint.state = withPlainHead(checkpoint.state);
  if (isOfAnyFamily(checkpoint.state)) return checkpoint;
  std::vector<std::string_view> names;
  for (const StateDict::Entry& entry : checkpoint.state.entries()) names.push_back(entry.name);
  const std::vector<std::string> prefixes = possiblePrefixes(names);
  for (const std::string& prefix : prefixes) {
    Checkpoint unwrapped = checkpoint;
    takePrefixOff(prefix, unwrapped);
    if (!isOfAnyFamily(unwrapped.state)) continue;
    refuseSiblings(checkpoint, prefix, prefixes);
    unwrapped.state = withPlainHead(unwrapped.state);
    return unwrapped;
  }
  return withoutSharedPath(std::move(checkpoint));
}

}  // namespace softscope
