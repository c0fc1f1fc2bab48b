#include "core/checkpoint/Pickle.h"

#include "core/checkpoint/ByteCursor.h"
#include "core/files/Malformed.h"
#include "core/text/Words.h"

#include <algorithm>
#include <bit>
#include <charconv>

namespace softscope {

namespace {

using Kind = PickleValue::Kind;

// Python itself cannot pickle values nested this deeply unless its recursion limit is raised.
constexpr std::uint32_t deepestPickle = 1000;
// As many as PyTorch would write for a million values; the tree counts the memory they take.
constexpr std::size_t mostStacked = 1'000'000;
constexpr std::size_t mostMemoEntries = 4'000'000;

/// The machine that executes pickle bytes: a stack of values, marks into it, and a memo.
class PickleMachine {
 public:
  PickleMachine(ByteCursor& cursor, PickleTree& tree);
  const PickleValue& run();

 private:
  /// Each of these handles one family of opcodes and returns false if the opcode is not in it.
  bool runStack(std::uint8_t opcode);
  bool runMemo(std::uint8_t opcode);
  bool runConstant(std::uint8_t opcode);
  bool runNumber(std::uint8_t opcode);
  bool runText(std::uint8_t opcode);
  bool runSequence(std::uint8_t opcode);
  bool runMap(std::uint8_t opcode);
  bool runObject(std::uint8_t opcode);
  bool runFraming(std::uint8_t opcode);

  void push(PickleValue* value);
  PickleValue* pop();
  PickleValue* top();
  std::size_t popMark();
  /// Moves the values from `begin` to the top of the stack into a new sequence.
  void pushSequence(Kind kind, std::size_t begin);
  void pushTuple(std::size_t count);
  void pushInteger(std::int64_t value);
  void pushDecimal(std::string_view digits);
  void pushBinaryInteger(std::uint64_t byteCount);
  void pushFloat(double value);
  void pushText(Kind kind, std::string text);
  void pushObject(const PickleValue* callable, PickleValue* arguments);
  /// Reads the pairs of OrderedDict([[key, value], ...]), as Python 2 wrote it.
  void fillOrderedDict(PickleValue* object);
  void pushPersistent(PickleValue* identifier);
  void pushGlobal(std::string_view module, std::string_view name);
  void appendItems(PickleValue* target, std::size_t begin);
  /// Returns the container directly below `begin`, which receives the values above it.
  PickleValue* containerBelow(std::size_t begin, Kind kind, Kind otherKind);
  void setEntries(PickleValue* target, std::size_t begin);
  void remember(std::uint64_t slot);
  void recall(std::uint64_t slot);
  std::uint64_t slotFromLine();
  static void noteDepth(PickleValue* parent, const PickleValue* child);
  [[noreturn]] void fail(const std::string& what) const;

