#include "core/survey/SurveyTables.h"

#include "core/survey/CheckedRows.h"
#include "core/text/Words.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

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

constexpr const char* describingTables = R"(
CREATE TABLE survey(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE model(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, path TEXT NOT NULL, fingerprint TEXT NOT NULL,
                   family TEXT NOT NULL, variant TEXT NOT NULL, mechanism TEXT NOT NULL, parameters INTEGER NOT NULL,
                   request TEXT NOT NULL, transform TEXT NOT NULL);
CREATE TABLE layer(id INTEGER PRIMARY KEY, model INTEGER NOT NULL REFERENCES model, name TEXT NOT NULL,
                   position INTEGER NOT NULL, mechanism TEXT NOT NULL, heads INTEGER NOT NULL, UNIQUE(model, name));
CREATE TABLE head(id INTEGER PRIMARY KEY, layer INTEGER NOT NULL REFERENCES layer, head INTEGER NOT NULL,
                  UNIQUE(layer, head));
CREATE TABLE class(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE picture(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, class INTEGER REFERENCES class,
                     unreadable TEXT);
CREATE TABLE measure(name TEXT PRIMARY KEY, scope TEXT NOT NULL, position INTEGER NOT NULL, title TEXT NOT NULL,
                     unit TEXT NOT NULL, source TEXT NOT NULL) WITHOUT ROWID;
)";

constexpr const char* fileTable = "picture_file";
constexpr const char* fileTableSql =
    "CREATE TABLE picture_file(picture INTEGER PRIMARY KEY REFERENCES picture, size INTEGER NOT "
    "NULL, modified INTEGER NOT NULL, sha256 TEXT NOT NULL);";

/// Returns the statement that creates the table of a scope's values (`model`, `layer` or `head`),
/// with a column for each of its measures.
std::string valueTableSql(const std::string& scope, const std::vector<std::string>& measures) {
  std::string columns = "picture INTEGER NOT NULL, " + scope + " INTEGER NOT NULL";
  for (const std::string& measure : measures) columns += ", " + measure + " REAL";
  return "CREATE TABLE " + scope + "_value(" + columns + ", PRIMARY KEY(picture, " + scope +
         ")) WITHOUT ROWID;";
}

/// Returns the statements that create the describing tables (all but those of values), by table.
const std::map<std::string, std::string, std::less<>>& describingStatements() {
  static const auto statements = [] {
    std::map<std::string, std::string, std::less<>> byTable;
    const std::string all = withPlainSpaces(describingTables);
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
  // Without the semicolon, which SQLite does not store.
  if (table == fileTable)
    return std::string_view(fileTableSql).starts_with(sql) && sql.ends_with(')');
  const auto known = describingStatements().find(table);
  return known != describingStatements().end() && known->second == sql;
}

bool isSurveyTable(std::string_view table) {
  return table == fileTable || describingStatements().contains(table) ||
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

void insertKeys(Database& database, const SurveyPlan& plan) {
  Statement insert(database, "INSERT INTO survey VALUES(?, ?)");
  const std::pair<const char*, std::string> keys[] = {
      {"program", plan.program},   {"command", plan.command},
      {"recipe", recipeOf(plan)},  {"folder", plan.folder},
      {"listing", plan.listing},   {"pictures", std::to_string(plan.pictures)},
      {"shard", plan.shard.text()}};
  for (const auto& [key, value] : keys) insert.bind(0, std::string(key)).bind(1, value).run();
}

void insertLayers(Database& database, const std::vector<SurveyPlan::Model>& models) {
  Statement insertLayer(database, "INSERT INTO layer VALUES(?, ?, ?, ?, ?, ?)");
  Statement insertHead(database, "INSERT INTO head VALUES(?, ?, ?)");
  std::int64_t layerId = 0;
  std::int64_t headId = 0;
  for (std::size_t model = 0; model < models.size(); ++model) {
    for (const SurveyPlan::Layer& layer : models[model].layers) {
      insertLayer.bind(0, layerId).bind(1, static_cast<std::int64_t>(model)).bind(2, layer.name);
      insertLayer.bind(3, std::int64_t{layer.position}).bind(4, layer.mechanism);
      insertLayer.bind(5, std::int64_t{layer.heads}).run();
      for (std::int64_t head = 0; head < layer.heads; ++head) {
        insertHead.bind(0, headId++).bind(1, layerId).bind(2, head).run();
      }
      ++layerId;
    }
  }
}

void insertModels(Database& database, const std::vector<SurveyPlan::Model>& models) {
  Statement insert(database, "INSERT INTO model VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  std::int64_t id = 0;
  for (const SurveyPlan::Model& model : models) {
    insert.bind(0, id++).bind(1, model.name).bind(2, model.path).bind(3, model.fingerprint);
    insert.bind(4, model.family).bind(5, model.variant).bind(6, model.mechanism);
    insert.bind(7, model.parameters).bind(8, model.request).bind(9, model.transform).run();
  }
  insertLayers(database, models);
}

void insertMeasures(Database& database, const std::vector<SurveyPlan::Measure>& measures) {
  Statement insert(database, "INSERT INTO measure VALUES(?, ?, ?, ?, ?, ?)");
  std::int64_t position = 0;
  for (const SurveyPlan::Measure& measure : measures) {
    insert.bind(0, measure.name).bind(1, measure.scope).bind(2, position++);
    insert.bind(3, measure.title).bind(4, measure.unit).bind(5, measure.source).run();
  }
}

/// Parses a whole number that is at least 0; returns nothing for any other text.
std::optional<std::int64_t> parseCount(const std::string& text) {
  const auto count = parseNumber<std::int64_t>(text);
  return count && *count >= 0 ? count : std::nullopt;
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
  if (version < firstSurveyVersion) failSchema(database, "its tables have no version");
  const std::set<std::string> tables = checkedTables(database);
  const auto require = [&](const std::string& table) {
    if (!tables.contains(table)) failSchema(database, "it has no table " + quotedName(table));
  };
  for (const auto& [table, sql] : describingStatements()) require(table);
  for (const std::string scope : valueScopes) require(scope + "_value");
  if (version > firstSurveyVersion) {
    require(fileTable);
  } else if (tables.contains(fileTable)) {
    failSchema(database, "its version has no table " + quotedName(fileTable));
  }
  database.admit();
}

int versionOfTables(Database& database) {
  return static_cast<int>(pragma(database, "user_version"));
}

void createSurveyTables(Database& database,
                        const std::map<std::string, std::vector<std::string>>& measures,
                        int version) {
  database.execute("PRAGMA application_id = " + std::to_string(surveyApplicationId) +
                   "; PRAGMA user_version = " + std::to_string(version));
  database.execute(describingTables);
  if (version > firstSurveyVersion) database.execute(fileTableSql);
  for (const char* scope : {"model", "layer", "head"}) {
    const auto ofScope = measures.find(scope);
    database.execute(valueTableSql(
        scope, ofScope == measures.end() ? std::vector<std::string>() : ofScope->second));
  }
  database.admit();
}

void createSurvey(Database& database, const SurveyPlan& plan) {
  Transaction transaction(database);
  std::map<std::string, std::vector<std::string>> measures;
  for (const SurveyPlan::Measure& measure : plan.measures) {
    measures[measure.scope].push_back(measure.name);
  }
  createSurveyTables(database, measures);
  insertKeys(database, plan);
  insertModels(database, plan.models);
  Statement insertClass(database, "INSERT INTO class VALUES(?, ?)");
  for (std::size_t i = 0; i < plan.classes.size(); ++i) {
    insertClass.bind(0, static_cast<std::int64_t>(i)).bind(1, plan.classes[i]).run();
  }
  insertMeasures(database, plan.measures);
  transaction.commit();
}

bool isEmptyDatabase(Database& database) {
  Statement tables(database, "SELECT count(*) FROM main.sqlite_master");
  return tables.step() && tables.integer(0) == 0;
}

SurveyOrigin surveyOrigin(Database& database) {
  checkSurveyTables(database);
  std::map<std::string, std::string> values;
  CheckedRows rows(database, "survey", "key, value");
  while (rows.next()) values[rows.text(0, "key")] = rows.text(1, "value");
  for (const char* key : {"recipe", "listing", "pictures", "shard", "folder"}) {
    if (!values.contains(key)) rows.fail("it does not say its " + std::string(key));
  }
  if (!isRecipe(values["recipe"])) rows.fail("its recipe cannot be read");
  const std::optional<std::int64_t> pictures = parseCount(values["pictures"]);
  if (!pictures) rows.fail("its number of pictures cannot be read");
  return {values["recipe"], values["listing"], *pictures,
          values["folder"], values["shard"],   versionOfTables(database)};
}

}  // namespace softscope
