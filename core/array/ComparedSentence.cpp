#include "core/array/ComparedSentence.h"

#include "core/Quantile.h"
#include "core/text/Words.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace softscope {

namespace {

/// The place that a number was measured at: a model, unless models are the groups, a layer and a
/// head of it, and the picture and the query that were asked.
struct NumberUnit {
  std::string model;
  std::string layer;
  std::int64_t head = -1;
  std::string picture;
  std::int64_t query = -1;

  auto operator<=>(const NumberUnit&) const = default;
};

struct NumberGroup {
  std::string name;
  std::map<NumberUnit, double> numbers;
};

std::optional<std::size_t> columnOf(const Table& table, const char* name) {
  if (name == nullptr) return std::nullopt;
  const auto at = std::find(table.columns.begin(), table.columns.end(), name);
  if (at == table.columns.end()) return std::nullopt;
  return static_cast<std::size_t>(at - table.columns.begin());
}

template <typename Value>
const Value* cellAt(const std::vector<Table::Cell>& row, std::optional<std::size_t> column) {
  return column ? std::get_if<Value>(&row[*column]) : nullptr;
}

/// Returns the text of a cell; empty for a column or a cell without one.
std::string textAt(const std::vector<Table::Cell>& row, std::optional<std::size_t> column) {
  const std::string* text = cellAt<std::string>(row, column);
  return text != nullptr ? *text : std::string();
}

/// Collects the numbers of a table group by group, in the order of the rows; none if two rows of
/// one group and one place have different numbers.
std::vector<NumberGroup> groupsOf(const Table& table, const ComparedNumbers& compared) {
  const auto value = columnOf(table, compared.column);
  const auto divisor = columnOf(table, compared.divisor);
  const auto where = columnOf(table, compared.whereColumn);
  const auto group = columnOf(table, compared.groups);
  const auto model = columnOf(table, "model");
  const auto layer = columnOf(table, "layer");
  const auto head = columnOf(table, "head");
  const auto picture = columnOf(table, "picture");
  const auto query = columnOf(table, "query");
  std::vector<NumberGroup> groups;
  for (const std::vector<Table::Cell>& row : table.rows) {
    const double* number = cellAt<double>(row, value);
    const std::string* condition = cellAt<std::string>(row, where);
    if (number == nullptr || (condition != nullptr && *condition != compared.whereText)) continue;
    double ratio = *number;
    if (compared.divisor != nullptr) {
      const double* by = cellAt<double>(row, divisor);
      if (by == nullptr) continue;
      ratio /= *by;
    }
    if (!std::isfinite(ratio)) continue;
    const std::string text = textAt(row, group);
    auto of = std::find_if(groups.begin(), groups.end(),
                           [&](const NumberGroup& each) { return each.name == text; });
    if (of == groups.end()) of = groups.insert(of, {text, {}});
    NumberUnit unit;
    if (model != group) unit.model = textAt(row, model);
    unit.layer = textAt(row, layer);
    if (const std::int64_t* index = cellAt<std::int64_t>(row, head)) unit.head = *index;
    unit.picture = textAt(row, picture);
    if (const std::int64_t* index = cellAt<std::int64_t>(row, query)) unit.query = *index;
    const auto [known, isNew] = of->numbers.try_emplace(std::move(unit), ratio);
    if (!isNew && known->second != ratio) return {};
  }
  if (compared.groupName != nullptr) {
    for (NumberGroup& named : groups) named.name = compared.groupName(named.name);
  }
  return groups;
}

std::vector<double> numbersOf(const NumberGroup& group) {
  std::vector<double> numbers;
  for (const auto& [unit, number] : group.numbers) numbers.push_back(number);
  return numbers;
}

/// Returns `12 heads`, or `12 layers` or `12 models` if the numbers belong to these as a whole, and
/// how many pictures and queries they are of if these are several: `3 layers, 2 queries`.
std::string unitsText(const NumberGroup& group) {
  std::set<std::tuple<std::string, std::string, std::int64_t>> places;
  std::set<std::string> pictures;
  std::set<std::int64_t> queries;
  for (const auto& [unit, number] : group.numbers) {
    places.emplace(unit.model, unit.layer, unit.head);
    pictures.insert(unit.picture);
    queries.insert(unit.query);
  }
  const NumberUnit& unit = group.numbers.begin()->first;
  const char* name = unit.head >= 0 ? "head" : unit.layer.empty() ? "model" : "layer";
  std::string text;
  const auto add = [&text](std::size_t count, const char* of) {
    text += (text.empty() ? "" : ", ") + countedText(static_cast<std::int64_t>(count), of);
  };
  if (places.size() > 1 || (pictures.size() == 1 && queries.size() == 1)) {
    add(places.size(), name);
  }
  if (pictures.size() > 1) add(pictures.size(), "picture");
  if (queries.size() > 1) {
    text += (text.empty() ? "" : ", ") + std::to_string(queries.size()) + " queries";
  }
  return text;
}

/// Returns `0.9`, or `0.9 in the median of 12 heads (0.2 to 1.1)`.
std::string spreadText(const NumberGroup& group, const std::string& of) {
  const std::vector<double> numbers = numbersOf(group);
  std::string text = roundedText(medianOf(numbers)) + of;
  if (numbers.size() == 1) return text;
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  return text + " in the median of " + unitsText(group) + " (" + roundedText(*least) + " to " +
         roundedText(*most) + ")";
}

/// Returns `, and smaller in all`, or in how many of them.
std::string comparisonText(std::size_t smaller, std::size_t larger, std::size_t all) {
  if (all == 1) return "";
  if (smaller == all) return ", and smaller in all";
  if (larger == all) return ", and larger in all";
  return ", and smaller in " + std::to_string(smaller) + " of them";
}

/// Compares the second group with the first unit by unit; nothing if they have different units or
/// numbers without a ratio.
std::optional<std::string> pairedText(const NumberGroup& first, const NumberGroup& second) {
  if (first.numbers.size() != second.numbers.size()) return std::nullopt;
  std::vector<double> ratios;
  std::size_t smaller = 0;
  std::size_t larger = 0;
  for (const auto& [unit, number] : first.numbers) {
    const auto other = second.numbers.find(unit);
    if (other == second.numbers.end() || number <= 0 || other->second <= 0) return std::nullopt;
    ratios.push_back(other->second / number);
    smaller += other->second < number ? 1 : 0;
    larger += other->second > number ? 1 : 0;
  }
  std::string text = " of " + second.name + " is " + roundedText(medianOf(ratios)) +
                     (medianOf(ratios) > 1 ? " times that of " : " of that of ") + first.name;
  if (ratios.size() > 1) text += " in the median of " + unitsText(first);
  return text + comparisonText(smaller, larger, ratios.size());
}

}  // namespace