  ByteCursor& cursor_;
  PickleTree& tree_;
  std::vector<PickleValue*> stack_;
  std::size_t highestStack_ = 0;
  std::vector<std::size_t> marks_;
  /// Remembered values by slot; null for unused slots.
  std::vector<PickleValue*> memo_;
  std::size_t remembered_ = 0;
  PickleValue* none_;
  PickleValue* true_;
  PickleValue* false_;
};

PickleMachine::PickleMachine(ByteCursor& cursor, PickleTree& tree)
    : cursor_(cursor),
      tree_(tree),
      none_(tree.create(Kind::None)),
      true_(tree.create(Kind::Bool)),
      false_(tree.create(Kind::Bool)) {
  true_->integer = 1;
}

void PickleMachine::fail(const std::string& what) const {
  throw Malformed("has damaged pickle data: " + what + " at byte " +
                  std::to_string(cursor_.position()));
}

const PickleValue& PickleMachine::run() {
  constexpr std::uint8_t stop = '.';
  while (true) {
    const std::uint8_t opcode = cursor_.byte();
    if (opcode == stop) return *pop();
    const bool known = runMemo(opcode) || runText(opcode) || runNumber(opcode) ||
                       runSequence(opcode) || runMap(opcode) || runObject(opcode) ||
                       runStack(opcode) || runConstant(opcode) || runFraming(opcode);
    if (!known) fail("unknown instruction " + std::to_string(opcode));
  }
}

void PickleMachine::push(PickleValue* value) {
  if (stack_.size() >= mostStacked) fail("too many values at once");
  if (stack_.size() == highestStack_) {
    tree_.takePlaces(1);
    ++highestStack_;
  }
  stack_.push_back(value);
}

PickleValue* PickleMachine::top() {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() <= floor) fail("a value is missing");
  return stack_.back();
}

PickleValue* PickleMachine::pop() {
  PickleValue* value = top();
  stack_.pop_back();
  return value;
}

std::size_t PickleMachine::popMark() {
  if (marks_.empty()) fail("a mark is missing");
  const std::size_t begin = marks_.back();
  marks_.pop_back();
  return begin;
}

void PickleMachine::noteDepth(PickleValue* parent, const PickleValue* child) {
  if (!child || child == parent) return;
  parent->depth = std::max(parent->depth, child->depth + 1);
  if (parent->depth > deepestPickle) {
    throw Malformed("nests its values more than 1000 deep; no checkpoint does");
  }
}

bool PickleMachine::runStack(std::uint8_t opcode) {
  switch (opcode) {
    case '(':
      if (marks_.size() >= mostStacked) fail("too many marks at once");
      if (marks_.size() == marks_.capacity()) tree_.takePlaces(marks_.size() + 1);
      marks_.push_back(stack_.size());
      return true;
    case '0':  // POP can also remove a mark.
      if (!marks_.empty() && marks_.back() == stack_.size()) {
        marks_.pop_back();
      } else {
        pop();
      }
      return true;
    case '1':
      stack_.resize(popMark());
      return true;
    case '2':
      push(top());
      return true;
    default:
      return false;
  }
}

void PickleMachine::remember(std::uint64_t slot) {
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

void PickleMachine::recall(std::uint64_t slot) {
  if (slot >= memo_.size() || !memo_[slot]) fail("a value is used before it is made");
  push(memo_[slot]);
}

std::uint64_t PickleMachine::slotFromLine() {
  const auto slot = parseNumber<std::uint64_t>(cursor_.line());
  if (!slot) fail("a number is not well formed");
  return *slot;
}

bool PickleMachine::runMemo(std::uint8_t opcode) {
  switch (opcode) {
    case 'q':
      remember(cursor_.littleEndian(1));
      return true;
    case 'r':
      remember(cursor_.littleEndian(4));
      return true;
    case 'p':
      remember(slotFromLine());
      return true;
    case 0x94:
      remember(remembered_);
      return true;
    case 'h':
      recall(cursor_.littleEndian(1));
      return true;
    case 'j':
      recall(cursor_.littleEndian(4));
      return true;
    case 'g':
      recall(slotFromLine());
      return true;
    default:
      return false;
  }
}

bool PickleMachine::runConstant(std::uint8_t opcode) {
  switch (opcode) {
    case 'N':
      push(none_);
      return true;
    case 0x88:
      push(true_);
      return true;
    case 0x89:
      push(false_);
      return true;
    default:
      return false;
  }
}

void PickleMachine::pushInteger(std::int64_t value) {
  push(tree_.create(Kind::Integer));
  top()->integer = value;
}

void PickleMachine::pushDecimal(std::string_view digits) {
  if (digits.ends_with('L')) digits.remove_suffix(1);
  std::int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) {
    fail("a number is not well formed");
  }
  if (result.ec == std::errc()) return pushInteger(value);
  pushText(Kind::BigInteger, std::string(digits));
}

void PickleMachine::pushBinaryInteger(std::uint64_t byteCount) {
  std::string bytes = cursor_.take(byteCount);
  if (bytes.size() > sizeof(std::int64_t)) return pushText(Kind::BigInteger, std::move(bytes));
  const bool negative = !bytes.empty() && (bytes.back() & 0x80) != 0;
  std::uint64_t value = negative ? ~std::uint64_t{0} : 0;
  for (std::size_t index = bytes.size(); index-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[index]);
  }
  pushInteger(static_cast<std::int64_t>(value));
}

void PickleMachine::pushFloat(double value) {
  push(tree_.create(Kind::Float));
  top()->number = value;
}

bool PickleMachine::runNumber(std::uint8_t opcode) {
  switch (opcode) {
    case 'J':
      pushInteger(static_cast<std::int32_t>(cursor_.littleEndian(4)));
      return true;
    case 'K':
      pushInteger(static_cast<std::int64_t>(cursor_.littleEndian(1)));
      return true;
    case 'M':
      pushInteger(static_cast<std::int64_t>(cursor_.littleEndian(2)));
      return true;
    case 'I': {
      const std::string line = cursor_.line();
      if (line == "00" || line == "01") {  // protocol 0's False and True
        push(line == "01" ? true_ : false_);
      } else {
        pushDecimal(line);
      }
      return true;
    }
    case 'L':
      pushDecimal(cursor_.line());
      return true;
    case 0x8a:
      pushBinaryInteger(cursor_.littleEndian(1));
      return true;
    case 0x8b:
      pushBinaryInteger(cursor_.littleEndian(4));
      return true;
    case 'G':  // the only big-endian number in the format
      pushFloat(std::bit_cast<double>(__builtin_bswap64(cursor_.littleEndian(8))));
      return true;
    case 'F': {
      const std::string line = cursor_.line();
      double value = 0;
      const char* end = line.data() + line.size();
      const auto result = std::from_chars(line.data(), end, value);
      if (result.ptr != end || line.empty()) fail("a number is not well formed");
      pushFloat(value);
      return true;
    }
    default:
      return false;
  }
}

