#include "core/checkpoint/PickleValue.h"

#include "core/array/Malformed.h"

#include <algorithm>

namespace softscope {

PickleValue* PickleTree::create(PickleValue::Kind kind) {
  // A value takes a hundred bytes and may cost the file one.
  constexpr std::uint64_t smallFileValues = 250'000;
  constexpr std::uint64_t mostValues = 4'000'000;
  constexpr std::uint64_t bytesPerValue = 32;
  if (values_.size() >= std::min(mostValues, smallFileValues + fileSize_ / bytesPerValue)) {
    throw Malformed("holds " + std::to_string(values_.size()) +
                    " values beside its tensors, and more; save only the state_dict");
  }
  PickleValue& value = values_.emplace_back();
  value.kind = kind;
  if (kind == PickleValue::Kind::PersistentId) persistentIds_.push_back(&value);
  return &value;
}

void PickleTree::contain(std::size_t count) {
  // A value may stand in any number of containers, at a byte of the file each time.
  constexpr std::uint64_t smallFileContained = 750'000;
  constexpr std::uint64_t mostContained = 16'000'000;
  constexpr std::uint64_t bytesPerContained = 8;
  contained_ += count;
  if (contained_ > std::min(mostContained, smallFileContained + fileSize_ / bytesPerContained)) {
    throw Malformed("has damaged pickle data: too many values in containers");
  }
}

PickleValue* PickleTree::global(std::string name) {
  constexpr std::size_t longestName = 256;
  constexpr std::size_t mostBytes = std::size_t{1} << 20;
  const auto known = globals_.find(name);
  if (known != globals_.end()) return known->second;
  globalBytes_ += name.size();
  if (name.size() > longestName || globalBytes_ > mostBytes) {
    throw Malformed("has damaged pickle data: a class name is too long");
  }
  PickleValue* value = create(PickleValue::Kind::Global);
  value->text = name;
  return globals_.emplace(std::move(name), value).first->second;
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
