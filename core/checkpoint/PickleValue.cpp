#include "core/checkpoint/PickleValue.h"

#include "core/files/Malformed.h"

#include <algorithm>

namespace softscope {

namespace {

/// One byte of the file can create a value of a hundred bytes, and one compressed byte can hold a
/// thousand such bytes.
constexpr std::uint64_t treeOfSmallFile = std::uint64_t{28} << 20;
constexpr std::uint64_t largestTree = std::uint64_t{512} << 20;
/// Vectors may reserve twice the room that they use.
constexpr std::uint64_t bytesPerPlace = 2 * sizeof(void*);

}  // namespace

PickleTree::PickleTree(std::uint64_t fileSize)
    : left_(treeOfSmallFile + 2 * std::min(fileSize, largestTree)) {}

void PickleTree::take(std::uint64_t bytes) {
  if (bytes > left_) {
    throw Malformed(
        "holds more values beside its tensors than any network's file of its size; save only the "
        "state_dict");
  }
  left_ -= bytes;
}

PickleValue* PickleTree::create(PickleValue::Kind kind) {
  take(sizeof(PickleValue));
  PickleValue& value = values_.emplace_back();
  value.kind = kind;
  if (kind == PickleValue::Kind::PersistentId) {
    takePlaces(1);
    persistentIds_.push_back(&value);
  }
  return &value;
}

void PickleTree::setText(PickleValue& value, std::string text) {
  take(text.size());
  value.text = std::move(text);
}

void PickleTree::takePlaces(std::size_t count) {
  take(bytesPerPlace * std::uint64_t{count});
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
  constexpr std::uint64_t bytesPerNode = 128;
  take(bytesPerNode + name.size());
  PickleValue* value = create(PickleValue::Kind::Global);
  setText(*value, name);
  return globals_.emplace(std::move(name), value).first->second;
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
