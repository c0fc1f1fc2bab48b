#include "core/checkpoint/PickleStack.h"

#include "core/checkpoint/ByteCursor.h"
#include "core/files/Malformed.h"

#include <algorithm>

namespace softscope {

namespace {

using Kind = PickleValue::Kind;

// Python itself cannot pickle values nested this deeply unless its recursion limit is raised.
constexpr std::uint32_t deepestPickle = 1000;
// As many as PyTorch would write for a million values; the tree counts the memory they take.
constexpr std::size_t mostStacked = 1'000'000;
constexpr std::size_t mostMemoEntries = 4'000'000;

}  // namespace

PickleStack::PickleStack(const ByteCursor& cursor, PickleTree& tree)
    : cursor_(cursor), tree_(tree) {}

void PickleStack::fail(const std::string& what) const {
  throw Malformed("has damaged pickle data: " + what + " at byte " +
                  std::to_string(cursor_.position()));
}

void PickleStack::push(PickleValue* value) {
  if (stack_.size() >= mostStacked) fail("too many values at once");
  if (stack_.size() == highestStack_) {
    tree_.takePlaces(1);
    ++highestStack_;
  }
  stack_.push_back(value);
}

PickleValue* PickleStack::top() {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() <= floor) fail("a value is missing");
  return stack_.back();
}

PickleValue* PickleStack::pop() {
  PickleValue* value = top();
  stack_.pop_back();
  return value;
}

std::size_t PickleStack::popMark() {
  if (marks_.empty()) fail("a mark is missing");
  const std::size_t begin = marks_.back();
  marks_.pop_back();
  return begin;
}

void PickleStack::noteDepth(PickleValue* parent, const PickleValue* child) {
  if (!child || child == parent) return;
  parent->depth = std::max(parent->depth, child->depth + 1);
  if (parent->depth > deepestPickle) {
    throw Malformed("nests its values more than 1000 deep; no checkpoint does");
  }
}

void PickleStack::mark() {
  if (marks_.size() >= mostStacked) fail("too many marks at once");
  if (marks_.size() == marks_.capacity()) tree_.takePlaces(marks_.size() + 1);
  marks_.push_back(stack_.size());
}

void PickleStack::popValueOrMark() {
  if (!marks_.empty() && marks_.back() == stack_.size()) {
    marks_.pop_back();
  } else {
    pop();
  }
}

void PickleStack::remember(std::uint64_t slot) {
  // Slots are numbered consecutively, and each takes at least one byte of the file.
  if (slot >= mostMemoEntries || slot > cursor_.position()) fail("too many remembered values");
  if (slot >= memo_.size()) {
    const auto size = static_cast<std::size_t>(slot) + 1;
    tree_.takePlaces(size - memo_.size());
    memo_.resize(size);
  }
  if (!memo_[slot]) ++remembered_;
  memo_[slot] = top();
}

void PickleStack::recall(std::uint64_t slot) {
  if (slot >= memo_.size() || !memo_[slot]) fail("a value is used before it is made");
  push(memo_[slot]);
}

void PickleStack::pushSequence(Kind kind, std::size_t begin) {
  PickleValue* sequence = tree_.create(kind);
  appendItems(sequence, begin);
  push(sequence);
}

void PickleStack::pushTuple(std::size_t count) {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() - floor < count) fail("a value is missing");
  pushSequence(Kind::Tuple, stack_.size() - count);
}

PickleValue* PickleStack::containerBelow(std::size_t begin, Kind kind, Kind otherKind) {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (begin <= floor) fail("a container is missing");
  PickleValue* container = stack_[begin - 1];
  if (!container->is(kind) && !container->is(otherKind) && !container->is(Kind::Object)) {
    fail("a value that is no container is filled");
  }
  return container;
}

void PickleStack::appendItems(PickleValue* target, std::size_t begin) {
  tree_.takePlaces(stack_.size() - begin);
  for (std::size_t index = begin; index < stack_.size(); ++index) {
    noteDepth(target, stack_[index]);
    target->items.push_back(stack_[index]);
  }
  stack_.resize(begin);
}

void PickleStack::setEntries(PickleValue* target, std::size_t begin) {
  tree_.takePlaces(stack_.size() - begin);
  if ((stack_.size() - begin) % 2 != 0) fail("a dictionary key has no value");
  for (std::size_t index = begin; index < stack_.size(); index += 2) {
    noteDepth(target, stack_[index]);
    noteDepth(target, stack_[index + 1]);
    target->entries.emplace_back(stack_[index], stack_[index + 1]);
  }
  stack_.resize(begin);
}

void PickleStack::pushObject(const PickleValue* callable, PickleValue* arguments) {
  PickleValue* object = tree_.create(Kind::Object);
  noteDepth(object, callable);
  noteDepth(object, arguments);
  object->callable = callable;
  object->arguments = arguments;
  fillOrderedDict(object);
  push(object);
}

void PickleStack::fillOrderedDict(PickleValue* object) {
  const bool hasList =
      object->callable->isGlobal("collections.OrderedDict") && object->arguments->items.size() == 1;
  if (!hasList) return;
  const std::vector<const PickleValue*>& pairs = object->arguments->items.front()->items;
  tree_.takePlaces(2 * pairs.size());
  for (const PickleValue* pair : pairs) {
    if (pair->items.size() == 2) object->entries.emplace_back(pair->items[0], pair->items[1]);
  }
}

void PickleStack::setState(const PickleValue* state) {
  PickleValue* object = top();
  noteDepth(object, state);
  object->state = state;
}

void PickleStack::pushPersistent(PickleValue* identifier) {
  PickleValue* value = tree_.create(Kind::PersistentId);
  noteDepth(value, identifier);
  value->arguments = identifier;
  push(value);
}

}  // namespace softscope