void PickleMachine::pushText(Kind kind, std::string text) {
  push(tree_.create(kind));
  tree_.setText(*top(), std::move(text));
}

bool PickleMachine::runText(std::uint8_t opcode) {
  switch (opcode) {
    case 0x8c:
    case 'U':
      pushText(Kind::String, cursor_.take(cursor_.littleEndian(1)));
      return true;
    case 'X':
    case 'T':
      pushText(Kind::String, cursor_.take(cursor_.littleEndian(4)));
      return true;
    case 0x8d:
      pushText(Kind::String, cursor_.take(cursor_.littleEndian(8)));
      return true;
    case 'V':
      pushText(Kind::String, decodeRawUnicode(cursor_.line()));
      return true;
    case 'S':
      pushText(Kind::String, decodeQuotedLiteral(cursor_.line()));
      return true;
    case 'C':
      pushText(Kind::Bytes, cursor_.take(cursor_.littleEndian(1)));
      return true;
    case 'B':
      pushText(Kind::Bytes, cursor_.take(cursor_.littleEndian(4)));
      return true;
    case 0x8e:
    case 0x96:
      pushText(Kind::Bytes, cursor_.take(cursor_.littleEndian(8)));
      return true;
    default:
      return false;
  }
}

void PickleMachine::pushSequence(Kind kind, std::size_t begin) {
  PickleValue* sequence = tree_.create(kind);
  appendItems(sequence, begin);
  push(sequence);
}

void PickleMachine::pushTuple(std::size_t count) {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() - floor < count) fail("a value is missing");
  pushSequence(Kind::Tuple, stack_.size() - count);
}

PickleValue* PickleMachine::containerBelow(std::size_t begin, Kind kind, Kind otherKind) {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (begin <= floor) fail("a container is missing");
  PickleValue* container = stack_[begin - 1];
  if (!container->is(kind) && !container->is(otherKind) && !container->is(Kind::Object)) {
    fail("a value that is no container is filled");
  }
  return container;
}

void PickleMachine::appendItems(PickleValue* target, std::size_t begin) {
  tree_.takePlaces(stack_.size() - begin);
  for (std::size_t index = begin; index < stack_.size(); ++index) {
    noteDepth(target, stack_[index]);
    target->items.push_back(stack_[index]);
  }
  stack_.resize(begin);
}

bool PickleMachine::runSequence(std::uint8_t opcode) {
  switch (opcode) {
    case ')':
    case 0x85:
    case 0x86:
    case 0x87:
      pushTuple(opcode == ')' ? 0 : opcode - 0x84u);
      return true;
    case 't':
      pushSequence(Kind::Tuple, popMark());
      return true;
    case ']':
      push(tree_.create(Kind::List));
      return true;
    case 'l':
      pushSequence(Kind::List, popMark());
      return true;
    case 0x8f:
      push(tree_.create(Kind::Set));
      return true;
    case 0x91:
      pushSequence(Kind::Set, popMark());
      return true;
    case 'a':
    case 'e':
    case 0x90: {
      if (opcode == 'a') top();
      const std::size_t begin = opcode == 'a' ? stack_.size() - 1 : popMark();
      appendItems(containerBelow(begin, Kind::List, Kind::Set), begin);
      return true;
    }
    default:
      return false;
  }
}

void PickleMachine::setEntries(PickleValue* target, std::size_t begin) {
  tree_.takePlaces(stack_.size() - begin);
  if ((stack_.size() - begin) % 2 != 0) fail("a dictionary key has no value");
  for (std::size_t index = begin; index < stack_.size(); index += 2) {
    noteDepth(target, stack_[index]);
    noteDepth(target, stack_[index + 1]);
    target->entries.emplace_back(stack_[index], stack_[index + 1]);
  }
  stack_.resize(begin);
}

