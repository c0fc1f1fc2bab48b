#include "core/checkpoint/Pickle.h"

#include "core/checkpoint/ByteCursor.h"
#include "core/checkpoint/PickleStack.h"
#include "core/files/Malformed.h"
#include "core/text/Words.h"

#include <bit>
#include <charconv>

namespace softscope {

namespace {

using Kind = PickleValue::Kind;

/// The machine that executes pickle bytes on a stack of values.
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

  void pushInteger(std::int64_t value);
  void pushDecimal(std::string_view digits);
  void pushBinaryInteger(std::uint64_t byteCount);
  void pushFloat(double value);
  void pushText(Kind kind, std::string text);
  void pushGlobal(std::string_view module, std::string_view name);
  std::uint64_t slotFromLine();

  ByteCursor& cursor_;
  PickleTree& tree_;
  PickleStack stack_;
  PickleValue* none_;
  PickleValue* true_;
  PickleValue* false_;
};

PickleMachine::PickleMachine(ByteCursor& cursor, PickleTree& tree)
    : cursor_(cursor),
      tree_(tree),
      stack_(cursor, tree),
      none_(tree.create(Kind::None)),
      true_(tree.create(Kind::Bool)),
      false_(tree.create(Kind::Bool)) {
  true_->integer = 1;
}

const PickleValue& PickleMachine::run() {
  constexpr std::uint8_t stop = '.';
  while (true) {
    const std::uint8_t opcode = cursor_.byte();
    if (opcode == stop) return *stack_.pop();
    const bool known = runMemo(opcode) || runText(opcode) || runNumber(opcode) ||
                       runSequence(opcode) || runMap(opcode) || runObject(opcode) ||
                       runStack(opcode) || runConstant(opcode) || runFraming(opcode);
    if (!known) stack_.fail("unknown instruction " + std::to_string(opcode));
  }
}

bool PickleMachine::runStack(std::uint8_t opcode) {
  switch (opcode) {
    case '(':
      stack_.mark();
      return true;
    case '0':
      stack_.popValueOrMark();
      return true;
    case '1':
      stack_.drop(stack_.popMark());
      return true;
    case '2':
      stack_.push(stack_.top());
      return true;
    default:
      return false;
  }
}

std::uint64_t PickleMachine::slotFromLine() {
  const auto slot = parseNumber<std::uint64_t>(cursor_.line());
  if (!slot) stack_.fail("a number is not well formed");
  return *slot;
}

bool PickleMachine::runMemo(std::uint8_t opcode) {
  switch (opcode) {
    case 'q':
      stack_.remember(cursor_.littleEndian(1));
      return true;
    case 'r':
      stack_.remember(cursor_.littleEndian(4));
      return true;
    case 'p':
      stack_.remember(slotFromLine());
      return true;
    case 0x94:
      stack_.rememberNext();
      return true;
    case 'h':
      stack_.recall(cursor_.littleEndian(1));
      return true;
    case 'j':
      stack_.recall(cursor_.littleEndian(4));
      return true;
    case 'g':
      stack_.recall(slotFromLine());
      return true;
    default:
      return false;
  }
}

bool PickleMachine::runConstant(std::uint8_t opcode) {
  switch (opcode) {
    case 'N':
      stack_.push(none_);
      return true;
    case 0x88:
      stack_.push(true_);
      return true;
    case 0x89:
      stack_.push(false_);
      return true;
    default:
      return false;
  }
}

void PickleMachine::pushInteger(std::int64_t value) {
  stack_.push(tree_.create(Kind::Integer));
  stack_.top()->integer = value;
}

void PickleMachine::pushDecimal(std::string_view digits) {
  if (digits.ends_with('L')) digits.remove_suffix(1);
  std::int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) {
    stack_.fail("a number is not well formed");
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
  stack_.push(tree_.create(Kind::Float));
  stack_.top()->number = value;
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
        stack_.push(line == "01" ? true_ : false_);
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
      if (result.ptr != end || line.empty()) stack_.fail("a number is not well formed");
      pushFloat(value);
      return true;
    }
    default:
      return false;
  }
}

