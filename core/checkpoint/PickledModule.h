#pragma once

#include "core/checkpoint/PickleValue.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace softscope {

/// A state dict's names and the values under them.
using NamedValues = std::vector<std::pair<std::string, const PickleValue*>>;

class WorkBudget;

/// What the names of a file's tensors may come to, since a file may use one name any number of
/// times.
class NameBudget {
 public:
  /// Throws Malformed where a name, or all of them, are longer than any network's.
  void spend(std::size_t bytes);

 private:
  std::size_t spent_ = 0;
};

/// The parameters and buffers of a pickled torch.nn.Module under the names that state_dict() would
/// give them; empty where the value is none. Nothing of the module's class is needed for it: they
/// lie in the object's dictionary. Throws Malformed for modules that hold themselves.
NamedValues moduleEntries(const PickleValue& value, WorkBudget& work);

/// findEntry(), paid for.
const PickleValue* findEntry(const PickleValue::Entries& entries, std::string_view key,
                             WorkBudget& work);

}  // namespace softscope
