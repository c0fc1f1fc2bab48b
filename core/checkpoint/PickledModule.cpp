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

bool isTemporary(const PickleValue::Entries& attributes, const std::string& name) {
  const PickleValue* names = findEntry(attributes, "_non_persistent_buffers_set");
  if (!names) return false;
  return std::ranges::any_of(names->items, [&](const PickleValue* item) {
    return item->is(Kind::String) && item->text == name;
  });
}

class ModuleWalk {
 public:
  void visit(const PickleValue& module, const std::string& prefix, int depth) {
    constexpr int deepest = 64;
    constexpr std::size_t mostModules = 1'000'000;
    if (depth > deepest || ++modules_ > mostModules) {
      throw Malformed("holds a module inside itself; save its state_dict() instead");
    }
    const PickleValue::Entries attributes = attributesOf(module);
    add(entriesUnder(attributes, "_parameters"), prefix, attributes);
    add(entriesUnder(attributes, "_buffers"), prefix, attributes);
    for (const auto& [key, child] : entriesUnder(attributes, "_modules")) {
      if (key->is(Kind::String)) visit(*child, prefix + key->text + ".", depth + 1);
    }
  }

  NamedValues take() { return std::move(entries_); }

 private:
  void add(const PickleValue::Entries& tensors, const std::string& prefix,
           const PickleValue::Entries& attributes) {
    for (const auto& [key, value] : tensors) {
      const bool isKept = key->is(Kind::String) && isPickledTensor(*value);
      if (isKept && !isTemporary(attributes, key->text)) {
        entries_.emplace_back(prefix + key->text, value);
      }
    }
  }

  NamedValues entries_;
  std::size_t modules_ = 0;
};

}  // namespace

NamedValues moduleEntries(const PickleValue& value) {
  if (!findEntry(attributesOf(value), "_modules")) return {};
  ModuleWalk walk;
  walk.visit(value, "", 0);
  return walk.take();
}

}  // namespace softscope
