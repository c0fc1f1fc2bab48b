#pragma once

#include "core/survey/Database.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace softscope {

/// The rows of a table from an untrusted file: anything that docs/survey.md does not allow throws a
/// SurveyError that names the table and the column.
class CheckedRows {
 public:
  /// `columns` is the SQL column list; `rest` holds the clauses that order and restrict the rows.
  CheckedRows(Database& database, std::string table, const std::string& columns,
              const std::string& rest = {});

  bool next();

  std::string text(int column, std::string_view name) const;
  /// Returns a text, or nothing for NULL.
  std::optional<std::string> textOrNothing(int column, std::string_view name) const;
  std::int64_t integer(int column, std::string_view name, std::int64_t least = 0,
                       std::int64_t most = INT64_MAX) const;
  std::optional<std::int64_t> integerOrNothing(int column, std::string_view name) const;
  /// Returns a number; NaN if it is NULL or not finite.
  double number(int column, std::string_view name) const;

  /// Throws SurveyError with the message that the file is damaged, and how.
  [[noreturn]] void fail(const std::string& how) const;

 private:
  std::string path_;
  std::string table_;
  Statement statement_;
};

}  // namespace softscope
