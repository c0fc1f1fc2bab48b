#include "core/checkpoint/WeightsSelection.h"

#include "core/checkpoint/MissingWeights.h"
#include "core/checkpoint/NamePrefix.h"
#include "core/checkpoint/PickledTensor.h"
#include "core/files/Malformed.h"
#include "core/files/WorkBudget.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>

namespace softscope {

namespace {

using Kind = PickleValue::Kind;

constexpr std::string_view rawKeys[] = {"model", "state_dict", "net", "student"};
constexpr std::string_view emaKeys[] = {
    "state_dict_ema",       "model_ema", "teacher", "ema", "ema_state_dict", "params_ema",
    "model_ema_state_dict", "ema_model"};

/// No key of weights is longer.
constexpr std::size_t longestKnownKey = 256;

/// Returns true for the keys above and for any other with the word `ema`: `netG.ema`, `best_ema`.
bool isEma(std::string_view key) {
  if (std::ranges::find(emaKeys, key) != std::end(emaKeys)) return true;
  constexpr std::string_view word = "ema";
  const std::string lower = lowerCase(std::string(key.substr(0, longestKnownKey)));
  const auto isLetter = [&](std::size_t at) {
    return at < lower.size() && std::isalnum(static_cast<unsigned char>(lower[at])) != 0;
  };
  for (std::size_t at = lower.find(word); at != std::string::npos; at = lower.find(word, at + 1)) {
    const bool begins = at == 0 || !isLetter(at - 1);
    if (begins && !isLetter(at + word.size())) return true;
  }
  return false;
}

SelectedWeights takeCopy(NamedValues entries, std::string_view key) {
  return {std::move(entries), isEma(key) ? "ema" : "raw", std::string(key), {}};
}

std::ptrdiff_t tensorsIn(const NamedValues& entries) {
  return std::ranges::count_if(entries,
                               [](const auto& entry) { return isPickledTensor(*entry.second); });
}

/// Finds copies of the weights, each under its own key or as the file itself.
class CopySearch {
 public:
  explicit CopySearch(WorkBudget& work) : work_(work) {}

  /// Takes the average, or the weights as trained: the first under a known key, or the only map
  /// under a key that says which it is.
  std::optional<SelectedWeights> takeAs(const PickleValue::Entries& top, bool average) {
    const auto takeAt = [&](Depth depth) {
      auto copy = average ? takeFirst(top, emaKeys, depth) : takeFirst(top, rawKeys, depth);
      if (copy && isEma(copy->weightsKey) == average) return copy;
      const auto accepts = [average](std::string_view key) { return isEma(key) == average; };
      return takeOnly(top, accepts, depth);
    };
    return either(takeAt(Depth::Key), takeAt(Depth::KeyOfKey));
  }

  std::optional<SelectedWeights> takePublishedOrOnly(const PickleValue& root) {
    const PickleValue::Entries& top = root.entries;
    if (auto copy = takePublished(top)) return copy;
    const auto accepts = [](std::string_view) { return true; };
    auto bare = takeBare(root);
    auto only = takeOnly(top, accepts, Depth::Key);
    // A number that was saved as a tensor may stand beside the weights.
    const bool isBeside = bare && only && tensorsIn(only->entries) > tensorsIn(bare->entries);
    auto deeper = takeOnly(top, accepts, Depth::KeyOfKey);
    if (!deeper && largestUnderKey(top) == 0) {
      deeper = takeFirst(top, publishedKeys, Depth::KeyOfKey);
    }
    return either(bare && !isBeside ? std::move(bare) : std::move(only), std::move(deeper));
  }

 private:
  /// Where a copy is: under a key of the file, or under a key of the map there.
  enum class Depth { Key, KeyOfKey };

