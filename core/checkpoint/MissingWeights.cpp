#include "core/checkpoint/MissingWeights.h"

#include "core/checkpoint/PickledOtherValues.h"
#include "core/checkpoint/PickledTensor.h"
#include "core/files/Malformed.h"
#include "core/files/WorkBudget.h"
#include "core/text/FileText.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace softscope {

namespace {

using Kind = PickleValue::Kind;

/// Returns the class of an object that is neither a tensor nor a map; otherwise empty.
std::string opaqueClass(const PickleValue& value) {
  if (!value.is(Kind::Object) || isPickledTensor(value) || !value.entries.empty()) return {};
  const PickleValue* type = value.callable;
  // Older pickles spell out the creation of an object, with its class as the first argument.
  const bool spelledOut = type->isGlobal("copyreg._reconstructor") ||
                          type->isGlobal("copy_reg._reconstructor") ||
                          type->isGlobal("copyreg.__newobj__");
  if (spelledOut && value.arguments && !value.arguments->items.empty()) {
    type = value.arguments->items.front();
  }
  if (type->is(Kind::Global)) return type->text;
  // Older files store a model's class, with its source code, under a persistent identifier.
  const bool isClass = type->is(Kind::PersistentId) && type->arguments->items.size() >= 2 &&
                       type->arguments->items[1]->is(Kind::Global);
  return isClass ? type->arguments->items[1]->text : "unknown";
}

std::string listKeys(const PickleValue::Entries& top) {
  constexpr std::size_t mostKeys = 6;
  std::string list;
  std::size_t listed = 0;
  for (const auto& [key, value] : top) {
    if (!key->is(Kind::String)) continue;
    if (++listed > mostKeys) return list + ", ...";
    list += (list.empty() ? "" : ", ") + quotedText(key->text);
  }
  return list;
}

/// Throws if a map has the values of a state dict, but NumPy's arrays instead of tensors, or names
/// that are not text.
void refuseOtherStateDict(const PickleValue::Entries& entries, WorkBudget& work) {
  work.visit(1 + 2 * entries.size());
  const auto countWhere = [&](const auto& fits) {
    return static_cast<std::size_t>(std::ranges::count_if(entries, fits));
  };
  const std::size_t arrays =
      countWhere([](const auto& entry) { return isNumpyArray(*entry.second); });
  if (2 * arrays > entries.size()) {
    throw Malformed(
        "holds NumPy arrays, not tensors; save {name: torch.from_numpy(array)} of them instead");
  }
  const std::size_t unnamed = countWhere([](const auto& entry) {
    return !entry.first->is(Kind::String) && isPickledTensor(*entry.second);
  });
  if (2 * unnamed > entries.size()) {
    throw Malformed(
        "names its tensors by what is not text; save them under texts, which name.decode() makes "
        "of bytes");
  }
}

/// Returns true if every dictionary of a file is the state of an optimizer or of its schedule.
bool holdsOnlyTraining(const PickleValue::Entries& top) {
  bool hasAny = false;
  for (const auto& [key, value] : top) {
    if (value->entries.empty() && value->items.empty() && !value->is(Kind::Object)) continue;
    if (!key->is(Kind::String) || !isOfTraining(key->text)) return false;
    hasAny = true;
  }
  return hasAny;
}

}  // namespace

bool isOfTraining(std::string_view key) {
  const auto begins = [&](std::string_view word) { return key.starts_with(word); };
  return key == "state" || key == "param_groups" || begins("optim") || begins("sched") ||
         begins("lr_sched") || begins("scaler");
}

void failWithoutWeights(const PickleValue& root, WorkBudget& work) {
  const PickleValue::Entries& top = root.entries;
  const auto refusePickledModel = [](const PickleValue& value) {
    const std::string name = opaqueClass(value);
    if (name.empty() || name == "argparse.Namespace") return;
    throw Malformed("holds a pickled object of class " + quotedText(name) +
                    ", whose code is not run; save its state_dict() instead");
  };
  if (isPickledTensor(root)) throw Malformed("holds a single tensor, not named weights");
  refusePickledModel(root);
  for (const std::string_view key : publishedKeys) {
    if (const PickleValue* value = findEntry(top, key)) refusePickledModel(*value);
  }
  if (top.empty()) throw Malformed("holds no named weights");
  if (holdsOnlyTraining(top)) {
    throw Malformed(
        "holds the state of an optimizer and no weights; give the file that the model's "
        "state_dict() was saved in");
  }
  refuseOtherStateDict(top, work);
  for (const auto& [key, value] : top) refuseOtherStateDict(value->entries, work);
  const std::string keys = listKeys(top);
  throw Malformed("holds no weights that can be told apart" +
                  (keys.empty() ? std::string()
                                : ": its keys are " + keys +
                                      "; save the state_dict() of one network by itself"));
}

}  // namespace softscope
