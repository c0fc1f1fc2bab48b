#include "core/survey/SurveyDescription.h"

#include "core/survey/CheckedRows.h"
#include "core/survey/Database.h"
#include "core/survey/SurveyTables.h"

#include <array>
#include <cstddef>
#include <set>
#include <utility>

namespace softscope {

namespace {

/// A table that numbers what values are of, and the columns that are the same in all parts of a
/// survey. A model's path and request may name other folders on another machine.
struct NumberedTable {
  const char* name;
  std::vector<std::string> columns;
};

const std::array<NumberedTable, 5>& numberedTables() {
  static const std::array<NumberedTable, 5> tables{
      {{"model",
        {"id", "name", "fingerprint", "family", "variant", "mechanism", "parameters", "transform"}},
       {"layer", {"id", "model", "name", "position", "mechanism", "heads"}},
       {"head", {"id", "layer", "head"}},
       {"class", {"id", "name"}},
       {"measure", {"name", "scope", "position", "title", "unit", "source"}}}};
  return tables;
}

using TableRows = std::set<std::vector<std::string>>;

TableRows numberedRows(Database& survey, const NumberedTable& table) {
  std::string columns;
  for (const std::string& column : table.columns) {
    columns += (columns.empty() ? "CAST(" : ", CAST(") + column + " AS TEXT)";
  }
  TableRows all;
  CheckedRows rows(survey, table.name, columns);
  while (rows.next()) {
    std::vector<std::string> row;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      row.push_back(rows.text(static_cast<int>(i), table.columns[i]));
    }
    all.insert(std::move(row));
  }
  return all;
}

std::vector<TableRows> numberedRowsAt(const std::string& path) {
  Database survey(path, Database::Mode::ReadOnly);
  checkSurveyTables(survey);
  std::vector<TableRows> description;
  for (const NumberedTable& table : numberedTables()) {
    description.push_back(numberedRows(survey, table));
  }
  return description;
}

}  // namespace

void requireSameDescription(const std::vector<std::string>& surveys) {
  const std::vector<TableRows> expected = numberedRowsAt(surveys.front());
  for (std::size_t i = 1; i < surveys.size(); ++i) {
    const std::vector<TableRows> description = numberedRowsAt(surveys[i]);
    for (std::size_t table = 0; table < expected.size(); ++table) {
      if (description[table] == expected[table]) continue;
      throw SurveyError(surveys[i], "has another table " +
                                        quotedName(numberedTables()[table].name) + " than " +
                                        surveys.front() +
                                        ", so that their values do not belong together; merge "
                                        "parts as softscope survey wrote them");
    }
  }
}

}  // namespace softscope