  /// Returns the copy under a key of the file if there is one, unless its tensors are few beside
  /// those of the copy further down.
  static std::optional<SelectedWeights> either(std::optional<SelectedWeights> copy,
                                               std::optional<SelectedWeights> deeper) {
    const bool isDeeper =
        deeper && (!copy || 2 * tensorsIn(copy->entries) < tensorsIn(deeper->entries));
    return isDeeper ? std::move(deeper) : std::move(copy);
  }

  /// Takes the copy under the first of `keys` whose value is a map of tensors. (CvT's training
  /// files have a string under `model`.)
  std::optional<SelectedWeights> takeFirst(const PickleValue::Entries& top,
                                           std::span<const std::string_view> keys,
                                           Depth depth = Depth::Key) {
    for (const std::string_view key : keys) {
      const PickleValue* value = findEntry(top, key, work_);
      if (!value) continue;
      if (auto copy = copyUnder(key, *value, depth)) return copy;
    }
    return std::nullopt;
  }

  /// Takes the copy that the authors evaluate. timm's CheckpointSaver stores `state_dict_ema`
  /// beside `state_dict`, and evaluation uses the former; if `model_ema` stands beside `model`,
  /// evaluation uses `model`.
  std::optional<SelectedWeights> takePublished(const PickleValue::Entries& top) {
    constexpr std::string_view timmRaw[] = {"state_dict"};
    constexpr std::string_view timmEma[] = {"state_dict_ema"};
    if (takeFirst(top, timmRaw)) {
      if (auto ema = takeFirst(top, timmEma)) return ema;
    }
    return takeFirst(top, publishedKeys);
  }

  /// Takes the only map of tensors in the file, under any key that `accepts`; of several, the one
  /// that has at least twice as many as any other.
  template <typename Accepts>
  std::optional<SelectedWeights> takeOnly(const PickleValue::Entries& top, const Accepts& accepts,
                                          Depth depth) {
    std::optional<SelectedWeights> largest;
    std::size_t second = depth == Depth::KeyOfKey ? largestUnderKey(top) : 0;
    for (const auto& [key, value] : top) {
      work_.visit(1);
      work_.touch(std::min(key->text.size(), longestKnownKey));
      if (!key->is(Kind::String)) continue;
      if (depth == Depth::Key && !accepts(key->text)) continue;
      auto copy = copyUnder(key->text, *value, depth);
      if (!copy || !accepts(copy->weightsKey)) continue;
      const std::size_t size = copy->entries.size();
      if (largest && size <= largest->entries.size()) {
        second = std::max(second, size);
        continue;
      }
      if (largest) second = std::max(second, largest->entries.size());
      largest = std::move(copy);
    }
    if (largest && largest->entries.size() < 2 * second) return std::nullopt;
    return largest;
  }

  /// Returns how many entries the largest map of tensors under a key of the file has.
  std::size_t largestUnderKey(const PickleValue::Entries& top) {
    std::size_t largest = 0;
    work_.visit(top.size());
    for (const auto& [key, value] : top) {
      if (key->is(Kind::String)) largest = std::max(largest, namedTensors(*value).size());
    }
    return largest;
  }

  /// Takes the tensors under a key, or those of the only map of tensors in the map there, as in
  /// `{"ema": {"module": weights, "updates": 9}}`.
  std::optional<SelectedWeights> copyUnder(std::string_view key, const PickleValue& value,
                                           Depth depth) {
    if (depth == Depth::Key) {
      NamedValues entries = namedTensors(value);
      if (entries.empty()) return std::nullopt;
      return takeCopy(std::move(entries), key);
    }
    constexpr std::size_t mostBeside = 32;
    if (value.entries.size() > mostBeside || isOfTraining(key)) return std::nullopt;
    std::optional<SelectedWeights> inner;
    for (const auto& [name, held] : value.entries) {
      const bool isNamed = name->is(Kind::String) && name->text.size() <= longestKnownKey;
      if (!isNamed || isOfTraining(name->text)) continue;
      NamedValues entries = namedTensors(*held);
      if (entries.empty()) continue;
      if (inner) return std::nullopt;
      inner = takeCopy(std::move(entries), std::string(key) + "." + std::string(name->text));
    }
    return inner;
  }

