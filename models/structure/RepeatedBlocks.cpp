#include "models/structure/RepeatedBlocks.h"

#include <algorithm>
#include <cctype>
#include <map>
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

/// Returns the names and shapes of a block's units as text.
std::string signatureOf(const std::vector<TensorUnit>& units,
                        const std::vector<std::pair<std::size_t, std::size_t>>& members) {
  std::string signature;
  const auto addShape = [&](const std::vector<std::int64_t>& shape) {
    for (const std::int64_t side : shape) signature += std::to_string(side) + ',';
    signature += ';';
  };
  for (const auto& [unit, end] : members) {
    signature.append(units[unit].name, end);
    signature += '|';
    addShape(units[unit].shape);
    addShape(units[unit].biasShape);
  }
  return signature;
}

RepeatedBlocks blocksOf(const std::vector<TensorUnit>& units, std::string_view prefix,
                        const NumberedUnits& numbered, const std::vector<int>& numbers) {
  RepeatedBlocks blocks;
  blocks.prefix = std::string(prefix);
  for (const int number : numbers) {
    const auto& members = numbered.at(number);
    blocks.paths.push_back(units[members.front().first].name.substr(0, members.front().second));
    std::vector<std::size_t>& indices = blocks.units.emplace_back();
    for (const auto& [unit, end] : members) indices.push_back(unit);
  }
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

}  // namespace

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
