#pragma once

#include "core/checkpoint/PickleValue.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

class ByteCursor;

/// The values that the instructions of a pickle have made so far: a stack of them, marks into it,
/// and a memo of those that are used again. Throws Malformed, naming the place of `cursor`, if an
/// instruction needs a value that is not there, or if there are more values, or deeper ones, than
/// in any checkpoint.
class PickleStack {
 public:
  PickleStack(const ByteCursor& cursor, PickleTree& tree);
  [[noreturn]] void fail(const std::string& what) const;

  std::size_t size() const { return stack_.size(); }
  void push(PickleValue* value);
  PickleValue* pop();
  /// Returns the value on top; those below the last mark are out of reach.
  PickleValue* top();
  /// Drops the values from `begin` to the top.
  void drop(std::size_t begin) { stack_.resize(begin); }

  void mark();
  /// Removes the last mark, and returns the number of values below it.
  std::size_t popMark();
  /// Removes what is on top, be it a value or a mark.
  void popValueOrMark();

  /// Remembers the value on top under a number.
  void remember(std::uint64_t slot);
  /// Remembers the value on top under the next number.
  void rememberNext() { remember(remembered_); }
  /// Pushes the value that was remembered under a number.
  void recall(std::uint64_t slot);

  /// Moves the values from `begin` to the top of the stack into a new sequence.
  void pushSequence(PickleValue::Kind kind, std::size_t begin);
  void pushTuple(std::size_t count);
  /// Returns the container directly below `begin`, which receives the values above it.
  PickleValue* containerBelow(std::size_t begin, PickleValue::Kind kind,
                              PickleValue::Kind otherKind);
  /// Moves the values from `begin` to the top of the stack into `target`: as items, or as keys and
  /// values.
  void appendItems(PickleValue* target, std::size_t begin);
  void setEntries(PickleValue* target, std::size_t begin);

  /// Pushes the result that a call would have had, with the pairs that it gives an OrderedDict.
  void pushObject(const PickleValue* callable, PickleValue* arguments);
  /// Sets the state of the object on top.
  void setState(const PickleValue* state);
  void pushPersistent(PickleValue* identifier);

 private:
  /// Reads the pairs of OrderedDict([[key, value], ...]), as Python 2 wrote it.
  void fillOrderedDict(PickleValue* object);
  static void noteDepth(PickleValue* parent, const PickleValue* child);

  const ByteCursor& cursor_;
  PickleTree& tree_;
  std::vector<PickleValue*> stack_;
  std::size_t highestStack_ = 0;
  std::vector<std::size_t> marks_;
  /// Remembered values by slot; null for unused slots.
  std::vector<PickleValue*> memo_;
  std::size_t remembered_ = 0;
};

}  // namespace softscope