std::string comparedSentence(const Table& table, const ComparedNumbers& compared) {
  const std::vector<NumberGroup> groups = groupsOf(table, compared);
  if (groups.empty()) return {};
  std::string subject = compared.quantity;
  if (subject[0] >= 'a' && subject[0] <= 'z')
    subject[0] = static_cast<char>(subject[0] - 'a' + 'A');
  const std::string of =
      compared.divisor != nullptr ? std::string(" of ") + compared.divisorQuantity : std::string();
  if (groups.size() == 1) return subject + " is " + spreadText(groups.front(), of) + ".";
  if (groups.size() == 2 && compared.divisor == nullptr) {
    if (const auto paired = pairedText(groups[0], groups[1])) return subject + *paired + ".";
  }
  // More than a reader takes in at once are counted.
  constexpr std::size_t usual = 8;
  // The last one takes no more room than its count.
  const std::size_t most = groups.size() == usual + 1 ? usual + 1 : usual;
  std::string list;
  for (std::size_t i = 0; i < std::min(groups.size(), most); ++i) {
    list += (i == 0 ? "" : "; ") + groups[i].name + " " + spreadText(groups[i], of);
  }
  if (groups.size() > most) list += "; and " + std::to_string(groups.size() - most) + " more";
  return subject + ": " + list + ".";
}

}  // namespace softscope
