#include "core/checkpoint/PickledModule.h"

#include "core/checkpoint/PickledTensor.h"
#include "core/files/Malformed.h"
#include "core/files/WorkBudget.h"

#include <cstddef>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace softscope {

namespace {

using Kind = PickleValue::Kind;

const PickleValue::Entries noEntries;

/// Returns the object's dictionary, or an empty one.
const PickleValue::Entries& attributesOf(const PickleValue& value) {
  if (!value.is(Kind::Object) || !value.state || isPickledTensor(value)) return noEntries;
  return value.state->entries;
}

/// Returns the items of a set: protocols below 4 write it as a call of its class with a list.
const std::vector<const PickleValue*>& itemsOfSet(const PickleValue& set) {
  const bool isCall =
      set.is(Kind::Object) && set.callable && set.arguments && !set.arguments->items.empty() &&
      (set.callable->isGlobal("__builtin__.set") || set.callable->isGlobal("builtins.set") ||
       set.callable->isGlobal("__builtin__.frozenset") ||
       set.callable->isGlobal("builtins.frozenset"));
  return isCall ? set.arguments->items.front()->items : set.items;
}

class ModuleWalk {
 public:
  explicit ModuleWalk(WorkBudget& work) : work_(work) {}

  void visit(const PickleValue& module, const std::string& prefix, int depth) {
    constexpr int deepest = 64;
    if (depth > deepest) {
      throw Malformed("holds a module inside itself; save its state_dict() instead");
    }
    work_.visit(1);
    const PickleValue::Entries& attributes = attributesOf(module);
    const Temporary temporary = temporaryNames(attributes);
    add(entriesUnder(attributes, "_parameters"), prefix, temporary);
    add(entriesUnder(attributes, "_buffers"), prefix, temporary);
    for (const auto& [key, child] : entriesUnder(attributes, "_modules")) {
      work_.visit(1);
      if (!key->is(Kind::String)) continue;
      NameBudget().spend(prefix.size() + key->text.size() + 1);
      work_.touch(prefix.size() + key->text.size());
      visit(*child, prefix + key->text + ".", depth + 1);
    }
  }

  NamedValues take() { return std::move(entries_); }
  std::set<std::string> takeTemporaries() { return std::move(temporaries_); }

 private:
  /// Names of the buffers that state_dict() leaves out.
  using Temporary = std::unordered_set<std::string_view>;

  const PickleValue::Entries& entriesUnder(const PickleValue::Entries& attributes,
                                           std::string_view key) {
    const PickleValue* value = findEntry(attributes, key, work_);
    return value ? value->entries : noEntries;
  }

  Temporary temporaryNames(const PickleValue::Entries& attributes) {
    const PickleValue* names = findEntry(attributes, "_non_persistent_buffers_set", work_);
    Temporary temporary;
    if (!names) return temporary;
    // (A node of the set costs several times as much as a visit.)
    const std::vector<const PickleValue*>& items = itemsOfSet(*names);
    work_.visit(4 * items.size());
    for (const PickleValue* name : items) {
      if (!name->is(Kind::String)) continue;
      work_.touch(name->text.size());
      temporary.insert(name->text);
    }
    return temporary;
  }

  void add(const PickleValue::Entries& tensors, const std::string& prefix,
           const Temporary& temporary) {
    work_.visit(tensors.size());
    for (const auto& [key, value] : tensors) {
      if (!key->is(Kind::String) || !isPickledTensor(*value)) continue;
      names_.spend(prefix.size() + key->text.size());
      work_.touch(prefix.size() + key->text.size());
      entries_.emplace_back(prefix + key->text, value);
      if (temporary.contains(key->text)) temporaries_.insert(entries_.back().first);
    }
  }

  WorkBudget& work_;
  NamedValues entries_;
  std::set<std::string> temporaries_;
  NameBudget names_;
};

}  // namespace

const PickleValue* findEntry(const PickleValue::Entries& entries, std::string_view key,
                             WorkBudget& work) {
  work.visit(1 + entries.size());
  return findEntry(entries, key);
}

void NameBudget::spend(std::size_t bytes) {
  constexpr std::size_t longestName = 4096;
  constexpr std::size_t mostBytes = std::size_t{4} << 20;
  spent_ += bytes;
  if (bytes > longestName) {
    throw Malformed("has a name of more than 4096 bytes, which no network's tensor has");
  }
  if (spent_ > mostBytes) throw Malformed("has names of more than 4 MB; no network has so many");
}

NamedValues moduleEntries(const PickleValue& value, WorkBudget& work) {
  if (!findEntry(attributesOf(value), "_modules", work)) return {};
  ModuleWalk walk(work);
  walk.visit(value, "", 0);
  return walk.take();
}

const PickleValue* valueOfWeights(const PickleValue& root, const std::string& weightsKey,
                                  WorkBudget& work) {
  return weightsKey.empty() ? &root : findEntry(root.entries, weightsKey, work);
}

std::set<std::string> temporaryBuffers(const PickleValue& value, WorkBudget& work) {
  if (!findEntry(attributesOf(value), "_modules", work)) return {};
  ModuleWalk walk(work);
  walk.visit(value, "", 0);
  return walk.takeTemporaries();
}

}  // namespace softscope
