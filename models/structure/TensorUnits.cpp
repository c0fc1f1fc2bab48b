#include "models/structure/TensorUnits.h"

#include "core/text/Words.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace softscope {

namespace {

enum class UnitRole { Weight, Bias, Statistics };

struct RoleOfTensor {
  std::string_view unit;
  UnitRole role;
};

/// Splits `a.norm.weight` into `a.norm` and its role; nothing for a tensor that stands alone.
std::optional<RoleOfTensor> roleOf(std::string_view name) {
  constexpr std::pair<std::string_view, UnitRole> endings[] = {
      {"weight", UnitRole::Weight},
      {"bias", UnitRole::Bias},
      {"running_mean", UnitRole::Statistics},
      {"running_var", UnitRole::Statistics},
      {"num_batches_tracked", UnitRole::Statistics},
  };
  for (const auto& [ending, role] : endings) {
    if (name.size() <= ending.size() + 1 || !name.ends_with(ending)) continue;
    const char separator = name[name.size() - ending.size() - 1];
    const bool isJoined = separator == '_' && role != UnitRole::Statistics;
    if (separator == '.' || isJoined) {
      return RoleOfTensor{name.substr(0, name.size() - ending.size() - 1), role};
    }
  }
  return std::nullopt;
}

/// The names of a norm's weight and bias other than PyTorch's.
struct NormNames {
  std::string_view weight;
  std::string_view bias;
};

constexpr NormNames ownNormNames[] = {{"gamma", "beta"}, {"g", "b"},        {"scale", "shift"},
                                      {"alpha", "beta"}, {"gain", "bias"},  {"a_2", "b_2"},
                                      {"w", "b"},        {"alpha", "bias"}, {"scale", "bias"},
                                      {"g", "bias"},     {"gain", "shift"}, {"gamma", "bias"}};

/// Returns true for two vectors of the same length.
bool areVectors(const torch::Tensor& one, const torch::Tensor& other) {
  return one.dim() == 1 && one.sizes() == other.sizes() && one.size(0) > 1;
}

/// Returns the role of one of two vectors that stand beside each other in a module as weight and
/// bias of a norm: `a.norm.gamma`, `a.norm.beta`. Other names than these are those of norms only in
/// a module that is called one.
std::optional<RoleOfTensor> roleInNorm(const StateDict& state, const StateDict::Entry& entry) {
  const std::string_view name = entry.name;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || entry.tensor.dim() != 1) return std::nullopt;
  const std::string module(name.substr(0, dot));
  const std::string_view last = name.substr(dot + 1);
  for (const NormNames& names : ownNormNames) {
    if (last != names.weight && last != names.bias) continue;
    const bool isWeight = last == names.weight;
    const std::string other = module + '.' + std::string(isWeight ? names.bias : names.weight);
    const torch::Tensor* beside = state.find(other);
    const bool isUsual = names.weight == "gamma" && names.bias == "beta";
    if (beside == nullptr || !areVectors(entry.tensor, *beside)) continue;
    if (!isUsual && (!isCalledNorm(module) || state.contains(module + ".weight"))) {
      continue;
    }
    return RoleOfTensor{name.substr(0, dot), isWeight ? UnitRole::Weight : UnitRole::Bias};
  }
  return std::nullopt;
}

TensorUnit bareUnit(const StateDict::Entry& entry) {
  return {.name = entry.name,
          .weight = entry.name,
          .bias = {},
          .shape = entry.tensor.sizes().vec(),
          .biasShape = {},
          .isBare = true};
}

/// Adds one tensor to a unit.
void addToUnit(const StateDict::Entry& entry, UnitRole role, TensorUnit& unit) {
  if (role == UnitRole::Weight) {
    unit.weight = entry.name;
    unit.shape = entry.tensor.sizes().vec();
  } else {
    unit.bias = entry.name;
    unit.biasShape = entry.tensor.sizes().vec();
  }
}

bool isDigitOfPath(char character) {
  return character >= '0' && character <= '9';
}

