#include "models/NetworkTable.h"

#include "models/identify/Families.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace softscope {

std::string networkTable() {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Family& family : families()) {
    const auto row =
        std::ranges::find(rows, family.attention, [](const auto& r) { return r.second; });
    if (row == rows.end()) {
      rows.emplace_back(family.networks, family.attention);
    } else {
      row->first += ", " + family.networks;
    }
  }
  std::string table = "| networks | their attention |\n|---|---|\n";
  for (const auto& [networks, attention] : rows) {
    table += "| " + networks + " | " + attention + " |\n";
  }
  return table;
}

}  // namespace softscope