bool PickleMachine::runMap(std::uint8_t opcode) {
  switch (opcode) {
    case '}':
      push(tree_.create(Kind::Dict));
      return true;
    case 'd': {
      PickleValue* dictionary = tree_.create(Kind::Dict);
      setEntries(dictionary, popMark());
      push(dictionary);
      return true;
    }
    case 's':
    case 'u': {
      if (opcode == 's' && stack_.size() < 2) fail("a value is missing");
      const std::size_t begin = opcode == 's' ? stack_.size() - 2 : popMark();
      setEntries(containerBelow(begin, Kind::Dict, Kind::Dict), begin);
      return true;
    }
    default:
      return false;
  }
}

void PickleMachine::pushGlobal(std::string_view module, std::string_view name) {
  // Checked before the names are copied: ten megabytes could be named a million times.
  constexpr std::size_t longestName = 256;
  if (module.size() + name.size() > longestName) fail("a class name is too long");
  push(tree_.global(std::string(module) + "." + std::string(name)));
}

void PickleMachine::pushObject(const PickleValue* callable, PickleValue* arguments) {
  PickleValue* object = tree_.create(Kind::Object);
  noteDepth(object, callable);
  noteDepth(object, arguments);
  object->callable = callable;
  object->arguments = arguments;
  fillOrderedDict(object);
  push(object);
}

void PickleMachine::fillOrderedDict(PickleValue* object) {
  const bool hasList =
      object->callable->isGlobal("collections.OrderedDict") && object->arguments->items.size() == 1;
  if (!hasList) return;
  const std::vector<const PickleValue*>& pairs = object->arguments->items.front()->items;
  tree_.takePlaces(2 * pairs.size());
  for (const PickleValue* pair : pairs) {
    if (pair->items.size() == 2) object->entries.emplace_back(pair->items[0], pair->items[1]);
  }
}

void PickleMachine::pushPersistent(PickleValue* identifier) {
  PickleValue* value = tree_.create(Kind::PersistentId);
  noteDepth(value, identifier);
  value->arguments = identifier;
  push(value);
}

bool PickleMachine::runObject(std::uint8_t opcode) {
  switch (opcode) {
    case 'c': {
      const std::string module = cursor_.line();
      pushGlobal(module, cursor_.line());
      return true;
    }
    case 0x93: {
      const PickleValue* name = pop();
      const PickleValue* module = pop();
      if (!name->is(Kind::String) || !module->is(Kind::String)) fail("a class has no name");
      pushGlobal(module->text, name->text);
      return true;
    }
    case 'R':
    case 0x81: {
      PickleValue* arguments = pop();
      pushObject(pop(), arguments);
      return true;
    }
    case 0x92: {
      pop();  // keyword arguments, which tensors never have
      PickleValue* arguments = pop();
      pushObject(pop(), arguments);
      return true;
    }
    case 'i': {
      const std::string module = cursor_.line();
      const std::string name = cursor_.line();
      pushSequence(Kind::Tuple, popMark());
      PickleValue* arguments = pop();
      pushGlobal(module, name);
      pushObject(pop(), arguments);
      return true;
    }
    case 'o': {
      const std::size_t begin = popMark();
      if (begin >= stack_.size()) fail("a class is missing");
      pushSequence(Kind::Tuple, begin + 1);
      PickleValue* arguments = pop();
      pushObject(pop(), arguments);
      return true;
    }
    case 'b': {
      const PickleValue* state = pop();
      PickleValue* object = top();
      noteDepth(object, state);
      object->state = state;
      return true;
    }
    case 'Q':
      pushPersistent(pop());
      return true;
    case 'P':
      pushText(Kind::String, cursor_.line());
      pushPersistent(pop());
      return true;
    default:
      return false;
  }
}

bool PickleMachine::runFraming(std::uint8_t opcode) {
  switch (opcode) {
    case 0x80: {
      constexpr std::uint8_t newestProtocol = 5;
      const std::uint8_t protocol = cursor_.byte();
      if (protocol > newestProtocol) {
        fail("protocol " + std::to_string(protocol) + " is unknown");
      }
      return true;
    }
    case 0x95:
      if (cursor_.littleEndian(8) > cursor_.remaining()) {
        throw Malformed("is truncated: its pickle data ends too early; fetch it again");
      }
      return true;
    case 0x98:  // marks a buffer as read-only, as everything here is
      top();
      return true;
    default:
      return false;
  }
}

}  // namespace

const PickleValue& readPickle(ByteCursor& cursor, PickleTree& tree) {
  return PickleMachine(cursor, tree).run();
}

}  // namespace softscope
