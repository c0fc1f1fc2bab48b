#include "core/checkpoint/PickledRoot.h"

#include "core/checkpoint/PickledModule.h"
#include "core/checkpoint/PickledTensor.h"
#include "core/files/Malformed.h"
#include "core/files/WorkBudget.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace softscope {

namespace {

using Kind = PickleValue::Kind;

bool isSequence(const PickleValue& value) {
  return value.is(Kind::List) || value.is(Kind::Tuple);
}

bool mapsNamesToTensors(const PickleValue& value, WorkBudget& work) {
  work.visit(1 + value.entries.size());
  return std::ranges::any_of(value.entries, [](const auto& entry) {
    return entry.first->is(Kind::String) && isPickledTensor(*entry.second);
  });
}

/// Returns true for a state dict or a module, and for a map with one under a key.
bool holdsNamedTensors(const PickleValue& value, WorkBudget& work) {
  if (isPickledTensor(value)) return false;
  if (mapsNamesToTensors(value, work) || !moduleEntries(value, work).empty()) return true;
  return std::ranges::any_of(value.entries, [&](const auto& entry) {
    return entry.first->is(Kind::String) && mapsNamesToTensors(*entry.second, work);
  });
}

bool isNamedPair(const PickleValue& value) {
  return isSequence(value) && value.items.size() == 2 && value.items[0]->is(Kind::String) &&
         isPickledTensor(*value.items[1]);
}

}  // namespace

const PickleValue& rootOfWeights(const PickleValue& value, WorkBudget& work) {
  // Nobody saves the weights among so many things.
  constexpr std::size_t mostItems = 64;
  if (!isSequence(value)) return value;
  const std::vector<const PickleValue*>& items = value.items;
  work.visit(items.size());
  const auto holds = [&](const auto& fits) { return std::ranges::any_of(items, fits); };
  if (holds([](const PickleValue* item) { return isNamedPair(*item); })) {
    throw Malformed(
        "holds a list of pairs of a name and a tensor; save the dict() of it, or the state_dict() "
        "of the network");
  }
  const PickleValue* found = nullptr;
  for (const PickleValue* item : items) {
    if (items.size() > mostItems || !holdsNamedTensors(*item, work)) continue;
    if (found) {
      throw Malformed(
          "holds a list of several networks' weights; save the state_dict() of one by itself");
    }
    found = item;
  }
  if (!found && holds([](const PickleValue* item) { return isPickledTensor(*item); })) {
    throw Malformed("holds a list of tensors without names; save the state_dict() of the network");
  }
  return found ? *found : value;
}

}  // namespace softscope
