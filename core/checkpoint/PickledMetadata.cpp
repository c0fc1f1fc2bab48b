#include "core/checkpoint/PickledMetadata.h"

#include "core/checkpoint/ModuleAttributes.h"
#include "core/checkpoint/PickledModule.h"
#include "core/files/WorkBudget.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace softscope {

namespace {

using Kind = PickleValue::Kind;

/// Returns a list of numbers as `28,42` or `0.5,0.25`, or nothing for any other list.
std::optional<std::string> numbersText(const PickleValue& list) {
  constexpr std::size_t mostNumbers = 64;
  if (list.items.empty() || list.items.size() > mostNumbers) return std::nullopt;
  std::string text;
  for (const PickleValue* item : list.items) {
    if (!item->is(Kind::Integer) && !item->is(Kind::Float)) return std::nullopt;
    const bool isWhole = item->is(Kind::Integer);
    text += text.empty() ? "" : ",";
    text += isWhole ? std::to_string(item->integer) : numberText(item->number);
  }
  return text;
}

/// Returns a plain value as text, or nothing for any other kind.
std::optional<std::string> plainText(const PickleValue& value) {
  constexpr std::size_t longest = 4096;
  switch (value.kind) {
    case Kind::Bool:
      return value.integer != 0 ? "true" : "false";
    case Kind::Integer:
      return std::to_string(value.integer);
    case Kind::Float:
      return numberText(value.number);
    case Kind::String:
      if (value.text.size() > longest || !isUtf8(value.text)) return std::nullopt;
      return value.text;
    case Kind::Tuple:
    case Kind::List:
      return numbersText(value);
    default:
      return std::nullopt;
  }
}

/// Returns the entries of a dictionary, or of an object in place of one: a subclass of dict, such
/// as yacs's CfgNode, has them itself, and an argparse.Namespace in its state.
const PickleValue::Entries& entriesOf(const PickleValue& value) {
  const bool isNamespace = value.is(Kind::Object) && value.entries.empty() && value.state;
  return isNamespace ? value.state->entries : value.entries;
}

/// Collects plain values under their keys. The number, length and depth of what it keeps and visits
/// are bounded, because the dictionaries of a file may refer to each other, and to themselves.
class PlainEntries {
 public:
  explicit PlainEntries(WorkBudget& work) : work_(work) {}

  /// Adds the plain values among `entries`, each under its key after `prefix`.
  void add(const PickleValue::Entries& entries, const std::string& prefix) {
    work_.visit(entries.size());
    for (const auto& [key, value] : entries) {
      if (metadata_.size() >= mostEntries) return;
      const auto name = nameUnder(prefix, *key);
      const auto text = name ? plainText(*value) : std::nullopt;
      if (text) metadata_[*name] = *text;
    }
  }

  /// Adds the plain values of the dictionaries among `entries`, in theirs and so on, each under the
  /// keys that lead to it, joined by dots.
  void addNested(const PickleValue::Entries& entries, const std::string& prefix, int levels = 4) {
    if (levels == 0) return;
    for (const auto& [key, value] : entries) {
      if (isFull()) return;
      const PickleValue::Entries& nested = entriesOf(*value);
      const auto name = nested.empty() ? std::nullopt : nameUnder(prefix, *key);
      if (!name) continue;
      visited_ += nested.size();
      add(nested, *name + ".");
      addNested(nested, *name + ".", levels - 1);
    }
  }

  std::map<std::string, std::string> take() { return std::move(metadata_); }

 private:
  static constexpr std::size_t mostEntries = 600;
  static constexpr std::size_t mostVisited = 10'000;
  static constexpr std::size_t longestName = 256;

  bool isFull() const { return metadata_.size() >= mostEntries || visited_ >= mostVisited; }

  static std::optional<std::string> nameUnder(const std::string& prefix, const PickleValue& key) {
    const bool isName = key.is(Kind::String) && prefix.size() + key.text.size() <= longestName;
    return isName && isUtf8(key.text) ? std::optional(prefix + key.text) : std::nullopt;
  }

  WorkBudget& work_;
  std::map<std::string, std::string> metadata_;
  std::size_t visited_ = 0;
};

/// Places class names in the order of their numbers; empty unless these are 0, 1, 2, ...
std::vector<std::string> orderedNames(const PickleValue::Entries& numbered) {
  std::vector<std::string> names(numbered.size());
  std::vector<bool> given(numbered.size());
  for (const auto& [name, number] : numbered) {
    const bool fits = name->is(Kind::String) && number->is(Kind::Integer) && number->integer >= 0 &&
                      static_cast<std::size_t>(number->integer) < names.size();
    if (!fits || given[static_cast<std::size_t>(number->integer)]) return {};
    given[static_cast<std::size_t>(number->integer)] = true;
    names[static_cast<std::size_t>(number->integer)] = name->text;
  }
  return names;
}

/// Returns the class names that torchvision's data sets know as `class_to_idx` and `classes`; empty
/// if there are none.
std::vector<std::string> classNamesIn(const PickleValue::Entries& top, WorkBudget& work) {
  constexpr std::size_t mostClasses = 100'000;
  if (const PickleValue* numbered = findEntry(top, "class_to_idx", work)) {
    if (numbered->entries.size() > mostClasses) return {};
    work.visit(numbered->entries.size());
    return orderedNames(numbered->entries);
  }
  const PickleValue* list = findEntry(top, "classes", work);
  if (!list || list->items.size() > mostClasses) return {};
  work.visit(list->items.size());
  std::vector<std::string> names;
  for (const PickleValue* item : list->items) {
    if (!item->is(Kind::String)) return {};
    names.push_back(item->text);
  }
  return names;
}

/// Adds class names as the JSON list that converted files have under `classes`.
void addClassNames(const PickleValue::Entries& top, WorkBudget& work,
                   std::map<std::string, std::string>& metadata) {
  constexpr std::size_t longest = 1 << 20;
  const std::vector<std::string> names = classNamesIn(top, work);
  std::size_t letters = 0;
  for (const std::string& name : names) letters += name.size();
  if (names.empty() || letters > longest || !std::ranges::all_of(names, isUtf8)) return;
  metadata["classes"] = nlohmann::json(names).dump();
}

}  // namespace

std::map<std::string, std::string> collectMetadata(const PickleValue& root,
                                                   const std::string& weightsKey,
                                                   WorkBudget& work) {
  const PickleValue::Entries& top = root.entries;
  PlainEntries plain(work);
  plain.add(top, "");
  std::vector<std::pair<std::string, const PickleValue::Entries*>> found;
  for (const char* key : trainersDictionaries) {
    const PickleValue* arguments = findEntry(top, key, work);
    if (!arguments) continue;
    found.emplace_back(std::string(key) + ".", &entriesOf(*arguments));
    plain.add(*found.back().second, found.back().first);
  }
  // After what lies at the top of each, so that no nested value takes the place of one of these.
  for (const auto& [prefix, entries] : found) plain.addNested(*entries, prefix);
  std::map<std::string, std::string> metadata = plain.take();
  addClassNames(top, work, metadata);
  const PickleValue* module = valueOfWeights(root, weightsKey, work);
  if (!module) return metadata;
  for (const auto& [name, text] : moduleAttributes(*module, work)) {
    metadata[moduleAttributesPlace + name] = text;
  }
  return metadata;
}

}  // namespace softscope
