#pragma once

#include "core/survey/Database.h"
#include "core/survey/SurveyPlan.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace softscope {

/// `PRAGMA application_id` and `user_version` of the tables that docs/survey.md describes.
inline constexpr int surveyApplicationId = 0x53465356;
inline constexpr int surveyVersion = 1;

/// The statements that make a survey's tables but those of values.
std::string_view describingTablesSql();

/// The statement that makes the table of a scope's values (`model`, `layer` or `head`), with a
/// column for each of its measures.
std::string valueTableSql(const std::string& scope, const std::vector<std::string>& measures);

/// Makes the tables in an empty database, in the caller's transaction; `measures` are the columns
/// of each scope's values.
void createSurveyTables(Database& database,
                        const std::map<std::string, std::vector<std::string>>& measures);

/// Makes the tables in an empty database and fills those that say what the survey is of, in one
/// transaction. Throws SurveyError.
void createSurvey(Database& database, const SurveyPlan& plan);

/// Whether a database is still empty, as one is whose making was interrupted.
bool isEmptyDatabase(Database& database);

/// What a survey's file says that it is of.
struct SurveyOrigin {
  std::string recipe;  ///< JSON, an object
  std::string listing;
  std::int64_t pictures = 0;
  std::string folder;
  std::string shard;
};

/// Checks the tables first (checkSurveyTables()). Throws SurveyError unless all of it is there.
SurveyOrigin surveyOrigin(Database& database);

}  // namespace softscope
