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
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
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

/// Returns true if the last word of `text` denies the next one: `model_non_`.
bool endsWithDenial(std::string_view text) {
  while (!text.empty() && (text.back() == '_' || text.back() == '-')) text.remove_suffix(1);
  constexpr std::string_view denials[] = {"no", "non", "not", "without", "wo"};
  return std::ranges::any_of(denials, [&](std::string_view denial) {
    return text == denial || text.ends_with("_" + std::string(denial)) ||
           text.ends_with("-" + std::string(denial)) || text.ends_with("." + std::string(denial));
  });
}

/// Returns true for the keys above and for any other with the word `ema`: `netG.ema`, `best_ema`;
/// not for `model_non_ema`.
bool isEma(std::string_view key) {
  if (std::ranges::find(emaKeys, key) != std::end(emaKeys)) return true;
  constexpr std::string_view word = "ema";
  const std::string lower = lowerCase(std::string(key.substr(0, longestKnownKey)));
  const auto isLetter = [&](std::size_t at) {
    return at < lower.size() && std::isalnum(static_cast<unsigned char>(lower[at])) != 0;
  };
  for (std::size_t at = lower.find(word); at != std::string::npos; at = lower.find(word, at + 1)) {
    const bool begins =
        (at == 0 || !isLetter(at - 1)) && !endsWithDenial(std::string_view(lower).substr(0, at));
    if (begins && !isLetter(at + word.size())) return true;
  }
  return false;
}

std::ptrdiff_t tensorsIn(const NamedValues& entries) {
  return std::ranges::count_if(entries,
                               [](const auto& entry) { return isPickledTensor(*entry.second); });
}

/// Finds copies of the weights, each under its own key or as the file itself.
class CopySearch {
 public:
  CopySearch(const PickleValue::Entries& top, WorkBudget& work)
      : work_(work),
        isAveragedByLightning_(findEntry(top, "averaging_state", work) &&
                               findEntry(top, "current_model_state", work)) {}