/// Returns the block that a tensor stands in, its path up to the last number: `layers.3` for
/// `layers.3.norm.weight`. Without a number, the layer: `head` for `head.bias`.
std::string_view blockOf(std::string_view name) {
  const std::string_view layer = name.substr(0, name.rfind('.'));
  for (std::string_view path = layer; !path.empty();) {
    const std::size_t dot = path.rfind('.');
    const std::string_view last = dot == std::string_view::npos ? path : path.substr(dot + 1);
    const bool isNumber = !last.empty() && std::ranges::all_of(last, isDigitOfPath);
    if (isNumber) return path;
    path = path.substr(0, dot == std::string_view::npos ? 0 : dot);
  }
  return layer;
}

/// Returns what all blocks of a kind have in common: `layers.` for `layers.3`; nothing for a layer
/// outside of blocks.
std::string kindOfBlock(std::string_view block) {
  const std::string_view last = block.substr(block.rfind('.') + 1);
  if (last.empty() || !std::ranges::all_of(last, isDigitOfPath)) return {};
  std::string kind(block);
  std::erase_if(kind, isDigitOfPath);
  return kind;
}

/// Names of one type of numbers, in the order of the file.
struct NamesInOrder {
  std::string_view last;
  std::size_t count = 0;
  bool descends = false;  ///< whether one stands before another that comes first in the alphabet

  void add(std::string_view name) {
    descends = descends || last > name;
    last = name;
    ++count;
  }
};

/// Blocks of one kind with several names each.
struct BlocksInOrder {
  std::size_t count = 0;
  std::size_t descending = 0;  ///< those with names that descend
};

/// A tensor's place in a list of numbered blocks, by the first number in its path: `layers` and 3
/// for `layers.3.mlp.0.weight`.
struct PlaceInList {
  std::string_view list;
  int number = 0;
};

std::optional<PlaceInList> placeInList(std::string_view name) {
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos;) {
    const std::size_t end = name.find('.', dot + 1);
    if (end == std::string_view::npos) return std::nullopt;
    const auto number = parseNumber<int>(name.substr(dot + 1, end - dot - 1));
    if (number) return PlaceInList{name.substr(0, dot), *number};
    dot = end;
  }
  return std::nullopt;
}

/// Returns true if at least eleven blocks stand by their numbers, 9 before 10, and the names before
/// or behind them stand there against the alphabet as well. Of sorted files that were joined, one
/// would have to end at each of these places.
bool standByNumber(const StateDict& state) {
  constexpr int firstOutOfAlphabet = 10;
  std::string_view before;
  std::string_view list;
  int number = -1;
  bool isByNumber = false;
  bool isBehindItsStem = false;
  for (const StateDict::Entry& entry : state.entries()) {
    // Integers, such as counters of batches, may stand before all else.
    if (!entry.tensor.is_floating_point()) continue;
    const auto place = placeInList(entry.name);
    if (!place || place->list != list) {
      const bool isWhole = isByNumber && number >= firstOutOfAlphabet;
      if (isWhole && (isBehindItsStem || before > entry.name)) return true;
      list = place ? place->list : std::string_view();
      number = place ? place->number : -1;
      isByNumber = number == 0;
      isBehindItsStem = before > entry.name;
    } else if (place->number != number) {
      isByNumber = isByNumber && place->number == number + 1;
      number = place->number;
    }
    before = entry.name;
  }
  return isByNumber && number >= firstOutOfAlphabet && isBehindItsStem;
}

}  // namespace

bool TensorUnit::isNorm(std::int64_t channels) const {
  return !isBare && !isBatchNorm && shape == std::vector<std::int64_t>{channels} &&
         (bias.empty() || biasShape == shape);
}

std::vector<TensorUnit> tensorUnits(const StateDict& state) {
  std::vector<TensorUnit> units;
  std::unordered_map<std::string_view, std::size_t> places;
  std::vector<const StateDict::Entry*> statistics;
  for (const StateDict::Entry& entry : state.entries()) {
    const auto ofNorm = roleInNorm(state, entry);
    const auto role = ofNorm ? ofNorm : roleOf(entry.name);
    // Batch counters may stand before all else, as integers do in safetensors.
    if (role && role->role == UnitRole::Statistics) {
      statistics.push_back(&entry);
      continue;
    }
    if (!role) {
      units.push_back(bareUnit(entry));
      continue;
    }
    const auto [place, isNew] = places.try_emplace(role->unit, units.size());
    if (isNew) units.push_back({.name = std::string(role->unit)});
    addToUnit(entry, role->role, units[place->second]);
  }
  for (const StateDict::Entry* entry : statistics) {
    const auto place = places.find(roleOf(entry->name)->unit);
    if (place == places.end()) {
      units.push_back(bareUnit(*entry));
    } else {
      units[place->second].isBatchNorm = true;
    }
  }
  for (TensorUnit& unit : units) {
    if (!unit.weight.empty()) continue;
    // A bias without a weight is a parameter of its own.
    unit.weight = unit.name = unit.bias.empty() ? unit.name : unit.bias;
    unit.shape = unit.biasShape;
    unit.bias.clear();
    unit.biasShape.clear();
    unit.isBare = true;
  }
  return units;
}

