#include "core/files/AtomicFile.h"
#include "core/survey/CheckedRows.h"
#include "core/survey/Database.h"
#include "core/survey/Shard.h"
#include "core/survey/SurveyDescription.h"
#include "core/survey/SurveyPlan.h"
#include "core/survey/SurveyTables.h"
#include "core/survey/SurveyWriter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace softscope {

namespace {

constexpr std::array valueScopesOfSurvey{"model", "layer", "head"};

SurveyOrigin originOf(const std::string& path) {
  Database database(path, Database::Mode::ReadOnly);
  return surveyOrigin(database);
}

void requireSameParts(const std::string& first, const SurveyOrigin& expected,
                      const std::string& path, const SurveyOrigin& origin) {
  const std::string difference =
      recipeDifference(expected.recipe, origin.recipe, {"in " + first, "in this"});
  if (!difference.empty()) {
    throw SurveyError(path, "was measured by another recipe than " + first + " (" + difference +
                                "); merge parts of one survey");
  }
  if (expected.version != origin.version) {
    throw SurveyError(path, "has tables of another version than " + first + " (" +
                                std::to_string(origin.version) + " and " +
                                std::to_string(expected.version) +
                                "); merge parts that one Softscope began");
  }
  if (expected.listing != origin.listing) {
    throw SurveyError(path, "is of other pictures (" + std::to_string(origin.pictures) + " of " +
                                origin.folder + ") than " + first + " (" +
                                std::to_string(expected.pictures) + " of " + expected.folder +
                                "); merge parts of one survey");
  }
}

/// Remembers which file holds each picture.
class PictureOwners {
 public:
  explicit PictureOwners(std::int64_t pictures) : pictures_(pictures) {}

  void add(const std::vector<std::string>& inputs, std::size_t file) {
    Database database(inputs[file], Database::Mode::ReadOnly);
    checkSurveyTables(database);
    CheckedRows rows(database, "picture", "id, path");
    while (rows.next()) {
      const std::int64_t id = rows.integer(0, "id");
      const std::string path = rows.text(1, "path");
      if (id >= pictures_) {
        throw SurveyError(inputs[file],
                          "has a picture that its folder has not, " + path + "; measure it again");
      }
      const auto [owner, isFirst] = owners_.emplace(id, file);
      if (!isFirst) {
        throw SurveyError(inputs[file], "has " + path + ", and so has " + inputs[owner->second] +
                                            "; give each shard once");
      }
    }
  }

  void requireAll(const std::vector<SurveyOrigin>& origins) const {
    const std::int64_t count = pictures_ - std::ssize(owners_);
    if (count == 0) return;
    std::int64_t picture = 0;
    while (owners_.contains(picture)) ++picture;
    throw SurveyError("merge", std::to_string(count) + " of " + std::to_string(pictures_) +
                                   " pictures are in none of the files, the first being number " +
                                   std::to_string(picture) + whoseTurn(picture, origins));
  }

 private:
  /// Says what to do about a missing picture.
  static std::string whoseTurn(std::int64_t picture, const std::vector<SurveyOrigin>& origins) {
    const auto given = parseShard(origins.front().shard);
    if (!given) return "; run the surveys to their end";
    const Shard shard{picture % given->count + 1, given->count};
    const bool there = std::ranges::any_of(
        origins, [&](const SurveyOrigin& one) { return one.shard == shard.text(); });
    return "; shard " + shard.text() +
           (there ? " is not done, run its command again" : " is missing, give its file, too");
  }

