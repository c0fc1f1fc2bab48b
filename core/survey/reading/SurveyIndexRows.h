#pragma once

#include "core/survey/Database.h"
#include "core/survey/reading/SurveyIndex.h"

namespace softscope {

/// Reads everything but the values from a file whose tables were checked. Throws SurveyError for
/// names that occur twice, references to missing rows, and anything else that docs/survey.md rules
/// out.
SurveyIndex readSurveyIndex(Database& database);

/// Returns the table that holds a scope's values, and its column of units.
const char* valueTable(SurveyIndex::Scope scope);
const char* unitColumn(SurveyIndex::Scope scope);

}  // namespace softscope
