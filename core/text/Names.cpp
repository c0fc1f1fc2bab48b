#include "core/text/Names.h"

#include <algorithm>
#include <cctype>
#include <fnmatch.h>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace softscope {

bool matchesPattern(const std::string& name, const std::string& pattern) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

bool meansLayer(const std::string& text, const std::string& layer) {
  return matchesPattern(layer, text) || (!text.empty() && layer.starts_with(text + "."));
}

bool isPattern(const std::string& text) {
  return text.find_first_of("*?[") != std::string::npos;
}

namespace {

/// A name in parts that are all digits or hold none.
struct NameParts {
  std::vector<std::string> parts;
  std::size_t index = 0;
};

/// Longer runs of digits, such as hashes, are text.
constexpr std::size_t mostDigits = 18;

bool isDigit(char letter) {
  return std::isdigit(static_cast<unsigned char>(letter)) != 0;
}

bool isNumber(std::string_view part) {
  return !part.empty() && part.size() <= mostDigits && isDigit(part.front());
}

NameParts partsOf(const std::string& name, std::size_t index) {
  NameParts split{{}, index};
  for (std::size_t begin = 0; begin < name.size();) {
    std::size_t end = begin + 1;
    while (end < name.size() && isDigit(name[end]) == isDigit(name[begin])) ++end;
    split.parts.push_back(name.substr(begin, end - begin));
    begin = end;
  }
  return split;
}

/// Returns the name's parts with a `*` for each number.
std::vector<std::string> skeletonOf(const NameParts& name) {
  std::vector<std::string> parts = name.parts;
  for (std::string& part : parts) {
    if (isNumber(part)) part = "*";
  }
  return parts;
}

/// Returns the places of the numbers in which names of one skeleton differ.
std::vector<std::size_t> differingPlaces(const std::vector<NameParts>& names) {
  const std::vector<std::string>& first = names.front().parts;
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < first.size(); ++place) {
    const auto isShared = [&](const NameParts& name) { return name.parts[place] == first[place]; };
    if (!std::ranges::all_of(names, isShared)) places.push_back(place);
  }
  return places;
}

/// Returns true if the number at a place is called a step, and tells the names apart.
bool isStep(const std::vector<NameParts>& names, std::size_t place) {
  if (place == 0) return false;
  std::string called = names.front().parts[place - 1];
  while (!called.empty() && !std::isalpha(static_cast<unsigned char>(called.back()))) {
    called.pop_back();
  }
  std::set<std::int64_t> numbers;
  for (const NameParts& name : names) numbers.insert(std::stoll(name.parts[place]));
  return called.ends_with("step") && numbers.size() == names.size();
}

NumberedNames numbered(const std::vector<NameParts>& names) {
  NumberedNames group;
  const std::vector<std::size_t> places = differingPlaces(names);
  const std::vector<std::string>& first = names.front().parts;
  for (std::size_t i = 0; i < first.size(); ++i) {
    group.shared += std::ranges::find(places, i) != places.end() ? "*" : first[i];
  }
  const auto step =
      std::ranges::find_if(places, [&](std::size_t place) { return isStep(names, place); });
  const auto counted = step == places.end() ? places.begin() : step;
  for (const NameParts& name : names) {
    const std::int64_t number = counted == places.end() ? 0 : std::stoll(name.parts[*counted]);
    group.members.push_back({number, name.index});
  }
  std::ranges::stable_sort(group.members, {}, &NumberedNames::Member::number);
  return group;
}

std::string folderOf(const std::string& name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string::npos ? std::string() : name.substr(0, slash);
}

/// Adds the names of one skeleton: by folder, unless there is one name in each, such as
/// `checkpoint-500/model`, where the folders are what is numbered.
void addGroups(const std::vector<NameParts>& alike, const std::vector<std::string>& names,
               std::vector<NumberedNames>& groups) {
  std::map<std::string, std::vector<NameParts>> byFolder;
  for (const NameParts& name : alike) byFolder[folderOf(names[name.index])].push_back(name);
  const auto isOne = [](const auto& folder) { return folder.second.size() == 1; };
  if (std::ranges::all_of(byFolder, isOne)) {
    groups.push_back(numbered(alike));
    return;
  }
  for (const auto& [folder, members] : byFolder) groups.push_back(numbered(members));
}

}  // namespace

bool NumberedNames::isSeries() const {
  const auto isRepeated = [](const Member& a, const Member& b) { return a.number == b.number; };
  return members.size() > 1 && std::ranges::adjacent_find(members, isRepeated) == members.end();
}

std::vector<NumberedNames> groupByNumber(const std::vector<std::string>& names) {
  std::map<std::vector<std::string>, std::vector<NameParts>> bySkeleton;
  for (std::size_t i = 0; i < names.size(); ++i) {
    NameParts name = partsOf(names[i], i);
    std::vector<std::string> skeleton = skeletonOf(name);
    bySkeleton[std::move(skeleton)].push_back(std::move(name));
  }
  std::vector<NumberedNames> groups;
  for (const auto& [skeleton, alike] : bySkeleton) addGroups(alike, names, groups);
  return groups;
}

std::vector<std::string> uniqueNames(const std::vector<std::string>& names) {
  std::set<std::string> taken;
  std::vector<std::string> unique;
  for (const std::string& name : names) {
    std::string numbered = name;
    for (int number = 2; !taken.insert(numbered).second; ++number) {
      numbered = name + "_" + std::to_string(number);
    }
    unique.push_back(numbered);
  }
  return unique;
}

}  // namespace softscope
