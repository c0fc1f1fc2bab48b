#include "models/structure/TensorUnits.h"

#include "models/identify/ShapeReader.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <system_error>
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

/// Returns the same, also for `a.norm.gamma` and `a.norm.beta` that stand beside each other.
std::optional<RoleOfTensor> roleIn(const StateDict& state, std::string_view name) {
  constexpr std::string_view gamma = ".gamma";
  constexpr std::string_view beta = ".beta";
  const auto pairs = [&](std::string_view ending, std::string_view other) {
    return name.ends_with(ending) &&
           state.contains(std::string(name.substr(0, name.size() - ending.size())) +
                          std::string(other));
  };
  if (pairs(gamma, beta)) {
    return RoleOfTensor{name.substr(0, name.size() - gamma.size()), UnitRole::Weight};
  }
  if (pairs(beta, gamma)) {
    return RoleOfTensor{name.substr(0, name.size() - beta.size()), UnitRole::Bias};
  }
  return roleOf(name);
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
    const auto role = roleIn(state, entry.name);
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
  std::map<int, std::string_view> last;
  for (const StateDict::Entry& entry : state.entries()) {
    const auto type = static_cast<int>(entry.tensor.scalar_type());
    const auto [before, isFirst] = last.try_emplace(type, entry.name);
    if (!isFirst && before->second > entry.name) return true;
    before->second = entry.name;
  }
  return false;
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

int numberOfSibling(const std::string& name) {
  const std::string last = lastPartOfName(name);
  int number = -1;
  const char* end = last.data() + last.size();
  const auto [stop, error] = std::from_chars(last.data(), end, number);
  return error == std::errc() && stop == end ? number : -1;
}

bool mentions(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

}  // namespace softscope
