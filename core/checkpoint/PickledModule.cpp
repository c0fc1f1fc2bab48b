#include "core/checkpoint/PickledModule.h"

#include "core/array/Malformed.h"
#include "core/checkpoint/PickledTensor.h"

#include <algorithm>
#include <cstddef>

namespace softscope {

namespace {

using Kind = PickleValue::Kind;

/// The object's dictionary, or none.
PickleValue::Entries attributesOf(const PickleValue& value) {
  if (!value.is(Kind::Object) || !value.state || isPickledTensor(value)) return {};
  return mapEntries(*value.state);
}

PickleValue::Entries entriesUnder(const PickleValue::Entries& attributes, std::string_view key) {
  const PickleValue* value = findEntry(attributes, key);
  return value ? mapEntries(*value) : PickleValue::Entries{};
}

bool isTemporary(const PickleValue* names, const std::string& name) {
  if (!names) return false;
  return std::ranges::any_of(names->items, [&](const PickleValue* item) {
    return item->is(Kind::String) && item->text == name;
  });
}

class ModuleWalk {
 public:
  void visit(const PickleValue& module, const std::string& prefix, int depth) {
    constexpr int deepest = 64;
    if (depth > deepest) failInsideItself();
    const PickleValue::Entries attributes = attributesOf(module);
    examine(1 + attributes.size());
    add(entriesUnder(attributes, "_parameters"), prefix, attributes);
    add(entriesUnder(attributes, "_buffers"), prefix, attributes);
    for (const auto& [key, child] : entriesUnder(attributes, "_modules")) {
      if (key->is(Kind::String)) visit(*child, prefix + key->text + ".", depth + 1);
    }
  }

  NamedValues take() { return std::move(entries_); }

 private:
  [[noreturn]] static void failInsideItself() {
    throw Malformed("holds a module inside itself; save its state_dict() instead");
  }

  /// Modules may share what they hold, so that a small file could ask for an endless walk.
  void examine(std::size_t count) {
    constexpr std::size_t mostExamined = 4'000'000;
    examined_ += count;
    if (examined_ > mostExamined) failInsideItself();
  }

  void add(const PickleValue::Entries& tensors, const std::string& prefix,
           const PickleValue::Entries& attributes) {
    const PickleValue* temporary = findEntry(attributes, "_non_persistent_buffers_set");
    for (const auto& [key, value] : tensors) {
      examine(1 + (temporary ? temporary->items.size() : 0));
      const bool isKept = key->is(Kind::String) && isPickledTensor(*value);
      if (isKept && !isTemporary(temporary, key->text)) {
        budget_.spend(prefix.size() + key->text.size());
        entries_.emplace_back(prefix + key->text, value);
      }
    }
  }

  NamedValues entries_;
  NameBudget budget_;
  std::size_t examined_ = 0;
};

}  // namespace

void NameBudget::spend(std::size_t bytes) {
  constexpr std::size_t longestName = 4096;
  constexpr std::size_t mostBytes = std::size_t{16} << 20;
  spent_ += bytes;
  if (bytes > longestName) {
    throw Malformed("has a name of more than 4096 bytes, which no network's tensor has");
  }
  if (spent_ > mostBytes) throw Malformed("has names of more than 16 MB; no network has so many");
}

NamedValues moduleEntries(const PickleValue& value) {
  if (!findEntry(attributesOf(value), "_modules")) return {};
  ModuleWalk walk;
  walk.visit(value, "", 0);
  return walk.take();
}

}  // namespace softscope
