#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace softscope {

/// One value of a pickle, as data. Values refer to each other freely, cycles included; the
/// PickleTree owns them all.
struct PickleValue {
  enum class Kind : std::uint8_t {
    None,
    Bool,
    Integer,
    BigInteger,  ///< `text`: little-endian two's complement, or decimal digits
    Float,
    String,
    Bytes,
    Tuple,
    List,
    Set,
    Dict,
    Global,        ///< `text`: `module.name`; never looked up
    Object,        ///< what calling `callable` with `arguments` would have made
    PersistentId,  ///< `arguments`: the identifier
  };
  using Entries = std::vector<std::pair<const PickleValue*, const PickleValue*>>;

  Kind kind = Kind::None;
  /// How many levels of containers stand below.
  std::uint32_t depth = 0;
  union {
    std::int64_t integer = 0;
    double number;
  };
  std::string text;
  /// Of tuples, lists and sets, and what was appended to an object.
  std::vector<const PickleValue*> items;
  /// Of dictionaries, and what was stored in an object by key or given to an OrderedDict as pairs;
  /// in the order they were set.
  Entries entries;
  const PickleValue* callable = nullptr;
  const PickleValue* arguments = nullptr;
  const PickleValue* state = nullptr;

  bool is(Kind other) const { return kind == other; }
  bool isGlobal(std::string_view name) const { return kind == Kind::Global && text == name; }
};

/// Every value of one pickle, kept flat so that neither depth nor cycles matter when it goes.
class PickleTree {
 public:
  /// Of a file of that many bytes, which bounds what the tree may hold: a byte of a pickle can make
  /// a value of a hundred, and compression a thousand such bytes of one.
  explicit PickleTree(std::uint64_t fileSize = 0);

  /// Throws Malformed past the memory that any real checkpoint's values stay far below.
  PickleValue* create(PickleValue::Kind kind);
  /// Gives a value its text, and takes the memory for it.
  void setText(PickleValue& value, std::string text);
  /// Takes memory for places in containers, on the stack and the like.
  void takePlaces(std::size_t count);
  /// The class of that name, `module.name`: one value however often it is named. Throws Malformed
  /// where names are longer, alone or together, than any real checkpoint's.
  PickleValue* global(std::string name);
  /// The persistent identifiers, in the order they were met.
  const std::vector<const PickleValue*>& persistentIds() const { return persistentIds_; }

 private:
  void take(std::uint64_t bytes);

  /// Bytes that the tree may still take.
  std::uint64_t left_;
  std::deque<PickleValue> values_;
  std::unordered_map<std::string, PickleValue*> globals_;
  std::size_t globalBytes_ = 0;
  std::vector<const PickleValue*> persistentIds_;
};

/// The last value stored under a string key, or null.
const PickleValue* findEntry(const PickleValue::Entries& entries, std::string_view key);

}  // namespace softscope