void PickleMachine::pushText(Kind kind, std::string text) {
  stack_.push(tree_.create(kind));
  tree_.setText(*stack_.top(), std::move(text));
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

bool PickleMachine::runSequence(std::uint8_t opcode) {
  switch (opcode) {
    case ')':
    case 0x85:
    case 0x86:
    case 0x87:
      stack_.pushTuple(opcode == ')' ? 0 : opcode - 0x84u);
      return true;
    case 't':
      stack_.pushSequence(Kind::Tuple, stack_.popMark());
      return true;
    case ']':
      stack_.push(tree_.create(Kind::List));
      return true;
    case 'l':
      stack_.pushSequence(Kind::List, stack_.popMark());
      return true;
    case 0x8f:
      stack_.push(tree_.create(Kind::Set));
      return true;
    case 0x91:
      stack_.pushSequence(Kind::Set, stack_.popMark());
      return true;
    case 'a':
    case 'e':
    case 0x90: {
      if (opcode == 'a') stack_.top();
      const std::size_t begin = opcode == 'a' ? stack_.size() - 1 : stack_.popMark();
      stack_.appendItems(stack_.containerBelow(begin, Kind::List, Kind::Set), begin);
      return true;
    }
    default:
      return false;
  }
}

bool PickleMachine::runMap(std::uint8_t opcode) {
  switch (opcode) {
    case '}':
      stack_.push(tree_.create(Kind::Dict));
      return true;
    case 'd': {
      PickleValue* dictionary = tree_.create(Kind::Dict);
      stack_.setEntries(dictionary, stack_.popMark());
      stack_.push(dictionary);
      return true;
    }
    case 's':
    case 'u': {
      if (opcode == 's' && stack_.size() < 2) stack_.fail("a value is missing");
      const std::size_t begin = opcode == 's' ? stack_.size() - 2 : stack_.popMark();
      stack_.setEntries(stack_.containerBelow(begin, Kind::Dict, Kind::Dict), begin);
      return true;
    }
    default:
      return false;
  }
}

void PickleMachine::pushGlobal(std::string_view module, std::string_view name) {
  // Checked before the names are copied: ten megabytes could be named a million times.
  constexpr std::size_t longestName = 256;
  if (module.size() + name.size() > longestName) stack_.fail("a class name is too long");
  stack_.push(tree_.global(std::string(module) + "." + std::string(name)));
}

bool PickleMachine::runObject(std::uint8_t opcode) {
  switch (opcode) {
    case 'c': {
      const std::string module = cursor_.line();
      pushGlobal(module, cursor_.line());
      return true;
    }
    case 0x93: {
      const PickleValue* name = stack_.pop();
      const PickleValue* module = stack_.pop();
      if (!name->is(Kind::String) || !module->is(Kind::String)) stack_.fail("a class has no name");
      pushGlobal(module->text, name->text);
      return true;
    }
    case 'R':
    case 0x81: {
      PickleValue* arguments = stack_.pop();
      stack_.pushObject(stack_.pop(), arguments);
      return true;
    }
    case 0x92: {
      stack_.pop();  // keyword arguments, which tensors never have
      PickleValue* arguments = stack_.pop();
      stack_.pushObject(stack_.pop(), arguments);
      return true;
    }
    case 'i': {
      const std::string module = cursor_.line();
      const std::string name = cursor_.line();
      stack_.pushSequence(Kind::Tuple, stack_.popMark());
      PickleValue* arguments = stack_.pop();
      pushGlobal(module, name);
      stack_.pushObject(stack_.pop(), arguments);
      return true;
    }
    case 'o': {
      const std::size_t begin = stack_.popMark();
      if (begin >= stack_.size()) stack_.fail("a class is missing");
      stack_.pushSequence(Kind::Tuple, begin + 1);
      PickleValue* arguments = stack_.pop();
      stack_.pushObject(stack_.pop(), arguments);
      return true;
    }
    case 'b':
      stack_.setState(stack_.pop());
      return true;
    case 'Q':
      stack_.pushPersistent(stack_.pop());
      return true;
    case 'P':
      pushText(Kind::String, cursor_.line());
      stack_.pushPersistent(stack_.pop());
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
        stack_.fail("protocol " + std::to_string(protocol) + " is unknown");
      }
      return true;
    }
    case 0x95:
      if (cursor_.littleEndian(8) > cursor_.remaining()) {
        throw Malformed("is truncated: its pickle data ends too early; fetch it again");
      }
      return true;
    case 0x98:  // marks a buffer as read-only, as everything here is
      stack_.top();
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
