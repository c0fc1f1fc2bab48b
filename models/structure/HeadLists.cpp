#include "models/structure/HeadLists.h"

#include "models/structure/ProjectionNames.h"

#include <algorithm>
#include <map>
#include <set>

namespace softscope {

namespace {

/// The matrices whose names differ in one number alone, by that number.
using HeadList = std::map<int, std::size_t>;
/// Lists by their names with # for the number.
using ListsByName = std::map<std::string, HeadList>;

/// Adds a matrix to the list of every number in its name.
void addToLists(const std::string& name, std::size_t index, ListsByName& lists) {
  constexpr std::size_t mostDigits = 4;
  for (std::size_t at = 0; at < name.size();) {
    std::size_t end = at;
    while (end < name.size() && name[end] >= '0' && name[end] <= '9') ++end;
    if (end == at) {
      ++at;
      continue;
    }
    if (end - at <= mostDigits) {
      const int number = std::stoi(name.substr(at, end - at));
      lists[name.substr(0, at) + '#' + name.substr(end)][number] = index;
    }
    at = end;
  }
}

}  // namespace

std::optional<HeadLists> findHeadLists(const std::vector<TensorUnit>& linears,
                                       std::int64_t channels, bool isTransposed) {
  ListsByName lists;
  for (std::size_t i = 0; i < linears.size(); ++i) addToLists(linears[i].name, i, lists);
  const auto productAt = [&](std::size_t index) { return productOf(linears[index], isTransposed); };
  const auto isOfHeads = [&](const HeadList& list) {
    const ProductPart first = productAt(list.begin()->second);
    const auto heads = static_cast<std::int64_t>(list.size());
    const bool whole = first.inputs == channels && first.outputs < channels;
    const bool sliced = first.inputs == first.outputs && heads * first.inputs == channels;
    return heads > 1 && list.rbegin()->first - list.begin()->first == heads - 1 &&
           (whole || sliced) && std::ranges::all_of(list, [&](const auto& entry) {
             const ProductPart other = productAt(entry.second);
             return other.inputs == first.inputs && other.outputs == first.outputs;
           });
  };
  std::erase_if(lists, [&](const auto& entry) { return !isOfHeads(entry.second); });
  if (lists.size() != 3) return std::nullopt;
  std::vector<std::pair<std::string, HeadList>> three(lists.begin(), lists.end());
  const auto told = orderProjections({three[0].first, three[1].first, three[2].first});
  const std::size_t heads = three[0].second.size();
  if (!told ||
      !std::ranges::all_of(three, [&](const auto& list) { return list.second.size() == heads; })) {
    return std::nullopt;
  }
  HeadLists found;
  std::set<std::size_t> taken;
  for (const std::size_t at : told->order) {
    std::vector<ProductPart>& products = found.attention.projections.emplace_back();
    for (const auto& [number, index] : three[at].second) {
      products.push_back(productAt(index));
      found.names.push_back(linears[index].name);
      taken.insert(index);
    }
  }
  for (std::size_t i = 0; i < linears.size(); ++i) {
    if (taken.count(i) == 0) found.rest.push_back(linears[i]);
  }
  const ProductPart& first = found.attention.projections.front().front();
  found.attention.heads = static_cast<int>(heads);
  found.attention.inner = first.outputs * static_cast<std::int64_t>(heads);
  found.attention.layout =
      first.inputs == channels ? ProjectionLayout::OfHeads : ProjectionLayout::OfSlices;
  const bool alike = std::ranges::all_of(found.attention.projections, [&](const auto& list) {
    return list.front().outputs == first.outputs && list.front().inputs == first.inputs;
  });
  return alike ? std::optional(found) : std::nullopt;
}

}  // namespace softscope
