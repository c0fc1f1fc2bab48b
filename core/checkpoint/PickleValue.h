#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace softscope {

/// One value of a pickle, as data. Values may refer to each other freely, even in cycles; the
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
    Object,        ///< the result that calling `callable` with `arguments` would have had
    PersistentId,  ///< `arguments`: the identifier
  };
  using Entries = std::vector<std::pair<const PickleValue*, const PickleValue*>>;

  Kind kind = Kind::None;
  /// Number of levels of containers below this value.
  std::uint32_t depth = 0;
  union {
    std::int64_t integer = 0;
    double number;
  };
  std::string text;
  /// Items of a tuple, list or set, and those appended to an object.
  std::vector<const PickleValue*> items;
  /// Entries of a dictionary, those stored in an object by key, and the pairs given to an
  /// OrderedDict; in the order they were set.
  Entries entries;
  const PickleValue* callable = nullptr;
  const PickleValue* arguments = nullptr;
  const PickleValue* state = nullptr;

  bool is(Kind other) const { return kind == other; }
  bool isGlobal(std::string_view name) const { return kind == Kind::Global && text == name; }
};

/// Owns every value of one pickle in a flat list, so that destroying them neither recurses nor
/// depends on cycles.
class PickleTree {
 public:
  /// `fileSize`, in bytes, bounds the memory of the tree: one byte of a pickle can create a value
  /// of a hundred bytes, and one compressed byte can hold a thousand such bytes.
  explicit PickleTree(std::uint64_t fileSize = 0);

  /// Creates a value. Throws Malformed if the tree exceeds a memory limit that real checkpoints
  /// stay far below.
  PickleValue* create(PickleValue::Kind kind);
  /// Sets the text of a value, and counts its memory.
  void setText(PickleValue& value, std::string text);
  /// Counts the memory of places in containers, on the stack and the like.
  void takePlaces(std::size_t count);
  /// Returns the class called `name` (`module.name`): the same value each time it is named. Throws
  /// Malformed if names are longer, alone or in total, than in any real checkpoint.
  PickleValue* global(std::string name);
  /// The persistent identifiers, in the order they were read.
  const std::vector<const PickleValue*>& persistentIds() const { return persistentIds_; }

 private:
  void take(std::uint64_t bytes);

  /// Bytes that the tree may still use.
  std::uint64_t left_;
  std::deque<PickleValue> values_;
  std::unordered_map<std::string, PickleValue*> globals_;
  std::size_t globalBytes_ = 0;
  std::vector<const PickleValue*> persistentIds_;
};

/// Returns the value stored last under a string key, or null.
const PickleValue* findEntry(const PickleValue::Entries& entries, std::string_view key);

}  // namespace softscope
