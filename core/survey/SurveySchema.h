#pragma once

#include "core/survey/Database.h"

#include <string>

namespace softscope {

/// Throws SurveyError unless the database is a survey of the version that docs/survey.md describes,
/// with exactly its tables and nothing else: no triggers, views, further indexes, generated columns
/// or other constraints. Does not look at the content; afterwards, statements may take work in
/// proportion to the file.
void checkSurveyTables(Database& database);

/// Returns true if a checked table has a column of exactly this name.
bool hasColumn(Database& database, const std::string& table, const std::string& column);

/// Quotes a name for SQL.
std::string quotedName(const std::string& name);

}  // namespace softscope
