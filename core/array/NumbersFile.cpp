#include "core/array/NumbersFile.h"

#include "core/files/AtomicFile.h"
#include "core/text/Names.h"
#include "core/text/Words.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>
#include <string_view>
#include <type_traits>

namespace softscope {

namespace {

using Json = nlohmann::ordered_json;

template <typename Number>
Json jsonNumber(Number number) {
  if (std::isnan(number)) return nullptr;
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  // The shortest digits of a float32, which as a float64 would have nine more.
  if constexpr (std::is_same_v<Number, float>) {
    char digits[32];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
    double same = 0;
    std::from_chars(std::begin(digits), end, same);
    return same;
  } else {
    return number;
  }
}

Json jsonCell(const Table::Cell& cell) {
  return std::visit(
      [](const auto& value) -> Json {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::monostate>) {
          return nullptr;
        } else if constexpr (std::is_same_v<Value, double>) {
          return jsonNumber(value);
        } else {
          return value;
        }
      },
      cell);
}

/// Nests the values from `next` on by the dimensions of the shape from `dimension` on.
Json nestedValues(const FloatArray& array, std::size_t dimension, std::size_t& next) {
  if (dimension == array.shape.size()) return jsonNumber(array.values[next++]);
  Json list = Json::array();
  for (std::int64_t i = 0; i < array.shape[dimension]; ++i) {
    list.push_back(nestedValues(array, dimension + 1, next));
  }
  return list;
}

/// Returns true if an array stands beside another, whose name begins its own: `rollout_least_sum`
/// beside `rollout`, but not `rollout_2`, which is the second of its kind.
bool isBesideAnother(const std::string& name, const std::set<std::string_view>& names) {
  const std::string_view whole = name;
  for (std::size_t at = whole.find('_'); at != whole.npos; at = whole.find('_', at + 1)) {
    const bool isNumber = whole.find_first_not_of("0123456789", at + 1) == whole.npos;
    if (!isNumber && names.contains(whole.substr(0, at))) return true;
  }
  return false;
}

/// A value of one of several arrays.
struct PlacedValue {
  const std::string* name = nullptr;
  const FloatArray* of = nullptr;
  std::size_t at = 0;

  float value() const { return of->values[at]; }
};

/// Returns where a value stands: `[0, 3, 5] of blocks.0.attn.heads`.
std::string placeText(const PlacedValue& value) {
  std::vector<std::int64_t> place(value.of->shape.size());
  auto rest = static_cast<std::int64_t>(value.at);
  for (std::size_t i = place.size(); i-- > 0;) {
    place[i] = rest % value.of->shape[i];
    rest /= value.of->shape[i];
  }
  return '[' + listText(place) + "] of " + *value.name;
}

/// Returns `The value largest in magnitude is 0.123, at [0, 3, 5] of blocks.0.attn.heads.`, and how
/// many values are not finite. Arrays that stand beside others do not speak for these.
std::string largestValueSentence(const NamedArrays& arrays) {
  std::set<std::string_view> names;
  for (const auto& [name, array] : arrays) names.insert(name);
  PlacedValue largest;
  std::size_t undefined = 0;
  std::size_t all = 0;
  for (const auto& [name, array] : arrays) {
    if (isBesideAnother(name, names)) continue;
    all += array.values.size();
    for (std::size_t i = 0; i < array.values.size(); ++i) {
      const float value = array.values[i];
      if (!std::isfinite(value)) {
        ++undefined;
      } else if (largest.of == nullptr || std::abs(value) > std::abs(largest.value())) {
        largest = {&name, &array, i};
      }
    }
  }
  if (all == 0) return "There are no values.";
  const std::string lacking =
      std::to_string(undefined) + " of " + std::to_string(all) + " values are not finite.";
  if (largest.of == nullptr) return lacking;
  return "The value largest in magnitude is " + roundedText(largest.value()) + ", at " +
         placeText(largest) + (undefined == 0 ? "." : "; " + lacking);
}

/// Returns the names that the arrays have in a file, with numbers for names that are there twice.
/// Names come from the user and from files, and a .npz is an archive of files of these names, which
/// belong into one folder.
std::vector<std::string> writtenNames(const NamedArrays& arrays) {
  std::vector<std::string> names;
  for (const auto& [name, array] : arrays) names.push_back(asFileName(name));
  return uniqueNames(names);
}

NamedArrays withNames(NamedArrays arrays, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < arrays.size(); ++i) arrays[i].first = names[i];
  return arrays;
}

void writeJson(const std::string& path, const Json& json) {
  // Names come from files, and need not be UTF-8.
  writeFileAtomically(path, json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n');
}

/// Writes arrays under the names that they have.
void writeNamedArrays(const std::string& path, const NamedArrays& arrays,
                      const std::vector<std::string>& notes) {
  if (!isJsonFile(path)) return writeNpz(path, arrays, notes);
  Json rows = Json::array();
  for (const auto& [name, array] : arrays) {
    std::size_t next = 0;
    rows.push_back(
        {{"name", name}, {"shape", array.shape}, {"values", nestedValues(array, 0, next)}});
  }
  Json json{{"sentence", arrays.sentence.empty() ? largestValueSentence(arrays) : arrays.sentence},
            {"rows", std::move(rows)}};
  if (!notes.empty()) json["notes"] = notes;
  writeJson(path, json);
}

}  // namespace

bool isJsonFile(const std::string& path) {
  return std::filesystem::path(path).extension() == ".json";
}

void writeNumbersFile(const std::string& path, const Table& table) {
  if (!isJsonFile(path)) return writeCsv(path, table);
  Json rows = Json::array();
  for (const std::vector<Table::Cell>& cells : table.rows) {
    Json row = Json::object();
    for (std::size_t i = 0; i < cells.size(); ++i) row[table.columns[i]] = jsonCell(cells[i]);
    rows.push_back(std::move(row));
  }
  writeJson(path, {{"sentence", table.sentence}, {"rows", std::move(rows)}});
}

void writeNumbersFile(const std::string& path, const NamedArrays& arrays,
                      const std::vector<std::string>& notes) {
  const std::vector<std::string> names = writtenNames(arrays);
  const bool areTheirs = std::ranges::equal(arrays, names, {}, &NamedArrays::value_type::first);
  writeNamedArrays(path, areTheirs ? arrays : withNames(arrays, names), notes);
}

}  // namespace softscope
