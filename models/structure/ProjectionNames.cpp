#include "models/structure/ProjectionNames.h"

#include "models/identify/ShapeReader.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace softscope {

namespace {

/// Returns the lower-case parts in which three names differ.
std::array<std::string, 3> differingParts(std::array<std::string, 3> names) {
  for (std::string& name : names) name = lowerCase(name);
  const auto shortest = [&] {
    return std::min({names[0].size(), names[1].size(), names[2].size()});
  };
  std::size_t prefix = 0;
  while (prefix < shortest() && names[0][prefix] == names[1][prefix] &&
         names[0][prefix] == names[2][prefix]) {
    ++prefix;
  }
  for (std::string& name : names) name.erase(0, prefix);
  const auto shareEnd = [&] {
    return shortest() > 0 && names[0].back() == names[1].back() &&
           names[0].back() == names[2].back();
  };
  while (shareEnd()) {
    for (std::string& name : names) name.pop_back();
  }
  return names;
}

/// Returns the last part of a dotted name that is no number, in lower case: `to_kv` for `to_kv.0`.
std::string lastWordPart(std::string name) {
  while (numberOfSibling(name) >= 0 && !parentPath(name).empty()) name = parentPath(name);
  return lastPartOfName(name);
}

/// Replaces words such as `queries` by their letters.
std::string withProjectionLetters(std::string text) {
  constexpr std::pair<std::string_view, const char*> letters[] = {
      {"queries", "q"}, {"query", "q"},  {"qry", "q"},  {"keys", "k"},
      {"key", "k"},     {"values", "v"}, {"value", "v"}};
  for (const auto& [word, letter] : letters) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word)) {
      text.replace(at, word.size(), letter);
    }
  }
  return text;
}

}  // namespace

std::optional<ProjectionOrder> orderProjections(const std::array<std::string, 3>& names) {
  const std::array<std::string, 3> parts = differingParts(names);
  std::optional<std::size_t> query;
  std::optional<std::size_t> value;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool hasQ = mentions(parts[i], {"q"});
    const bool hasV = mentions(parts[i], {"v"});
    if (hasQ && !hasV) {
      if (query) return std::nullopt;
      query = i;
    } else if (hasV && !hasQ) {
      if (value) return std::nullopt;
      value = i;
    }
  }
  if (!query || !value) return std::nullopt;
  const std::size_t key = 3 - *query - *value;
  // `qk` beside `v` and `out`: keys are queries, and the third is the output's.
  const bool saysOutput = mentions(parts[key], {"o", "p"}) && !mentions(parts[key], {"k"});
  if (saysOutput && mentions(parts[*query], {"k"})) return std::nullopt;
  return ProjectionOrder{{*query, key, *value}, mentions(parts[key], {"k"})};
}

std::string projectionLetters(const std::string& name) {
  constexpr const char* ofProjections = "qkv";
  const std::string text = withProjectionLetters(lastWordPart(name));
  const auto isLetter = [&](std::size_t at) {
    return at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])) != 0;
  };
  std::string letters;
  std::size_t end = 0;
  for (std::size_t at = text.find_first_of(ofProjections); at != std::string::npos;
       at = text.find_first_of(ofProjections, end)) {
    end = std::min(text.find_first_not_of(ofProjections, at), text.size());
    // A single letter inside a word, as in `back`, says nothing.
    const bool isWord = !(at > 0 && isLetter(at - 1)) && !isLetter(end);
    if (isWord || end - at > 1) letters += text.substr(at, end - at);
  }
  return letters;
}

std::optional<ToldProjections> tellProjections(
    const std::vector<TensorUnit>& units,
    const std::function<bool(const std::vector<TensorUnit>&, const TensorUnit*)>& fits) {
  std::optional<ToldProjections> best;
  bool bestSaysKey = false;
  // The last matrix is tried as the output first: it wins if letters do not decide.
  const std::ptrdiff_t outputs = units.size() == 4 ? 4 : 0;
  for (std::ptrdiff_t at = outputs > 0 ? outputs - 1 : -1; at >= (outputs > 0 ? 0 : -1); --at) {
    std::vector<TensorUnit> three = units;
    std::optional<TensorUnit> output;
    if (at >= 0) {
      output = units[static_cast<std::size_t>(at)];
      three.erase(three.begin() + at);
    }
    if (!fits(three, output ? &*output : nullptr)) continue;
    const auto told = orderProjections({three[0].name, three[1].name, three[2].name});
    if (!told || (best && (bestSaysKey || !told->saysKey))) continue;
    bestSaysKey = told->saysKey;
    best = ToldProjections{{three[told->order[0]], three[told->order[1]], three[told->order[2]]},
                           output};
  }
  return best;
}

}  // namespace softscope