bool keepsLayerOrder(const StateDict& state) {
  std::map<int, NamesInOrder> wholes;
  std::map<std::pair<int, std::string_view>, NamesInOrder> blocks;
  for (const StateDict::Entry& entry : state.entries()) {
    const auto type = static_cast<int>(entry.tensor.scalar_type());
    wholes[type].add(entry.name);
    blocks[{type, blockOf(entry.name)}].add(entry.name);
  }
  std::map<std::string, BlocksInOrder> kinds;
  for (const auto& [block, names] : blocks) {
    if (names.count < 2) continue;
    BlocksInOrder& kind = kinds[kindOfBlock(block.second)];
    ++kind.count;
    kind.descending += names.descends;
  }
  std::erase_if(kinds, [](const auto& kind) { return kind.second.count < 2; });
  if (kinds.empty()) {
    return std::ranges::any_of(wholes, [](const auto& whole) { return whole.second.descends; });
  }
  // Where sorted files were joined, the names of few blocks descend: of those at the joints.
  const bool descend = std::ranges::any_of(
      kinds, [](const auto& kind) { return 2 * kind.second.descending > kind.second.count; });
  return descend || standByNumber(state);
}

bool isReadableByStructure(const StateDict& state) {
  constexpr std::size_t mostTensors = 1 << 16;
  constexpr std::size_t mostLetters = 1 << 23;
  std::size_t letters = 0;
  for (const StateDict::Entry& entry : state.entries()) letters += entry.name.size();
  return state.size() <= mostTensors && letters <= mostLetters;
}

std::string parentPath(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? std::string() : name.substr(0, dot);
}

std::string commonPath(std::span<const std::string> names) {
  if (names.empty()) return {};
  std::string shared = parentPath(names.front());
  const auto isBelow = [&](const std::string& name) {
    return shared.empty() ||
           (name.size() > shared.size() && name.starts_with(shared) && name[shared.size()] == '.');
  };
  while (!std::ranges::all_of(names, isBelow)) shared = parentPath(shared);
  return shared;
}

std::string lastPartOfName(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return lowerCase(dot == std::string::npos ? name : name.substr(dot + 1));
}

bool isAtOrBelow(const std::string& name, const std::string& path) {
  return !path.empty() && name.starts_with(path) &&
         (name.size() == path.size() || name[path.size()] == '.');
}

int numberOfSibling(const std::string& name) {
  return parseNumber<int>(lastPartOfName(name)).value_or(-1);
}

int numberAtEnd(const std::string& name) {
  constexpr std::size_t mostDigits = 4;
  std::size_t begin = name.size();
  while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') --begin;
  if (begin == name.size() || name.size() - begin > mostDigits) return -1;
  return std::stoi(name.substr(begin));
}

bool hasWord(const std::string& name, std::initializer_list<std::string_view> wanted) {
  const std::string text = lowerCase(name);
  const auto isLetter = [](char character) { return character >= 'a' && character <= 'z'; };
  for (auto begin = std::ranges::find_if(text, isLetter); begin != text.end();) {
    const auto end = std::find_if_not(begin, text.end(), isLetter);
    if (std::ranges::find(wanted, std::string_view(begin, end)) != wanted.end()) return true;
    begin = std::find_if(end, text.end(), isLetter);
  }
  return false;
}

bool isCalledNorm(const std::string& module) {
  const std::string last = lastPartOfName(module);
  return mentions(last, {"norm", "nrm"}) || hasWord(last, {"ln", "lnx", "rms"});
}

bool mentions(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

}  // namespace softscope