  /// Takes the file itself, if it is a state dict or a module.
  std::optional<SelectedWeights> takeBare(const PickleValue& root) {
    NamedValues entries = namedTensors(root);
    if (entries.empty()) return std::nullopt;
    return takeCopy(std::move(entries), "");
  }

  /// Returns the entries of a state dict or of a whole pickled module; empty if none of them is a
  /// tensor.
  NamedValues namedTensors(const PickleValue& value) {
    if (NamedValues module = moduleEntries(value, work_); holdsTensors(module)) return module;
    const PickleValue::Entries& entries = value.entries;
    work_.visit(entries.size());
    const bool holdsAny = std::ranges::any_of(entries, [](const auto& entry) {
      return entry.first->is(Kind::String) && isPickledTensor(*entry.second);
    });
    NamedValues named;
    if (!holdsAny) return named;
    NameBudget names;
    work_.visit(entries.size());
    for (const auto& [key, held] : entries) {
      if (!key->is(Kind::String)) continue;
      names.spend(key->text.size());
      named.emplace_back(key->text, held);
    }
    return named;
  }

  static bool holdsTensors(const NamedValues& entries) {
    return std::ranges::any_of(entries,
                               [](const auto& entry) { return isPickledTensor(*entry.second); });
  }

  WorkBudget& work_;
};

/// Keeps the copy that `choice` asks for, in a state dict that holds the weights and their average
/// under two prefixes.
void takeNamedCopy(const NamedAverage& average, WeightsChoice choice, SelectedWeights& selected) {
  const bool isWanted = wantsAverage(choice, average);
  std::erase_if(selected.entries,
                [&](const auto& entry) { return !average.isOfCopy(entry.first, isWanted); });
  if (!isWanted || !average.student.empty()) return;
  selected.weights = "ema";
  selected.weightsKey = average.prefix.substr(0, average.prefix.size() - 1);
}

/// Returns true for a tensor of real numbers with dimensions, unlike a loss, an accuracy or the
/// state of a random generator.
bool isArrayOfNumbers(const PickleValue& value) {
  if (!isPickledTensor(value)) return false;
  try {
    const PickledTensor tensor = describeTensor(value);
    return !tensor.sizes.empty() && c10::isFloatingType(tensor.type);
  } catch (const Malformed&) {
    return true;  // Of a kind that cannot be described.
  }
}

/// Returns the names of tensors under other keys than that of the selected weights, such as a
/// classifier's that was saved beside its backbone; without those of training and of other copies
/// of the same weights. Lists no more than the first of many.
std::vector<std::string> tensorsBeside(const PickleValue::Entries& top,
                                       const SelectedWeights& selected) {
  constexpr std::size_t mostVisited = 10'000;
  constexpr std::size_t mostNames = 100;
  constexpr std::size_t longestName = 256;
  // Beside the names of a whole module stand the tables of its own buffers and parameters.
  if (selected.weightsKey.empty()) return {};
  std::unordered_set<std::string_view> chosen;
  for (const auto& [name, value] : selected.entries) {
    chosen.insert(name);
    if (chosen.size() >= mostVisited) break;
  }
  constexpr std::string_view otherWords[] = {"loss", "criterion", "rng", "random"};
  const auto isElsewhere = [&](std::string_view key) {
    const bool isCopy =
        isEma(key) || std::ranges::find(publishedKeys, key) != std::end(publishedKeys);
    return key != selected.weightsKey && key.size() <= longestName && !isCopy &&
           !isOfTraining(key) && std::ranges::none_of(otherWords, [&](std::string_view word) {
             return key.find(word) != std::string_view::npos;
           });
  };
  std::vector<std::string> beside;
  std::size_t visited = 0;
  for (const auto& [key, value] : top) {
    if (++visited > mostVisited || beside.size() >= mostNames) break;
    if (!key->is(Kind::String) || !isElsewhere(key->text)) continue;
    std::vector<std::string_view> names;
    std::size_t twins = 0;
    for (const auto& [name, held] : value->entries) {
      if (++visited > mostVisited) break;
      const bool isNamed = name->is(Kind::String) && name->text.size() <= longestName;
      if (!isNamed || !isArrayOfNumbers(*held)) continue;
      names.push_back(name->text);
      twins += chosen.contains(name->text);
    }
    if (2 * twins > names.size()) continue;
    for (const std::string_view name : names) {
      std::string whole = key->text + "." + std::string(name);
      if (beside.size() < mostNames && isUtf8(whole)) beside.push_back(std::move(whole));
    }
  }
  return beside;
}

/// Nothing says which of two copies the authors evaluate.
[[noreturn]] void failBetweenCopies(const SelectedWeights& raw, const SelectedWeights& average) {
  throw Malformed("holds the weights as trained, in " + quotedText(raw.weightsKey) +
                  ", and their running average (EMA), in " + quotedText(average.weightsKey) +
                  ", so ask for one of the two");
}

[[noreturn]] void failWithoutCopy(WeightsChoice choice, const SelectedWeights& other) {
  const std::string place =
      other.weightsKey.empty() ? std::string("the file itself") : quotedText(other.weightsKey);
  if (choice == WeightsChoice::Ema) {
    throw Malformed(
        "holds no running average (EMA) of the weights; the weights as trained are in " + place +
        ", so ask for those");
  }
  throw Malformed("holds only a running average (EMA) of the weights, in " + place +
                  ", so ask for that");
}

}  // namespace

bool wantsAverage(WeightsChoice choice, const NamedAverage& average) {
  if (choice != WeightsChoice::Published) return choice == WeightsChoice::Ema;
  if (!average.student.empty()) {
    throw Malformed("holds two networks, the student of a distillation below " +
                    quotedText(average.student) + " and its teacher below " +
                    quotedText(average.prefix) +
                    ": --weights raw opens the student, --weights ema the teacher");
  }
  // A network that keeps its own average is evaluated with the weights that it computes with.
  return !average.isBesideBareNames;
}

SelectedWeights selectWeights(const PickleValue& root, WeightsChoice choice, WorkBudget& work) {
  const PickleValue::Entries& top = root.entries;
  CopySearch search(work);
  const bool wantsEma = choice == WeightsChoice::Ema;
  std::optional<SelectedWeights> published = search.takePublishedOrOnly(root);
  if (!published) {
    auto raw = search.takeAs(top, false);
    auto average = search.takeAs(top, true);
    if (choice == WeightsChoice::Published) {
      if (raw && average) failBetweenCopies(*raw, *average);
      failWithoutWeights(root, work);
    }
    published = wantsEma ? std::move(average) : std::move(raw);
    if (!published) failWithoutWeights(root, work);
  }
  published->beside = tensorsBeside(top, *published);
  std::vector<std::string_view> names;
  for (const auto& [name, value] : published->entries) names.push_back(name);
  if (const NamedAverage average = namedAverage(names); !average.prefix.empty()) {
    takeNamedCopy(average, choice, *published);
    return std::move(*published);
  }
  if (areAveraged(names)) published->weights = "ema";
  if (choice == WeightsChoice::Published) return std::move(*published);
  if ((published->weights == "ema") == wantsEma) return std::move(*published);
  auto copy = search.takeAs(top, wantsEma);
  // Few tensors are of something else, such as a loss.
  if (!copy || 2 * tensorsIn(copy->entries) <= tensorsIn(published->entries)) {
    failWithoutCopy(choice, *published);
  }
  copy->beside = std::move(published->beside);
  return std::move(*copy);
}

}  // namespace softscope
