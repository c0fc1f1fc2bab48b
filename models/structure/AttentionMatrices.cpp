#include "models/structure/AttentionMatrices.h"

#include "models/identify/ShapeReader.h"
#include "models/structure/ProjectionNames.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <utility>

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

using Units = std::vector<TensorUnit>;

/// Reads matrices that are all of one attention.
class AttentionReading {
 public:
  AttentionReading(const Units& units, std::int64_t channels, bool isTransposed, bool isOrdered)
      : units_(units), channels_(channels), isTransposed_(isTransposed), isOrdered_(isOrdered) {}

  /// Returns the attention, or nothing if the shapes fit none.
  std::optional<AttentionStructure> read() const {
    for (const auto& readOne :
         {&AttentionReading::packed, &AttentionReading::keyValue, &AttentionReading::separate,
          &AttentionReading::grouped, &AttentionReading::shared, &AttentionReading::numbered}) {
      if (auto attention = (this->*readOne)()) return attention;
    }
    return std::nullopt;
  }

 private:
  std::int64_t outputs(const TensorUnit& unit) const { return outputsOf(unit, isTransposed_); }
  std::int64_t inputs(const TensorUnit& unit) const { return inputsOf(unit, isTransposed_); }
  bool isOf(const TensorUnit& unit, std::int64_t out, std::int64_t in) const {
    return outputs(unit) == out && inputs(unit) == in;
  }
  ProductPart product(const TensorUnit& unit) const { return productOf(unit, isTransposed_); }

  std::optional<AttentionStructure> packed() const {
    for (std::size_t i = 0; i < units_.size() && units_.size() <= 2; ++i) {
      const TensorUnit& all = units_[i];
      const std::int64_t inner = outputs(all) / 3;
      if (!isOf(all, 3 * inner, channels_) || inner == 0) continue;
      AttentionStructure attention{.layout = ProjectionLayout::Packed, .inner = inner};
      attention.projections = {{product(all)}};
      std::string letters = projectionLetters(all.name);
      std::ranges::sort(letters);
      if (letters == "kqv") attention.packed = projectionLetters(all.name);
      if (units_.size() == 1 && inner == channels_) return attention;
      if (units_.size() != 2 || !isOf(units_[1 - i], channels_, inner)) continue;
      attention.output = product(units_[1 - i]);
      attention.isMultiheadAttention = all.weight.ends_with("in_proj_weight") &&
                                       units_[1 - i].weight.ends_with("out_proj.weight");
      return attention;
    }
    return std::nullopt;
  }