  /// Takes the average, or the weights as trained: the first under a known key, or the only map
  /// under a key that says which it is.
  std::optional<SelectedWeights> takeAs(const PickleValue::Entries& top, bool average) {
    const auto takeAt = [&](Depth depth) {
      auto copy = average ? takeFirst(top, emaKeys, depth) : takeFirst(top, rawKeys, depth);
      if (copy && isAverage(copy->weightsKey) == average) return copy;
      const auto accepts = [&](std::string_view key) { return isAverage(key) == average; };
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
    const bool isBeside =
        bare && largestUnderKey(top) > static_cast<std::size_t>(tensorsIn(bare->entries));
    auto deeper = takeOnly(top, accepts, Depth::KeyOfKey);
    if (!deeper && largestUnderKey(top) == 0) {
      deeper = takeFirst(top, publishedKeys, Depth::KeyOfKey);
    }
    return either(bare && !isBeside ? std::move(bare) : std::move(only), std::move(deeper));
  }

  /// Takes one of two encoders that a training stores under two keys of its file, as I-JEPA and MSN
  /// do. Returns nothing if there are no two of the same tensors.
  std::optional<SelectedWeights> takeOfMomentumPair(const PickleValue::Entries& top,
                                                    WeightsChoice choice);

 private:
  /// Where a copy is: under a key of the file, or under a key of the map there.
  enum class Depth { Key, KeyOfKey };

  /// Returns true for the key of an average. (Lightning's WeightAveraging swaps the two, and keeps
  /// the weights as trained under another key.)
  bool isAverage(std::string_view key) const {
    return isEma(key) || (isAveragedByLightning_ && key == "state_dict");
  }

  SelectedWeights takeCopy(NamedValues entries, std::string_view key) const {
    return {std::move(entries), isAverage(key) ? "ema" : "raw", std::string(key), {}};
  }

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
  bool isAveragedByLightning_;
};

/// Returns true for keys of what a training holds beside its networks.
bool isOfNoNetwork(std::string_view key) {
  constexpr std::string_view words[] = {"loss", "criterion", "rng", "random"};
  return std::ranges::any_of(
      words, [&](std::string_view word) { return key.find(word) != std::string_view::npos; });
}

/// The sizes of the tensors of a copy, by name.
using SizesByName = std::unordered_map<std::string_view, std::vector<std::int64_t>>;

SizesByName sizesByName(const NamedValues& entries) {
  SizesByName sizes;
  for (const auto& [name, value] : entries) {
    if (!isPickledTensor(*value)) continue;
    try {
      sizes.emplace(name, describeTensor(*value).sizes);
    } catch (const Malformed&) {
      continue;  // Of a kind that cannot be described.
    }
  }
  return sizes;
}

/// Returns the sizes of a network's tensors under the names that they have without wrappers.
SizesByName sizesWithoutWrapper(const NamedValues& entries) {
  const SizesByName whole = sizesByName(entries);
  std::vector<std::string_view> names;
  for (const auto& [name, sizes] : whole) names.push_back(name);
  const std::string prefix = wrapperPrefix(names);
  SizesByName within;
  for (const auto& [name, sizes] : whole) {
    if (name.starts_with(prefix)) within.emplace(name.substr(prefix.size()), sizes);
  }
  return within;
}

/// Returns true if the tensors of two copies have other names or shapes than each other, for the
/// most part or for blocks: they are of two networks.
bool areOfTwoNetworks(const NamedValues& some, const NamedValues& others) {
  const SizesByName first = sizesWithoutWrapper(some);
  const SizesByName second = sizesWithoutWrapper(others);
  std::size_t twins = 0;
  for (const auto& [name, sizes] : first) {
    const auto twin = second.find(name);
    if (twin == second.end()) continue;
    if (twin->second != sizes) return true;
    ++twins;
  }
  // Heads for training may stand in one copy alone.
  return 4 * twins < 3 * std::max(first.size(), second.size());
}

std::optional<SelectedWeights> CopySearch::takeOfMomentumPair(const PickleValue::Entries& top,
                                                              WeightsChoice choice) {
  for (const MomentumPair& pair : momentumPairs()) {
    const auto keyOf = [](std::string_view prefix) { return prefix.substr(0, prefix.size() - 1); };
    const std::string_view keys[] = {keyOf(pair.trained), keyOf(pair.average)};
    auto trained = takeFirst(top, std::span(keys).first(1));
    auto average = takeFirst(top, std::span(keys).last(1));
    if (!trained || !average || areOfTwoNetworks(trained->entries, average->entries)) continue;
    if (takePublished(top)) return std::nullopt;
    average->weights = "ema";
    const NamedAverage named{.prefix = std::string(pair.average),
                             .isForTraining = !pair.isAverageEvaluated};
    return wantsAverage(choice, named) ? std::move(average) : std::move(trained);
  }
  return std::nullopt;
}

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
  const auto isElsewhere = [&](std::string_view key) {
    const bool isCopy =
        isEma(key) || std::ranges::find(publishedKeys, key) != std::end(publishedKeys);
    return key != selected.weightsKey && key.size() <= longestName && !isCopy &&
           !isOfTraining(key) && !isOfNoNetwork(key);
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

constexpr std::string_view teacherKey = "teacher";

[[noreturn]] void failBetweenNetworks(const std::string& student, const std::string& teacher) {
  throw Malformed("holds two networks, the student of a distillation below " + student +
                  " and its teacher below " + teacher +
                  ": --weights raw opens the student, --weights ema the teacher");
}

/// Throws Malformed if the teacher is no average of the student, but another network, and nothing
/// says which of the two is meant.
void refuseOtherTeacher(CopySearch& search, const PickleValue::Entries& top, WeightsChoice choice,
                        const SelectedWeights& teacher) {
  if (choice != WeightsChoice::Published) return;
  const auto student = search.takeAs(top, false);
  if (!student || isOfNoNetwork(student->weightsKey)) return;
  if (!areOfTwoNetworks(student->entries, teacher.entries)) return;
  failBetweenNetworks(quotedText(student->weightsKey), quotedText(teacher.weightsKey));
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
    failBetweenNetworks(quotedText(average.student), quotedText(average.prefix));
  }
  return !average.isForTraining;
}

SelectedWeights selectWeights(const PickleValue& root, WeightsChoice choice, WorkBudget& work) {
  const PickleValue::Entries& top = root.entries;
  CopySearch search(top, work);
  const bool wantsEma = choice == WeightsChoice::Ema;
  if (auto encoder = search.takeOfMomentumPair(top, choice)) {
    encoder->beside = tensorsBeside(top, *encoder);
    return std::move(*encoder);
  }
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
  const SizesByName sizes = sizesByName(published->entries);
  const auto haveOneShape = [&](const std::string& one, const std::string& other) {
    const auto first = sizes.find(one);
    const auto second = sizes.find(other);
    return first == sizes.end() || second == sizes.end() || first->second == second->second;
  };
  if (const NamedAverage average = namedAverage(names, haveOneShape); !average.prefix.empty()) {
    takeNamedCopy(average, choice, *published);
    return std::move(*published);
  }
  if (areAveraged(names)) published->weights = "ema";
  if (published->weightsKey == teacherKey) refuseOtherTeacher(search, top, choice, *published);
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
