#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
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
  /// Of dictionaries, and what was stored in an object by key; in the order they were set.
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
  /// Throws Malformed past the number of values that any real checkpoint stays far below.
  PickleValue* create(PickleValue::Kind kind);
  /// The persistent identifiers, in the order they were met.
  const std::vector<const PickleValue*>& persistentIds() const { return persistentIds_; }

 private:
  std::deque<PickleValue> values_;
  std::vector<const PickleValue*> persistentIds_;
};

/// The entries of a dictionary or of an object that acts as one (`collections.OrderedDict`, filled
/// one by one or built from a list of pairs), else none.
PickleValue::Entries mapEntries(const PickleValue& value);

/// The last value stored under a string key, or null.
const PickleValue* findEntry(const PickleValue::Entries& entries, std::string_view key);

}  // namespace softscope
