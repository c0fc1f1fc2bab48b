#pragma once

#include "core/survey/Database.h"
#include "core/survey/SurveyPlan.h"

#include <map>
#include <string>

namespace softscope {

/// `PRAGMA application_id` and `user_version` of the tables that docs/survey.md describes.
inline constexpr int surveyApplicationId = 0x53465356;
inline constexpr int surveyVersion = 1;

/// Makes the tables in an empty database and fills those that say what the survey is of, in one
/// transaction. Throws SurveyError.
void createSurvey(Database& database, const SurveyPlan& plan);

/// Whether a database is still empty, as one is whose making was interrupted.
bool isEmptyDatabase(Database& database);

/// Throws SurveyError unless it holds tables of this version.
void requireSurvey(Database& database);

/// The table `survey`: `recipe`, `listing`, `shard`, ... Throws SurveyError unless all are there.
std::map<std::string, std::string> surveyKeys(Database& database);

}  // namespace softscope