  std::int64_t pictures_;
  std::unordered_map<std::int64_t, std::size_t> owners_;
};

/// The type of a table's column, which determines how it is copied.
enum class CellKind { Integer, IntegerOrNothing, Text, TextOrNothing };
struct CopiedColumn {
  const char* name;
  CellKind kind;
};
using CopiedColumns = std::vector<CopiedColumn>;

const CopiedColumns& columnsOf(const std::string& table) {
  using enum CellKind;
  static const std::map<std::string, CopiedColumns> all{
      {"survey", {{"key", Text}, {"value", Text}}},
      {"model",
       {{"id", Integer},
        {"name", Text},
        {"path", Text},
        {"fingerprint", Text},
        {"family", Text},
        {"variant", Text},
        {"mechanism", Text},
        {"parameters", Integer},
        {"request", Text},
        {"transform", Text}}},
      {"layer",
       {{"id", Integer},
        {"model", Integer},
        {"name", Text},
        {"position", Integer},
        {"mechanism", Text},
        {"heads", Integer}}},
      {"head", {{"id", Integer}, {"layer", Integer}, {"head", Integer}}},
      {"class", {{"id", Integer}, {"name", Text}}},
      {"measure",
       {{"name", Text},
        {"scope", Text},
        {"position", Integer},
        {"title", Text},
        {"unit", Text},
        {"source", Text}}},
      {"picture",
       {{"id", Integer},
        {"path", Text},
        {"class", IntegerOrNothing},
        {"unreadable", TextOrNothing}}},
      {"picture_file",
       {{"picture", Integer}, {"size", Integer}, {"modified", Integer}, {"sha256", Text}}}};
  return all.at(table);
}

std::string insertInto(const std::string& table, std::size_t columns) {
  std::string sql = "INSERT INTO main." + table + " VALUES(?";
  for (std::size_t i = 1; i < columns; ++i) sql += ", ?";
  return sql + ")";
}

void bindCell(const CheckedRows& rows, int column, const CopiedColumn& copied, Statement& insert) {
  switch (copied.kind) {
    case CellKind::Integer:
      insert.bind(column, rows.integer(column, copied.name));
      return;
    case CellKind::Text:
      insert.bind(column, rows.text(column, copied.name));
      return;
    case CellKind::IntegerOrNothing:
      if (const auto value = rows.integerOrNothing(column, copied.name)) {
        insert.bind(column, *value);
      } else {
        insert.bindNothing(column);
      }
      return;
    case CellKind::TextOrNothing:
      if (const auto value = rows.textOrNothing(column, copied.name)) {
        insert.bind(column, *value);
      } else {
        insert.bindNothing(column);
      }
      return;
  }
}

void insertRow(const CheckedRows& rows, const std::string& table, Statement& insert) {
  try {
    insert.run();
  } catch (const ConstraintError&) {
    rows.fail("two rows of its table \"" + table + "\" are of the same");
  }
}

std::string columnList(const CopiedColumns& columns) {
  std::string list;
  for (const CopiedColumn& column : columns) {
    list += (list.empty() ? "" : ", ") + std::string(column.name);
  }
  return list;
}

constexpr std::array describingTablesOfSurvey{"survey", "model", "layer",
                                              "head",   "class", "measure"};

/// Returns the pictures of a part that have values.
std::set<std::int64_t> readablePictures(Database& part) {
  std::set<std::int64_t> readable;
  CheckedRows rows(part, "picture", "id, unreadable");
  while (rows.next()) {
    if (!rows.textOrNothing(1, "unreadable")) readable.insert(rows.integer(0, "id"));
  }
  return readable;
}

/// Fills a new survey row by row from untrusted parts: none of their pages or SQL statements enter
/// it.
class SurveyFiller {
 public:
  explicit SurveyFiller(Database& output) : output_(output) {}

  /// Copies the description of the survey, which is the same in all parts.
  void describe(Database& part) {
    keepsFiles_ = versionOfTables(part) > firstSurveyVersion;
    createSurveyTables(output_, measuresOf(part), versionOfTables(part));
    for (const char* table : describingTablesOfSurvey) copyTable(part, table);
  }

  void addPictures(Database& part) {
    const std::set<std::int64_t> pictures = copyTable(part, "picture");
    if (keepsFiles_) copyFiles(part, pictures);
    for (const std::string scope : valueScopesOfSurvey) copyValues(part, scope, pictures);
  }

 private:
  const std::map<std::string, std::vector<std::string>>& measuresOf(Database& part) {
    CheckedRows rows(part, "measure", "name, scope, position");
    std::map<std::string, std::map<std::int64_t, std::string>> ordered;
    while (rows.next()) {
      const std::string name = rows.text(0, "name");
      const std::string scope = rows.text(1, "scope");
      if (std::ranges::find(valueScopesOfSurvey, scope) == valueScopesOfSurvey.end()) {
        rows.fail("a measure has an unknown scope");
      }
      if (!hasColumn(part, scope + "_value", name)) {
        rows.fail("its table \"" + scope + "_value\" lacks the column of a measure");
      }
      if (!ordered[scope].emplace(rows.integer(2, "position"), name).second) {
        rows.fail("two measures have one position");
      }
    }
    for (const auto& [scope, measures] : ordered) {
      for (const auto& [position, name] : measures) measures_[scope].push_back(name);
    }
    return measures_;
  }

