#pragma once

#include "core/survey/Database.h"
#include "core/survey/SurveyPlan.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace softscope {

/// Throws SurveyError unless the database is a survey of a version that docs/survey.md describes,
/// with exactly its tables and nothing else: no triggers, views, further indexes, generated columns
/// or other constraints. Does not look at the content; afterwards, statements may take work in
/// proportion to the file.
void checkSurveyTables(Database& database);

/// Returns true if a checked table has a column of exactly this name.
bool hasColumn(Database& database, const std::string& table, const std::string& column);

/// Quotes a name for SQL.
std::string quotedName(const std::string& name);

/// `PRAGMA application_id` and `user_version` of the tables that docs/survey.md describes.
inline constexpr int surveyApplicationId = 0x53465356;
inline constexpr int surveyVersion = 2;
/// The first version has no table of the pictures' files.
inline constexpr int firstSurveyVersion = 1;

/// Returns the version of a checked survey's tables.
int versionOfTables(Database& database);

/// Creates the tables of a version in an empty database, within the caller's transaction;
/// `measures` gives the columns of each scope's values.
void createSurveyTables(Database& database,
                        const std::map<std::string, std::vector<std::string>>& measures,
                        int version = surveyVersion);

/// Creates the tables in an empty database and fills those that describe the survey, in one
/// transaction. Throws SurveyError.
void createSurvey(Database& database, const SurveyPlan& plan);

/// Returns true if a database is still empty, as it is if its creation was interrupted.
bool isEmptyDatabase(Database& database);

/// The description of a survey in its file.
struct SurveyOrigin {
  std::string recipe;  ///< a JSON object
  std::string listing;
  std::int64_t pictures = 0;
  std::string folder;
  std::string shard;
  int version = surveyVersion;
};

/// Checks the tables (checkSurveyTables()) and reads the description. Throws SurveyError if any of
/// it is missing.
SurveyOrigin surveyOrigin(Database& database);

}  // namespace softscope
