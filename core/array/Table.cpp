#include "core/array/Table.h"

#include "core/files/AtomicFile.h"

#include <array>
#include <charconv>
#include <cmath>

namespace softscope {

namespace {

struct CellText {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(const std::string& text) const { return csvField(text); }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(double number) const {
    std::string text;
    appendCsvNumber(text, number);
    return text;
  }
};

}  // namespace

std::string csvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted(1, '"');
  for (const char letter : text) {
    quoted.push_back(letter);
    if (letter == '"') quoted.push_back(letter);
  }
  quoted.push_back('"');
  return quoted;
}

void appendCsvNumber(std::string& line, double number) {
  if (std::isnan(number)) {
    line += "nan";
    return;
  }
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
  line.append(text.data(), end);
}

Table::Cell cellOf(const std::optional<double>& value) {
  return value ? Table::Cell(*value) : Table::Cell();
}

std::string csvText(const Table& table) {
  std::string text;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (i > 0) text.push_back(',');
    text += csvField(table.columns[i]);
  }
  text.push_back('\n');
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) text.push_back(',');
      text += std::visit(CellText{}, row[i]);
    }
    text.push_back('\n');
  }
  return text;
}

void writeCsv(const std::string& path, const Table& table) {
  writeFileAtomically(path, csvText(table));
}

}  // namespace softscope
