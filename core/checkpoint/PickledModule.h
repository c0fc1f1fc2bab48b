#pragma once

#include "core/checkpoint/PickleValue.h"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace softscope {

/// The names of a state dict with their values.
using NamedValues = std::vector<std::pair<std::string, const PickleValue*>>;

class WorkBudget;

/// Bounds the total length of the names of a file's tensors, because a file may use one name any
/// number of times.
class NameBudget {
 public:
  /// Throws Malformed if a name, or all of them together, are longer than any network's.
  void spend(std::size_t bytes);

 private:
  std::size_t spent_ = 0;
};

/// Returns the parameters and buffers of a pickled torch.nn.Module under the names that
/// state_dict() gives to those that it holds; empty if the value is not a module. The module's
/// class is not needed, because they lie in the object's dictionary. Throws Malformed if a module
/// contains itself.
NamedValues moduleEntries(const PickleValue& value, WorkBudget& work);

/// Returns what a file has under the key of its weights, or the root if that is empty; null for a
/// key within a key.
const PickleValue* valueOfWeights(const PickleValue& root, const std::string& weightsKey,
                                  WorkBudget& work);

/// Returns the names of those buffers that state_dict() leaves out.
std::set<std::string> temporaryBuffers(const PickleValue& value, WorkBudget& work);

/// Calls findEntry() and charges its work to `work`.
const PickleValue* findEntry(const PickleValue::Entries& entries, std::string_view key,
                             WorkBudget& work);

}  // namespace softscope
