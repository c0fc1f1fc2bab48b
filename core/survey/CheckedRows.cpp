#include "core/survey/CheckedRows.h"

#include "core/survey/SurveyTables.h"

#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

namespace softscope {

namespace {

/// No published name or path comes near; what is longer cannot be shown.
constexpr std::size_t longestText = 1 << 16;

struct ExpectedTable {
  const char* name;
  /// Separated by spaces.
  const char* columns;
};

constexpr ExpectedTable expectedTables[] = {
    {"survey", "key value"},
    {"model", "id name path fingerprint family variant mechanism parameters request transform"},
    {"layer", "id model name position mechanism heads"},
    {"head", "id layer head"},
    {"class", "id name"},
    {"picture", "id path class unreadable"},
    {"measure", "name scope position title unit source"},
    {"model_value", "picture model"},
    {"layer_value", "picture layer"},
    {"head_value", "picture head"}};

std::int64_t pragma(Database& database, const char* name) {
  Statement statement(database, std::string("PRAGMA ") + name);
  return statement.step() ? statement.integer(0) : 0;
}

[[noreturn]] void failDamaged(const std::string& path, const std::string& how) {
  throw SurveyError(path, "is damaged: " + how + "; measure again into a new file");
}

/// Whether it is an ordinary table, which runs nothing when it is read.
bool isOrdinaryTable(Database& database, const std::string& name) {
  Statement statement(database,
                      "SELECT 1 FROM pragma_table_list WHERE schema = 'main' AND name = ? AND type "
                      "= 'table'");
  return statement.bind(0, name).step();
}

}  // namespace

bool hasColumn(Database& database, const std::string& table, const std::string& column) {
  // A generated column is computed when it is read: it counts as none.
  Statement statement(database,
                      "SELECT 1 FROM pragma_table_xinfo(?) WHERE name = ? AND hidden = 0");
  return statement.bind(0, table).bind(1, column).step();
}

std::string quotedName(const std::string& name) {
  std::string quoted = "\"";
  for (const char letter : name) {
    if (letter == '"') quoted += letter;
    quoted += letter;
  }
  return quoted + '"';
}

void checkSurveyTables(Database& database) {
  database.execute("PRAGMA trusted_schema = OFF");
  if (pragma(database, "application_id") != surveyApplicationId) {
    throw SurveyError(database.path(),
                      "is not a survey; give a file that `softscope survey` wrote");
  }
  const std::int64_t version = pragma(database, "user_version");
  if (version > surveyVersion) {
    throw SurveyError(database.path(), "was written by a later Softscope (version " +
                                           std::to_string(version) +
                                           " of its tables); open it with that one");
  }
  if (version != surveyVersion) failDamaged(database.path(), "its tables have no version");
  for (const ExpectedTable& table : expectedTables) {
    if (!isOrdinaryTable(database, table.name)) {
      failDamaged(database.path(), std::string("it has no table \"") + table.name + "\"");
    }
    std::istringstream columns(table.columns);
    for (std::string column; columns >> column;) {
      if (hasColumn(database, table.name, column)) continue;
      failDamaged(database.path(),
                  std::string("its table \"") + table.name + "\" has no column \"" + column + "\"");
    }
  }
}

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
