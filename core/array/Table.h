#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace softscope {

/// The numbers behind a plot: named columns, rows with one cell per column, and what they say.
struct Table {
  /// std::monostate if the value is undefined; written as an empty field.
  using Cell = std::variant<std::monostate, std::string, std::int64_t, double>;

  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
  /// The result in one sentence; see comparedSentence(). CSV has no place for it.
  std::string sentence = {};

  void add(std::vector<Cell> row) { rows.push_back(std::move(row)); }
};

/// Returns a cell that is empty if there is no value.
Table::Cell cellOf(const std::optional<double>& value);

/// Returns the table as CSV by RFC 4180, but with lines ending in a line feed. Numbers have the
/// shortest form that reads back as the same float64, and `inf` and `nan` are spelled as NumPy
/// reads them.
std::string csvText(const Table& table);

/// Returns one field of csvText(), for tables too long to be kept in memory.
std::string csvField(const std::string& text);
void appendCsvNumber(std::string& line, double number);

/// Writes csvText() to a file. Throws FileError.
void writeCsv(const std::string& path, const Table& table);

}  // namespace softscope
