#pragma once

#include "core/survey/Database.h"

#include <string>

namespace softscope {

/// Throws SurveyError unless the database is a survey of the version that docs/survey.md describes,
/// with exactly its tables and nothing beside them: no triggers, views, further indexes, generated
/// columns or other constraints. Nothing of its content is looked at, and from then on statements
/// may take work in proportion to the file.
void checkSurveyTables(Database& database);

/// Whether a checked table has a column of exactly that name.
bool hasColumn(Database& database, const std::string& table, const std::string& column);

/// A name as SQL has it.
std::string quotedName(const std::string& name);

}  // namespace softscope
