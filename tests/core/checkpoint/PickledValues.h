#pragma once

#include "core/checkpoint/PickleValue.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace softscope::test {

/// Pickled values, made without a pickle.
class PickledValues {
 public:
  using Kind = PickleValue::Kind;

  PickleValue* make(Kind kind) { return tree_.create(kind); }
  const PickleValue* text(const std::string& text) {
    PickleValue* value = make(Kind::String);
    tree_.setText(*value, text);
    return value;
  }
  const PickleValue* number(std::int64_t number) {
    PickleValue* value = make(Kind::Integer);
    value->integer = number;
    return value;
  }
  const PickleValue* fraction(double number) {
    PickleValue* value = make(Kind::Float);
    value->number = number;
    return value;
  }
  /// Returns a tensor of this shape, whose storage is in no file.
  PickleValue* tensor(const std::vector<std::int64_t>& sizes) {
    PickleValue* storage = make(Kind::PersistentId);
    storage->arguments =
        tuple({text("storage"), global("torch.FloatStorage"), text("0"), text("cpu"), number(1)});
    std::vector<const PickleValue*> sides;
    std::vector<const PickleValue*> steps;
    for (const std::int64_t size : sizes) {
      sides.push_back(number(size));
      steps.push_back(number(1));
    }
    PickleValue* value = make(Kind::Object);
    value->callable = global("torch._utils._rebuild_tensor_v2");
    value->arguments = tuple({storage, number(0), tuple(sides), tuple(steps)});
    return value;
  }
  /// Returns an empty torch.nn.Module of this class.
  PickleValue* module(const std::string& name) {
    PickleValue* object = make(Kind::Object);
    object->callable = tree_.global(name);
    object->arguments = make(Kind::Tuple);
    PickleValue* state = make(Kind::Dict);
    for (const char* table : {"_parameters", "_buffers", "_modules"}) {
      add(*state, table, make(Kind::Dict));
    }
    object->state = state;
    return object;
  }
  void add(PickleValue& dictionary, const std::string& key, const PickleValue* value) {
    dictionary.entries.emplace_back(text(key), value);
  }
  /// Gives a module an attribute.
  void set(PickleValue& module, const std::string& key, const PickleValue* value) {
    add(*const_cast<PickleValue*>(module.state), key, value);
  }
  /// Gives a module an entry of one of its tables: `_modules`.
  void put(PickleValue& module, const std::string& table, const std::string& key,
           const PickleValue* value) {
    add(*const_cast<PickleValue*>(findEntry(module.state->entries, table)), key, value);
  }
  PickleValue* tuple(std::vector<const PickleValue*> items) {
    PickleValue* value = make(Kind::Tuple);
    value->items = std::move(items);
    return value;
  }
  PickleValue* global(const std::string& name) { return tree_.global(name); }

 private:
  PickleTree tree_;
};

}  // namespace softscope::test