  /// Copies a table and returns the ids of its rows, if they have any.
  std::set<std::int64_t> copyTable(Database& part, const std::string& table) {
    const CopiedColumns& columns = columnsOf(table);
    CheckedRows rows(part, table, columnList(columns));
    Statement insert(output_, insertInto(table, columns.size()));
    std::set<std::int64_t> ids;
    while (rows.next()) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        bindCell(rows, static_cast<int>(i), columns[i], insert);
      }
      if (table == "picture") requireClass(rows);
      insertRow(rows, table, insert);
      if (columns.front().kind == CellKind::Integer) ids.insert(rows.integer(0, "id"));
    }
    if (table != "picture") units_[table] = ids;
    return ids;
  }

  void requireClass(const CheckedRows& picture) {
    const auto of = picture.integerOrNothing(2, "class");
    if (of && !units_["class"].contains(*of)) {
      picture.fail("it has a picture of class " + std::to_string(*of) + ", which is not there");
    }
  }

  void copyFiles(Database& part, const std::set<std::int64_t>& pictures) {
    const CopiedColumns& columns = columnsOf("picture_file");
    CheckedRows rows(part, "picture_file", columnList(columns));
    Statement insert(output_, insertInto("picture_file", columns.size()));
    while (rows.next()) {
      requiredPicture(rows, pictures);
      for (std::size_t i = 0; i < columns.size(); ++i) {
        bindCell(rows, static_cast<int>(i), columns[i], insert);
      }
      insertRow(rows, "picture_file", insert);
    }
  }

  static std::int64_t requiredPicture(const CheckedRows& rows,
                                      const std::set<std::int64_t>& pictures) {
    const std::int64_t picture = rows.integer(0, "picture");
    if (pictures.contains(picture)) return picture;
    rows.fail("it has values of picture " + std::to_string(picture) + ", which is not there");
  }

  void copyValues(Database& part, const std::string& scope,
                  const std::set<std::int64_t>& pictures) {
    const std::string table = scope + "_value";
    const std::vector<std::string>& measures = measures_[scope];
    std::string list = "picture, " + scope;
    for (const std::string& measure : measures) list += ", " + quotedName(measure);
    CheckedRows rows(part, table, list, "ORDER BY picture, " + scope);
    Statement insert(output_, insertInto(table, measures.size() + 2));
    std::map<std::int64_t, std::size_t> copied;
    while (rows.next()) {
      const std::int64_t picture = requiredPicture(rows, pictures);
      const std::int64_t unit = rows.integer(1, scope);
      ++copied[picture];
      if (!units_[scope].contains(unit)) {
        rows.fail("it has values of " + scope + " " + std::to_string(unit) +
                  ", which is not there");
      }
      insert.bind(0, picture).bind(1, unit);
      for (std::size_t i = 0; i < measures.size(); ++i) {
        const auto column = static_cast<int>(i) + 2;
        const double value = rows.number(column, measures[i]);
        insert.bind(column, std::isnan(value) ? std::nullopt : std::optional(value));
      }
      insertRow(rows, table, insert);
    }
    if (measures.empty()) return;
    for (const std::int64_t picture : readablePictures(part)) {
      if (copied[picture] == units_[scope].size()) continue;
      rows.fail("it lacks values of some " + scope + "s of picture " + std::to_string(picture));
    }
  }

  Database& output_;
  bool keepsFiles_ = true;
  /// Measures of each scope, in the order of their columns.
  std::map<std::string, std::vector<std::string>> measures_;
  /// Ids of models, layers, heads and classes.
  std::map<std::string, std::set<std::int64_t>> units_;
};

void fill(const std::string& path, const std::vector<std::string>& inputs,
          const std::string& command, const Progress& progress) {
  Database database(path, Database::Mode::New);
  database.execute("BEGIN");
  SurveyFiller filler(database);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    progress.report(static_cast<double>(i) / static_cast<double>(inputs.size()), inputs[i]);
    Database part(inputs[i], Database::Mode::ReadOnly);
    checkSurveyTables(part);
    if (i == 0) filler.describe(part);
    filler.addPictures(part);
  }
  Statement update(database, "UPDATE survey SET value = ? WHERE key = ?");
  update.bind(0, Shard().text()).bind(1, std::string("shard")).run();
  update.bind(0, command).bind(1, std::string("command")).run();
  database.execute("COMMIT");
  database.execute("VACUUM");
}

/// Fills the file at `path`, which becomes `output` once it is complete. Errors name `output`.
void fillFor(const std::string& output, const std::string& path,
             const std::vector<std::string>& inputs, const std::string& command,
             const Progress& progress) {
  try {
    fill(path, inputs, command, progress);
  } catch (const SurveyError& error) {
    const std::string_view said = error.what();
    if (!said.starts_with(path + ": ")) throw;
    throw SurveyError(output, std::string(said.substr(path.size() + 2)));
  }
}

}  // namespace

std::int64_t mergeSurveys(const std::vector<std::string>& inputs, const std::string& output,
                          const std::string& command, const Progress& progress) {
  std::error_code ignored;
  if (std::filesystem::exists(output, ignored)) {
    throw SurveyError(output, "exists already; give another name, or remove it first");
  }
  checkWritable(output);
  std::vector<SurveyOrigin> origins;
  for (const std::string& input : inputs) origins.push_back(originOf(input));
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    requireSameParts(inputs.front(), origins.front(), inputs[i], origins[i]);
  }
  requireSameDescription(inputs);
  const std::int64_t pictures = origins.front().pictures;
  PictureOwners owners(pictures);
  for (std::size_t i = 0; i < inputs.size(); ++i) owners.add(inputs, i);
  owners.requireAll(origins);
  writeFileAtomically(
      output, [&](const std::string& path) { fillFor(output, path, inputs, command, progress); });
  return pictures;
}

}  // namespace softscope
