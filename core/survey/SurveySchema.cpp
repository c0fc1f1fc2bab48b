#include "core/survey/SurveySchema.h"

#include "core/survey/SurveyTables.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>

namespace softscope {

namespace {

constexpr std::array valueScopes{"model", "layer", "head"};

/// Tables with a constraint for which SQLite keeps an index.
constexpr std::array indexedTables{"model", "layer", "head", "class", "picture"};

std::int64_t pragma(Database& database, const char* name) {
  Statement statement(database, std::string("PRAGMA ") + name);
  return statement.step() ? statement.integer(0) : 0;
}

[[noreturn]] void failSchema(const Database& database, const std::string& how) {
  throw SurveyError(database.path(), "is damaged: " + how + "; measure again into a new file");
}

/// Replaces any white space in SQL by single spaces.
std::string withPlainSpaces(std::string_view sql) {
  std::string plain;
  for (const char letter : sql) {
    const bool isSpace = letter == ' ' || letter == '\n' || letter == '\t' || letter == '\r';
    if (!isSpace) {
      plain += letter;
    } else if (!plain.empty() && plain.back() != ' ') {
      plain += ' ';
    }
  }
  if (plain.ends_with(' ')) plain.pop_back();
  return plain;
}

/// Returns the statements that create the describing tables (all but those of values), by table.
const std::map<std::string, std::string, std::less<>>& describingStatements() {
  static const auto statements = [] {
    std::map<std::string, std::string, std::less<>> byTable;
    const std::string all = withPlainSpaces(describingTablesSql());
    constexpr std::string_view create = "CREATE TABLE ";
    for (std::size_t at = all.find(create); at != std::string::npos;) {
      const std::size_t end = all.find(';', at);
      const std::size_t name = at + create.size();
      byTable.emplace(all.substr(name, all.find('(', at) - name), all.substr(at, end - at));
      at = all.find(create, end);
    }
    return byTable;
  }();
  return statements;
}

bool isMeasureName(std::string_view name) {
  constexpr std::size_t longestName = 64;
  return !name.empty() && name.size() <= longestName && name.front() >= 'a' &&
         name.front() <= 'z' && std::ranges::all_of(name, [](char letter) {
           return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') ||
                  letter == '_';
         });
}

/// Returns true if `sql` creates the table of values of a scope: its two keys and any number of
/// measures.
bool makesValueTable(std::string_view sql, const std::string& scope) {
  std::string whole = withPlainSpaces(valueTableSql(scope, {}));
  whole.pop_back();  // Removes the semicolon, which SQLite does not store.
  const std::size_t keys = whole.find(", PRIMARY KEY");
  const std::string_view end = std::string_view(whole).substr(keys);
  if (!sql.starts_with(whole.substr(0, keys)) || !sql.ends_with(end)) return false;
  std::string_view columns = sql.substr(keys, sql.size() - keys - end.size());
  constexpr std::string_view begin = ", ";
  constexpr std::string_view type = " REAL";
  while (!columns.empty()) {
    const std::size_t next = columns.find(begin, begin.size());
    const std::string_view column = columns.substr(0, next);
    columns.remove_prefix(column.size());
    if (!column.starts_with(begin) || !column.ends_with(type) ||
        !isMeasureName(column.substr(begin.size(), column.size() - begin.size() - type.size()))) {
      return false;
    }
  }
  return true;
}

bool isIndexOfTable(std::string_view name, std::string_view table) {
  return std::ranges::find(indexedTables, table) != indexedTables.end() &&
         name == "sqlite_autoindex_" + std::string(table) + "_1";
}

/// Returns true if `sql` creates a table of a survey, exactly as specified.
bool makesSurveyTable(std::string_view sql, std::string_view table) {
  for (const std::string scope : valueScopes) {
    if (table == scope + "_value") return makesValueTable(sql, scope);
  }
  const auto known = describingStatements().find(table);
  return known != describingStatements().end() && known->second == sql;
}

bool isSurveyTable(std::string_view table) {
  return describingStatements().contains(table) ||
         std::ranges::any_of(valueScopes,
                             [&](const std::string& scope) { return table == scope + "_value"; });
}

/// Checks everything that the file defines, and returns the names of its tables.
std::set<std::string> checkedTables(Database& database) {
  std::set<std::string> tables;
  // (Under this name, which a file cannot redefine.)
  Statement rows(database, "SELECT type, name, tbl_name, sql FROM main.sqlite_master");
  while (rows.step()) {
    const std::string type = rows.text(0);
    const std::string name = rows.text(1);
    const std::string table = rows.text(2);
    if (type == "index" && rows.isNothing(3) && isIndexOfTable(name, table)) continue;
    if (type != "table" || name != table || !isSurveyTable(name)) {
      throw SurveyError(database.path(), "has a " + type + " " + quotedName(name) +
                                             ", as no survey has; drop it with sqlite3 if the file "
                                             "is your own");
    }
    if (!makesSurveyTable(withPlainSpaces(rows.text(3)), name) || !tables.insert(name).second) {
      failSchema(database, "its table " + quotedName(name) +
                               " has other columns or rules than a "
                               "survey's");
    }
  }
  return tables;
}

}  // namespace

bool hasColumn(Database& database, const std::string& table, const std::string& column) {
  Statement statement(database, "SELECT 1 FROM pragma_table_xinfo(?) WHERE name = ?");
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
  if (version != surveyVersion) failSchema(database, "its tables have no version");
  const std::set<std::string> tables = checkedTables(database);
  const auto require = [&](const std::string& table) {
    if (!tables.contains(table)) failSchema(database, "it has no table " + quotedName(table));
  };
  for (const auto& [table, sql] : describingStatements()) require(table);
  for (const std::string scope : valueScopes) require(scope + "_value");
  database.admit();
}

}  // namespace softscope
