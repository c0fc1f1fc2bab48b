#include "core/checkpoint/PickleValue.h"

#include "core/array/Malformed.h"

namespace softscope {

PickleValue* PickleTree::create(PickleValue::Kind kind) {
  // A value takes a hundred bytes and may cost the file one: without a limit a small file could
  // fill the memory.
  constexpr std::size_t mostValues = 4'000'000;
  if (values_.size() >= mostValues) {
    throw Malformed(
        "holds more than 4 million values beside its tensors; save only the state_dict");
  }
  PickleValue& value = values_.emplace_back();
  value.kind = kind;
  if (kind == PickleValue::Kind::PersistentId) persistentIds_.push_back(&value);
  return &value;
}

PickleValue::Entries mapEntries(const PickleValue& value) {
  using Kind = PickleValue::Kind;
  if (!value.entries.empty()) return value.entries;
  // Python 2 wrote OrderedDict([[key, value], ...]).
  PickleValue::Entries entries;
  if (!value.is(Kind::Object) || !value.callable->isGlobal("collections.OrderedDict")) return {};
  if (!value.arguments || value.arguments->items.size() != 1) return {};
  for (const PickleValue* pair : value.arguments->items.front()->items) {
    if (pair->items.size() == 2) entries.emplace_back(pair->items[0], pair->items[1]);
  }
  return entries;
}

const PickleValue* findEntry(const PickleValue::Entries& entries, std::string_view key) {
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    if (entry->first->is(PickleValue::Kind::String) && entry->first->text == key) {
      return entry->second;
    }
  }
  return nullptr;
}

}  // namespace softscope
