#include "core/survey/CheckedRows.h"

#include "core/survey/SurveyTables.h"

#include <cmath>
#include <limits>
#include <utility>

namespace softscope {

namespace {

/// No published name or path comes close to this length; longer ones cannot be displayed.
constexpr std::size_t longestText = 1 << 16;

[[noreturn]] void failDamaged(const std::string& path, const std::string& how) {
  throw SurveyError(path, "is damaged: " + how + "; measure again into a new file");
}

}  // namespace

CheckedRows::CheckedRows(Database& database, std::string table, const std::string& columns,
                         const std::string& rest)
    : path_(database.path()),
      table_(std::move(table)),
      statement_(database, "SELECT " + columns + " FROM main." + quotedName(table_) + ' ' + rest) {}

bool CheckedRows::next() {
  return statement_.step();
}

void CheckedRows::fail(const std::string& how) const {
  failDamaged(path_, how);
}

std::string CheckedRows::text(int column, std::string_view name) const {
  if (!statement_.isText(column)) {
    fail(table_ + "." + std::string(name) + " has a value that is no text");
  }
  std::string text = statement_.text(column);
  if (text.size() > longestText) {
    fail(table_ + "." + std::string(name) + " has a text of " + std::to_string(text.size()) +
         " bytes");
  }
  return text;
}

std::optional<std::string> CheckedRows::textOrNothing(int column, std::string_view name) const {
  if (statement_.isNothing(column)) return std::nullopt;
  return text(column, name);
}

std::int64_t CheckedRows::integer(int column, std::string_view name, std::int64_t least,
                                  std::int64_t most) const {
  if (!statement_.isInteger(column)) {
    fail(table_ + "." + std::string(name) + " has a value that is no whole number");
  }
  const std::int64_t value = statement_.integer(column);
  if (value < least || value > most) {
    fail(table_ + "." + std::string(name) + " has the value " + std::to_string(value));
  }
  return value;
}

std::optional<std::int64_t> CheckedRows::integerOrNothing(int column, std::string_view name) const {
  if (statement_.isNothing(column)) return std::nullopt;
  return integer(column, name);
}

double CheckedRows::number(int column, std::string_view name) const {
  constexpr double notDefined = std::numeric_limits<double>::quiet_NaN();
  if (statement_.isNothing(column)) return notDefined;
  if (!statement_.isNumber(column)) {
    fail(table_ + "." + std::string(name) + " has a value that is no number");
  }
  const double value = statement_.number(column);
  return std::isfinite(value) ? value : notDefined;
}

}  // namespace softscope
