#include "models/structure/RepeatedBlocks.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace softscope {

namespace {

bool isDigitOfName(char character) {
  return std::isdigit(static_cast<unsigned char>(character)) != 0;
}

/// One place of a number in a unit's name.
struct NumberInName {
  std::string_view prefix;
  int number = 0;
  std::size_t end = 0;
};

/// Returns the numbers in a name that can count blocks; longer ones count nothing.
std::vector<NumberInName> numbersInName(std::string_view name) {
  constexpr std::size_t mostNumbers = 8;
  constexpr std::size_t longestName = 512;
  constexpr std::size_t mostDigits = 4;
  std::vector<NumberInName> found;
  if (name.size() > longestName) return found;
  for (std::size_t at = 0; at < name.size() && found.size() < mostNumbers;) {
    if (!isDigitOfName(name[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    int number = 0;
    while (end < name.size() && isDigitOfName(name[end])) {
      if (end - at < mostDigits) number = 10 * number + (name[end] - '0');
      ++end;
    }
    const bool isPlain = end - at == 1 || name[at] != '0';
    if (end - at <= mostDigits && isPlain) found.push_back({name.substr(0, at), number, end});
    at = end;
  }
  return found;
}

/// The units below one prefix, by number.
using NumberedUnits = std::map<int, std::vector<std::pair<std::size_t, std::size_t>>>;

using MembersOfBlock = std::vector<std::pair<std::size_t, std::size_t>>;

/// Returns the name of a unit behind the number of its block.
std::string_view nameBehindNumber(const std::vector<TensorUnit>& units,
                                  const MembersOfBlock::value_type& member) {
  return std::string_view(units[member.first].name).substr(member.second);
}

/// Returns the names and shapes of a block's units as text, in whatever order the file has them.
std::string signatureOf(const std::vector<TensorUnit>& units, const MembersOfBlock& members) {
  std::vector<std::string> parts;
  for (const auto& member : members) {
    std::string& part = parts.emplace_back(nameBehindNumber(units, member));
    part += '|';
    for (const auto* shape : {&units[member.first].shape, &units[member.first].biasShape}) {
      for (const std::int64_t side : *shape) part += std::to_string(side) + ',';
      part += ';';
    }
  }
  std::ranges::sort(parts);
  std::string signature;
  for (const std::string& part : parts) signature += part;
  return signature;
}

/// Puts the units of a block in the order of the first one's. Returns false if they had another.
bool orderLike(const std::vector<TensorUnit>& units, const MembersOfBlock& first,
               MembersOfBlock& members) {
  const auto nameOf = [&](const auto& member) { return nameBehindNumber(units, member); };
  if (std::ranges::equal(first, members, {}, nameOf, nameOf)) return true;
  std::unordered_map<std::string_view, std::size_t> places;
  for (const auto& member : first) places.emplace(nameOf(member), places.size());
  std::ranges::sort(members, {}, [&](const auto& member) { return places[nameOf(member)]; });
  return false;
}

/// Returns the paths below a prefix whose numbers have no units, before the last of `numbers`.
std::vector<std::string> absentMembers(const std::string& prefix, const NumberedUnits& numbered,
                                       const std::vector<int>& numbers) {
  constexpr std::size_t mostNamed = 16;
  std::vector<std::string> absent;
  for (int number = 0; number < numbers.back() && absent.size() < mostNamed; ++number) {
    if (!numbered.contains(number)) absent.push_back(prefix + std::to_string(number));
  }
  const bool countsFromOne = absent.size() == 1 && numbers.front() == 1;
  return countsFromOne && !numbered.contains(0) ? std::vector<std::string>{} : absent;
}

RepeatedBlocks blocksOf(const std::vector<TensorUnit>& units, std::string_view prefix,
                        const NumberedUnits& numbered, const std::vector<int>& numbers) {
  RepeatedBlocks blocks;
  blocks.prefix = std::string(prefix);
  const MembersOfBlock& first = numbered.at(numbers.front());
  for (const int number : numbers) {
    MembersOfBlock members = numbered.at(number);
    blocks.haveOneOrder = orderLike(units, first, members) && blocks.haveOneOrder;
    blocks.paths.push_back(units[members.front().first].name.substr(0, members.front().second));
    std::vector<std::size_t>& indices = blocks.units.emplace_back();
    for (const auto& [unit, end] : members) indices.push_back(unit);
  }
  blocks.numbers = numbers;
  blocks.absent = absentMembers(blocks.prefix, numbered, numbers);
  return blocks;
}

/// Returns the numbers whose units are alike, the most units first; a single number if none are.
std::vector<int> alikeNumbers(const std::vector<TensorUnit>& units, const NumberedUnits& numbered) {
  std::map<std::string, std::vector<int>> alike;
  for (const auto& [number, members] : numbered) {
    alike[signatureOf(units, members)].push_back(number);
  }
  std::vector<int> best;
  const auto weight = [&](const std::vector<int>& numbers) {
    return std::pair(numbers.size() > 1 ? 1 : 0,
                     numbers.size() * numbered.at(numbers.front()).size());
  };
  for (const auto& [signature, numbers] : alike) {
    if (best.empty() || weight(numbers) > weight(best)) best = numbers;
  }
  return best;
}

/// Real files have one copy of their blocks; more take time for nothing.
constexpr std::size_t mostCopies = 8;

/// Two paths whose modules hold the same names.
struct TwinPaths {
  std::string own;
  std::string other;
};

/// Returns two prefixes without the parts at their end that they share: `net.` and `updater.net.`
/// of `net.layers.` and `updater.net.layers.`.
TwinPaths twinPaths(const std::string& own, const std::string& other) {
  const auto shared = static_cast<std::size_t>(
      std::mismatch(own.rbegin(), own.rend(), other.rbegin(), other.rend()).first - own.rbegin());
  const auto startsPart = [&](const std::string& path) {
    return path.size() == shared || path[path.size() - shared - 1] == '.';
  };
  const std::size_t dot = own.find('.', own.size() - shared);
  const bool isWhole = startsPart(own) && startsPart(other);
  if (!isWhole && dot == std::string::npos) return {own, other};
  const std::size_t kept = isWhole ? shared : own.size() - dot - 1;
  return {own.substr(0, own.size() - kept), other.substr(0, other.size() - kept)};
}

bool areEqual(const StateDict& state, const std::string& a, const std::string& b) {
  const torch::Tensor* first = state.find(a);
  const torch::Tensor* second = state.find(b);
  return first != nullptr && second != nullptr && first->scalar_type() == second->scalar_type() &&
         first->sizes() == second->sizes() && first->equal(*second);
}

/// Returns true if a unit has the numbers of the one with the same name below the other path.
bool isAlias(const StateDict& state, const TensorUnit& unit, const TwinPaths& paths) {
  const auto hasTwin = [&](const std::string& name) {
    return name.empty() || (name.starts_with(paths.other) &&
                            areEqual(state, name, paths.own + name.substr(paths.other.size())));
  };
  return hasTwin(unit.weight) && hasTwin(unit.bias);
}

/// Returns the paths of two stacks if all units of the second are aliases of the first's.
std::optional<TwinPaths> aliasPaths(const StateDict& state, const RepeatedBlocks& own,
                                    const RepeatedBlocks& other,
                                    const std::vector<TensorUnit>& units) {
  const bool isInside =
      other.prefix.starts_with(own.prefix) || own.prefix.starts_with(other.prefix);
  if (isInside || other.width() != own.width() || other.paths.size() != own.paths.size()) {
    return std::nullopt;
  }
  const TwinPaths paths = twinPaths(own.prefix, other.prefix);
  const bool areAliases = std::ranges::all_of(other.units, [&](const auto& block) {
    return std::ranges::all_of(
        block, [&](std::size_t unit) { return isAlias(state, units[unit], paths); });
  });
  return areAliases ? std::optional(paths) : std::nullopt;
}

/// Returns true if all numbers of a vector are equal.
bool isConstant(const StateDict& state, const std::string& name) {
  const torch::Tensor* vector = state.find(name);
  return vector != nullptr && vector->numel() > 0 &&
         vector->flatten().eq(vector->flatten()[0]).all().item<bool>();
}

/// Returns true if a layer of PyTorch is called as in its documentation, or if its norm is as it
/// was made and a block's is not: a layer that is run would have been trained with the blocks.
bool mayBePrototype(const StateDict& state, const std::string& path, const std::string& block) {
  constexpr std::string_view usual[] = {
      "layer",     "encoder_layer",     "encoderlayer",
      "enc_layer", "transformer_layer", "transformer_encoder_layer"};
  constexpr const char* norm = ".norm1.weight";
  return std::ranges::find(usual, lastPartOfName(path)) != std::end(usual) ||
         (isConstant(state, path + norm) && !isConstant(state, block + norm));
}

/// Returns the path of the layer that nn.TransformerEncoder copied a stack from: the one with a
/// block's names and shapes, and no other, that was not trained. Empty if there is none.
std::string prototypePath(const StateDict& state, const RepeatedBlocks& stack,
                          const std::vector<TensorUnit>& units) {
  constexpr std::string_view first = ".self_attn.in_proj";
  std::map<std::string, const TensorUnit*> block;
  for (const std::size_t index : stack.units.front()) {
    block.emplace(nameInBlock(units[index], stack.paths.front()), &units[index]);
  }
  const bool isOfTorch = stack.prefix.ends_with("layers.") && block.count(std::string(first)) > 0 &&
                         block.count(".linear1") > 0 && block.count(".linear2") > 0;
  if (!isOfTorch) return {};
  std::size_t candidates = 0;
  for (const TensorUnit& unit : units) {
    if (!unit.name.ends_with(first) || unit.name.starts_with(stack.prefix)) continue;
    if (++candidates > mostCopies) break;
    const std::string path = unit.name.substr(0, unit.name.size() - first.size());
    std::size_t alike = 0;
    const auto below = std::ranges::count_if(units, [&](const TensorUnit& other) {
      if (!other.name.starts_with(path + ".")) return false;
      const auto twin = block.find(nameInBlock(other, path));
      alike += twin != block.end() && twin->second->shape == other.shape &&
               twin->second->biasShape == other.biasShape;
      return true;
    });
    const bool isAlike = alike == block.size() && static_cast<std::size_t>(below) == alike;
    if (isAlike && mayBePrototype(state, path, stack.paths.front())) return path;
  }
  return {};
}

}  // namespace

bool RepeatedBlocks::isRegular() const {
  for (std::size_t i = 2; i < numbers.size(); ++i) {
    if (numbers[i] - numbers[i - 1] != numbers[1] - numbers[0]) return false;
  }
  return true;
}

std::vector<TensorUnit> takeCopies(const StateDict& state,
                                   const std::vector<RepeatedBlocks>& stacks,
                                   std::vector<TensorUnit>& units) {
  const RepeatedBlocks& own = stacks.front();
  std::vector<TwinPaths> aliases;
  for (auto other = std::next(stacks.begin()); other != stacks.end(); ++other) {
    if (aliases.size() == mostCopies) break;
    if (const auto paths = aliasPaths(state, own, *other, units)) aliases.push_back(*paths);
  }
  const std::string prototype = prototypePath(state, own, units);
  std::vector<TensorUnit> copies;
  std::erase_if(units, [&](const TensorUnit& unit) {
    const bool isOfPrototype = !prototype.empty() && unit.name.starts_with(prototype + ".");
    const bool isCopy = isOfPrototype || std::ranges::any_of(aliases, [&](const TwinPaths& paths) {
                          return isAlias(state, unit, paths);
                        });
    if (isCopy) copies.push_back(unit);
    return isCopy;
  });
  return copies;
}

std::vector<RepeatedBlocks> repeatedBlocks(const std::vector<TensorUnit>& units) {
  constexpr std::size_t mostBlocks = 1024;
  std::unordered_map<std::string_view, NumberedUnits> prefixes;
  for (std::size_t i = 0; i < units.size(); ++i) {
    for (const NumberInName& found : numbersInName(units[i].name)) {
      prefixes[found.prefix][found.number].emplace_back(i, found.end);
    }
  }
  std::vector<RepeatedBlocks> stacks;
  for (const auto& [prefix, numbered] : prefixes) {
    const std::vector<int> numbers = alikeNumbers(units, numbered);
    if (numbers.size() <= mostBlocks) {
      stacks.push_back(blocksOf(units, prefix, numbered, numbers));
    }
  }
  std::ranges::sort(stacks, [](const RepeatedBlocks& a, const RepeatedBlocks& b) {
    const auto rank = [](const RepeatedBlocks& stack) {
      return std::tuple(stack.paths.size() < 2, -static_cast<std::ptrdiff_t>(stack.width()),
                        -std::ssize(stack.paths));
    };
    return rank(a) != rank(b) ? rank(a) < rank(b) : a.prefix < b.prefix;
  });
  return stacks;
}

std::string nameInBlock(const TensorUnit& unit, const std::string& block) {
  return unit.name.substr(block.size());
}

}  // namespace softscope
