#include "core/survey/SurveyTables.h"

#include "core/survey/CheckedRows.h"
#include "core/survey/SurveySchema.h"

#include <charconv>
#include <map>
#include <optional>
#include <utility>

namespace softscope {

namespace {

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
  std::int64_t count = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, failure] = std::from_chars(text.data(), end, count);
  if (failure != std::errc() || stopped != end || count < 0) return std::nullopt;
  return count;
}

}  // namespace

std::string_view describingTablesSql() {
  return describingTables;
}

std::string valueTableSql(const std::string& scope, const std::vector<std::string>& measures) {
  std::string columns = "picture INTEGER NOT NULL, " + scope + " INTEGER NOT NULL";
  for (const std::string& measure : measures) columns += ", " + measure + " REAL";
  return "CREATE TABLE " + scope + "_value(" + columns + ", PRIMARY KEY(picture, " + scope +
         ")) WITHOUT ROWID;";
}

void createSurveyTables(Database& database,
                        const std::map<std::string, std::vector<std::string>>& measures) {
  database.execute("PRAGMA application_id = " + std::to_string(surveyApplicationId) +
                   "; PRAGMA user_version = " + std::to_string(surveyVersion));
  database.execute(describingTables);
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
  return {values["recipe"], values["listing"], *pictures, values["folder"], values["shard"]};
}

}  // namespace softscope
