#pragma once

#include "core/survey/Database.h"
#include "core/survey/reading/SurveyIndex.h"

namespace softscope {

/// Everything but the values of a file whose tables were checked. Throws SurveyError for names that
/// occur twice, references to what is not there, and whatever else docs/survey.md rules out.
SurveyIndex readSurveyIndex(Database& database);

/// The table that a scope's values are in, and its column of units.
const char* valueTable(SurveyIndex::Scope scope);
const char* unitColumn(SurveyIndex::Scope scope);

}  // namespace softscope
