#include "core/survey/reading/SurveyReader.h"

#include "core/survey/CheckedRows.h"
#include "core/survey/SurveyTables.h"
#include "core/survey/reading/SurveyIndex.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>

namespace softscope {

namespace {

/// Number of columns kept, about 16 MB with a million values each.
constexpr std::size_t mostColumnsKept = 4;

/// Number of rows between two checks for cancellation.
constexpr int rowsBetweenReports = 4096;

SurveyIndex checkedIndex(Database& database) {
  checkSurveyTables(database);
  // A single transaction, so that everything is read as of one moment even if the survey is still
  // running.
  database.execute("BEGIN");
  SurveyIndex index = readSurveyIndex(database);
  database.execute("COMMIT");
  return index;
}

std::int64_t idOf(const SurveyIndex& index, const SurveyIndex::Unit& unit) {
  if (unit.head >= 0) return index.heads[static_cast<std::size_t>(unit.head)].id;
  if (unit.layer >= 0) return index.layers[static_cast<std::size_t>(unit.layer)].id;
  return index.models[static_cast<std::size_t>(unit.model)].id;
}

/// Maps unit ids to their positions among the requested units; -1 for units that were not
/// requested.
std::unordered_map<std::int64_t, int> placesOf(const SurveyIndex& index, SurveyIndex::Scope scope,
                                               std::span<const int> units) {
  const std::vector<SurveyIndex::Unit> all = index.units(scope);
  std::unordered_map<std::int64_t, int> places;
  for (const SurveyIndex::Unit& unit : all) places.emplace(idOf(index, unit), -1);
  for (std::size_t i = 0; i < units.size(); ++i) {
    places[idOf(index, all[static_cast<std::size_t>(units[i])])] = static_cast<int>(i);
  }
  return places;
}

bool hasPicture(Database& database, std::int64_t id) {
  Statement statement(database, "SELECT 1 FROM main.picture WHERE id = ?");
  return statement.bind(0, id).step();
}

/// Finds pictures by ascending ids.
class PictureWalk {
 public:
  explicit PictureWalk(const std::vector<SurveyIndex::Picture>& pictures) : pictures_(pictures) {}

  /// Returns the index of a picture, or nothing.
  std::optional<int> find(std::int64_t id) {
    while (next_ < pictures_.size() && pictures_[next_].id < id) ++next_;
    if (next_ == pictures_.size() || pictures_[next_].id != id) return std::nullopt;
    return static_cast<int>(next_);
  }

 private:
  const std::vector<SurveyIndex::Picture>& pictures_;
  std::size_t next_ = 0;
};

}  // namespace

SurveyColumns::Column SurveyColumns::column(int measure, const Progress& progress) {
  const auto known = std::find_if(kept_.begin(), kept_.end(),
                                  [&](const auto& kept) { return kept.first == measure; });
  if (known != kept_.end()) {
    std::rotate(kept_.begin(), known, std::next(known));
    return kept_.front().second;
  }
  auto read = std::make_shared<const std::vector<UnitValues>>(reader_.read(measure, progress));
  kept_.emplace_front(measure, read);
  if (kept_.size() > mostColumnsKept) kept_.pop_back();
  return read;
}

SurveyReader::SurveyReader(const std::string& path)
    : database_(path, Database::Mode::ReadOnly),
      index_(std::make_shared<const SurveyIndex>(checkedIndex(database_))) {}

std::vector<UnitValues> SurveyReader::read(int measure, const Progress& progress) {
  const SurveyIndex::Scope scope = index_->measures[static_cast<std::size_t>(measure)].scope;
  std::vector<int> units(index_->units(scope).size());
  std::iota(units.begin(), units.end(), 0);
  return read(std::span(&measure, 1), units, progress);
}

std::vector<UnitValues> SurveyReader::read(std::span<const int> measures,
                                           std::span<const int> units, const Progress& progress) {
  std::vector<UnitValues> found(units.size());
  if (measures.empty()) return found;
  const auto measureAt = [&](std::size_t i) -> const SurveyIndex::Measure& {
    return index_->measures[static_cast<std::size_t>(measures[i])];
  };
  const SurveyIndex::Scope scope = measureAt(0).scope;
  const std::unordered_map<std::int64_t, int> places = placesOf(*index_, scope, units);
  const std::string column = unitColumn(scope);
  std::string columns = "picture, " + column;
  for (std::size_t i = 0; i < measures.size(); ++i) columns += ", " + quotedName(measureAt(i).name);
  CheckedRows rows(database_, valueTable(scope), columns, "ORDER BY picture, " + column);
  PictureWalk pictures(index_->pictures);
  std::pair<std::int64_t, std::int64_t> last(-1, -1);
  for (std::int64_t count = 0; rows.next(); ++count) {
    const std::int64_t picture = rows.integer(0, "picture");
    const std::int64_t unit = rows.integer(1, column);
    if (std::pair(picture, unit) == last)
      rows.fail("it has two values of one picture and " + column);
    // Pages that refer to each other in a circle would repeat endlessly.
    if (std::pair(picture, unit) < last) rows.fail("its values are not in their order");
    last = {picture, unit};
    const auto place = places.find(unit);
    if (place == places.end()) {
      rows.fail("it has values of " + column + " " + std::to_string(unit) + ", which is not there");
    }
    const std::optional<int> shown = pictures.find(picture);
    if (!shown && !hasPicture(database_, picture)) {
      rows.fail("it has values of picture " + std::to_string(picture) + ", which is not there");
    }
    if (count % rowsBetweenReports == 0) {
      progress.report(static_cast<double>(shown.value_or(0)) /
                          static_cast<double>(std::max<std::size_t>(1, index_->pictures.size())),
                      "Reading");
    }
    if (!shown || place->second < 0) continue;
    UnitValues& values = found[static_cast<std::size_t>(place->second)];
    values.pictures.push_back(*shown);
    for (std::size_t i = 0; i < measures.size(); ++i) {
      values.values.push_back(rows.number(static_cast<int>(i) + 2, measureAt(i).name));
    }
  }
  return found;
}

}  // namespace softscope