  std::optional<AttentionStructure> keyValue() const {
    if (units_.size() != 2 && units_.size() != 3) return std::nullopt;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      const std::int64_t inner = outputs(units_[i]) / 2;
      if (!isOf(units_[i], 2 * inner, channels_) || inner == 0) continue;
      const auto pair = lettersOfPair(units_[i]);
      if (!pair) continue;
      const char single = letterBeside(*pair);
      Units rest = units_;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      if (rest.size() == 2 && projectionComesLast(rest, single)) std::swap(rest[0], rest[1]);
      const bool fits = isOf(rest[0], inner, channels_) &&
                        (rest.size() == 1 ? inner == channels_ : isOf(rest[1], channels_, inner));
      if (!fits || saysOther(rest[0], single) || saysBesideAttention(rest[0].name)) continue;
      if (!mayBePair(units_[i], rest[0])) continue;
      // A matrix alone beside a pair may be the output's of keys or values that are tokens.
      if (rest.size() == 1 && !saysProjection(rest[0].name, single)) continue;
      AttentionStructure attention{.layout = ProjectionLayout::KeyValue, .packed = *pair};
      attention.inner = inner;
      attention.projections = {{product(rest[0])}, {product(units_[i])}};
      if (rest.size() == 2) attention.output = product(rest[1]);
      return attention;
    }
    return std::nullopt;
  }

  /// Returns the two letters of what a packed matrix makes, keys and values if its name says
  /// neither; nothing if it says queries alone, or all three.
  static std::optional<std::string> lettersOfPair(const TensorUnit& unit) {
    const std::string letters = projectionLetters(unit.name);
    if (letters.size() == 2 && letters[0] != letters[1]) return letters;
    return letters.find('q') == std::string::npos ? std::optional<std::string>("kv") : std::nullopt;
  }

  /// Returns true if the name of a packed matrix says what it makes, or if it stands in the module
  /// of the single one. Another may be both matrices of a gated mlp.
  static bool mayBePair(const TensorUnit& packed, const TensorUnit& single) {
    return !projectionLetters(packed.name).empty() ||
           (moduleOfProduct(packed.name) == moduleOfProduct(single.name) &&
            !isCalledMlp(packed.name));
  }

  static bool saysOther(const TensorUnit& unit, char letter) {
    const std::string letters = projectionLetters(unit.name);
    return !letters.empty() && letters != std::string(1, letter);
  }

  /// Tells the single projection from the output's by shape, then by its letter.
  bool projectionComesLast(const Units& two, char letter) const {
    if (two[0].shape != two[1].shape) {
      return outputs(two[0]) == channels_ && inputs(two[0]) != channels_;
    }
    const std::string own(1, letter);
    const auto likeness = [&](const TensorUnit& unit) {
      if (projectionLetters(unit.name) == own) return 2;
      return mentions(lastPartOfName(unit.name), {own}) ? 1 : 0;
    };
    return likeness(two[1]) > likeness(two[0]);
  }

  std::optional<AttentionStructure> separate() const {
    if (units_.size() != 3 && units_.size() != 4) return std::nullopt;
    const auto parts = told([&](const Units& three, const TensorUnit* output) {
      const std::int64_t inner = outputs(three[0]);
      const bool alike = std::ranges::all_of(
          three, [&](const TensorUnit& unit) { return isOf(unit, inner, channels_); });
      return alike && (output == nullptr ? inner == channels_ : isOf(*output, channels_, inner));
    });
    if (!parts) return std::nullopt;
    return named(*parts, ProjectionLayout::Separate, outputs(parts->three[0]));
  }

  /// Reads queries beside keys and values that are narrower, as several heads share them.
  std::optional<AttentionStructure> grouped() const {
    if (units_.size() != 4) return std::nullopt;
    const auto parts = told([&](const Units& three, const TensorUnit* output) {
      const std::int64_t inner = outputs(three[0]);
      const std::int64_t width = outputs(three[1]);
      return width > 1 && width < inner && inner % width == 0 && isOf(three[0], inner, channels_) &&
             isOf(three[1], width, channels_) && isOf(three[2], width, channels_) &&
             isOf(*output, channels_, inner) && saysProjection(three[1].name, 'k') &&
             saysProjection(three[2].name, 'v');
    });
    if (!parts) return std::nullopt;
    AttentionStructure attention =
        named(*parts, ProjectionLayout::Separate, outputs(parts->three[0]));
    attention.keyWidth = outputs(parts->three[1]);
    return attention;
  }

  /// Reads four matrices that a list holds under the numbers 0 to 3, as the Annotated Transformer's
  /// `linears` do: the first three make queries, keys and values in an order that nothing tells.
  std::optional<AttentionStructure> numbered() const {
    constexpr std::size_t ofList = 4;
    if (units_.size() != ofList) return std::nullopt;
    Units sorted = units_;
    std::ranges::sort(sorted, {},
                      [](const TensorUnit& unit) { return numberOfSibling(unit.name); });
    const std::string list = parentPath(sorted.front().name);
    if (list.empty() || numberOfSibling(list) >= 0 || isCalledMlp(list)) return std::nullopt;
    for (std::size_t i = 0; i < ofList; ++i) {
      const bool isNext =
          parentPath(sorted[i].name) == list && numberOfSibling(sorted[i].name) == int(i);
      if (!isNext || !isOf(sorted[i], channels_, channels_)) return std::nullopt;
    }
    const ToldProjections parts{{sorted[0], sorted[1], sorted[2]}, sorted[3]};
    AttentionStructure attention = named(parts, ProjectionLayout::Separate, channels_);
    attention.areNumbered = true;
    return attention;
  }

  std::optional<AttentionStructure> shared() const {
    if (units_.size() != 3 && units_.size() != 4) return std::nullopt;
    const auto parts = told([&](const Units& three, const TensorUnit* output) {
      const std::int64_t width = outputs(three[0]);
      const bool alike = std::ranges::all_of(
          three, [&](const TensorUnit& unit) { return isOf(unit, width, width); });
      return alike && width > 0 && width < channels_ && channels_ % width == 0 &&
             (output == nullptr || isOf(*output, channels_, channels_));
    });
    if (!parts) return std::nullopt;
    AttentionStructure attention = named(*parts, ProjectionLayout::Shared, channels_);
    attention.heads = static_cast<int>(channels_ / outputs(parts->three[0]));
    return attention;
  }

  std::optional<ToldProjections> told(
      const std::function<bool(const Units&, const TensorUnit*)>& fits) const {
    return tellProjections(units_, isOrdered_, fits);
  }

  AttentionStructure named(const ToldProjections& parts, ProjectionLayout layout,
                           std::int64_t inner) const {
    AttentionStructure attention{.layout = layout, .inner = inner};
    for (const TensorUnit& unit : parts.three) attention.projections.push_back({product(unit)});
    if (parts.output) attention.output = product(*parts.output);
    return attention;
  }

  const Units& units_;
  std::int64_t channels_;
  bool isTransposed_;
  bool isOrdered_;
};

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

std::optional<AttentionStructure> readAttention(const std::vector<TensorUnit>& matrices,
                                                std::int64_t channels, bool isTransposed,
                                                bool isOrdered) {
  return AttentionReading(matrices, channels, isTransposed, isOrdered).read();
}

}  // namespace softscope
