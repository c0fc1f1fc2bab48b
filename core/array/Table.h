#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace softscope {

/// Numbers behind a plot: named columns, and rows as wide as these.
struct Table {
  /// Nothing where a value is not defined; written as an empty field.
  using Cell = std::variant<std::monostate, std::string, std::int64_t, double>;

  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;

  void add(std::vector<Cell> row) { rows.push_back(std::move(row)); }
};

/// A cell that is empty where there is no value.
Table::Cell cellOf(const std::optional<double>& value);

/// As RFC 4180 has it, lines ending in a line feed; numbers in the shortest form that reads back as
/// the same float64, `inf` and `nan` as NumPy reads them.
std::string csvText(const Table& table);

/// One field of such a text; for tables too long to be kept.
std::string csvField(const std::string& text);
void appendCsvNumber(std::string& line, double number);

/// Throws FileError.
void writeCsv(const std::string& path, const Table& table);

}  // namespace softscope
