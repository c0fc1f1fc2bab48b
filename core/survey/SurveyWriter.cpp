#include "core/survey/SurveyWriter.h"

#include "core/survey/CheckedRows.h"
#include "core/survey/SurveyTables.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

namespace softscope {

namespace {

std::size_t measuresOf(const SurveyPlan& plan, const std::string& scope) {
  return static_cast<std::size_t>(std::ranges::count(
      plan.measures, scope, [](const SurveyPlan::Measure& measure) { return measure.scope; }));
}

std::string insertValues(const SurveyPlan& plan, const std::string& scope) {
  std::string sql = "INSERT INTO " + scope + "_value VALUES(?, ?";
  for (std::size_t i = 0; i < measuresOf(plan, scope); ++i) sql += ", ?";
  return sql + ")";
}

void requireSamePictures(const Database& database, const SurveyOrigin& origin,
                         const SurveyPlan& plan) {
  const bool isOfSizes = origin.version == firstSurveyVersion && plan.firstVersionsListing;
  if (origin.listing != (isOfSizes ? plan.firstVersionsListing() : plan.listing)) {
    throw SurveyError(database.path(), "is of other pictures: " + std::to_string(origin.pictures) +
                                           " of " + origin.folder + " as they were then, and now " +
                                           std::to_string(plan.pictures) + " of " + plan.folder +
                                           " with other " +
                                           (isOfSizes ? "names or sizes" : "names") +
                                           "; give another file, or the same pictures");
  }
  if (origin.shard != plan.shard.text()) {
    throw SurveyError(database.path(),
                      "is of shard " + origin.shard + ", and this is " + plan.shard.text() +
                          "; give every shard a file of its own, for example with {shard} in its "
                          "name");
  }
}

void requireSameSurvey(Database& database, const SurveyPlan& plan) {
  const SurveyOrigin origin = surveyOrigin(database);
  const std::string difference = recipeDifference(origin.recipe, recipeOf(plan));
  if (!difference.empty()) {
    throw SurveyError(database.path(), "was measured by another recipe (" + difference +
                                           "); give another file, or the same options");
  }
  requireSamePictures(database, origin, plan);
}

/// Throws SurveyError if a file exists that cannot be continued. Looks without writing, so that a
/// file of another origin is not changed.
void refuseOtherSurvey(const std::string& path, const SurveyPlan& plan) {
  std::error_code failed;
  if (std::filesystem::file_size(path, failed) == 0 || failed) return;
  Database database(path, Database::Mode::ReadOnly);
  if (!isEmptyDatabase(database)) requireSameSurvey(database, plan);
}

/// Opens the database and prepares it for writing.
Database openedSurvey(const std::string& path, const SurveyPlan& plan) {
  refuseOtherSurvey(path, plan);
  Database database(path, Database::Mode::Create);
  // A journal that exists only while a picture is written, which also works on network drives.
  database.execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL");
  if (isEmptyDatabase(database)) {
    createSurvey(database, plan);
  } else {
    requireSameSurvey(database, plan);
  }
  return database;
}

/// Inserts the rows of one table. Does nothing for a table without measures.
void insertRows(Statement& insert, std::int64_t picture, const std::vector<MeasuredValues>& rows) {
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows[row].empty()) return;
    insert.bind(0, picture).bind(1, static_cast<std::int64_t>(row));
    for (std::size_t i = 0; i < rows[row].size(); ++i) {
      insert.bind(static_cast<int>(i) + 2, rows[row][i]);
    }
    insert.run();
  }
}

/// The files of the pictures in a survey, which are asked for in ascending order.
class MeasuredFiles {
 public:
  explicit MeasuredFiles(Database& database) {
    if (versionOfTables(database) == firstSurveyVersion) return;
    rows_.emplace(database, "picture_file", "picture, size, modified, sha256", "ORDER BY picture");
    step();
  }

  /// Returns the file of a picture; nothing if the survey does not keep it.
  std::optional<PictureFile> of(std::int64_t picture) {
    while (isRow_ && rows_->integer(0, "picture") < picture) step();
    if (!isRow_ || rows_->integer(0, "picture") != picture) return std::nullopt;
    return PictureFile{.size = rows_->integer(1, "size"),
                       .modified = rows_->integer(2, "modified"),
                       .sha256 = rows_->text(3, "sha256")};
  }

 private:
  void step() { isRow_ = rows_->next(); }

  std::optional<CheckedRows> rows_;
  bool isRow_ = false;
};

}  // namespace

SurveyWriter::SurveyWriter(const std::string& path, const SurveyPlan& plan,
                           const Progress& progress)
    : database_(openedSurvey(path, plan)),
      removeUnreadable_(database_, "DELETE FROM picture WHERE id = ? AND unreadable IS NOT NULL"),
      insertPicture_(database_, "INSERT OR IGNORE INTO picture VALUES(?, ?, ?, ?)"),
      insertModel_(database_, insertValues(plan, "model")),
      insertLayer_(database_, insertValues(plan, "layer")),
      insertHead_(database_, insertValues(plan, "head")) {
  if (versionOfTables(database_) > firstSurveyVersion) {
    insertFile_.emplace(database_, "INSERT OR REPLACE INTO picture_file VALUES(?, ?, ?, ?)");
  }
  readWhatIsDone(plan, progress);
}

void SurveyWriter::readWhatIsDone(const SurveyPlan& plan, const Progress& progress) {
  MeasuredFiles files(database_);
  CheckedRows rows(database_, "picture", "id, path, unreadable", "ORDER BY id");
  std::optional<std::int64_t> last;
  while (rows.next()) {
    const std::int64_t picture = rows.integer(0, "id", 0, plan.pictures - 1);
    if (last && picture <= *last) rows.fail("it has a picture twice");
    const std::string name = rows.text(1, "path");
    last = picture;
    // A file that could not be read once, on a network drive for example, may be there again.
    if (rows.textOrNothing(2, "unreadable")) continue;
    progress.report(static_cast<double>(picture) / static_cast<double>(plan.pictures), name);
    const std::string path = (std::filesystem::path(plan.folder) / name).string();
    const std::optional<PictureFile> file = files.of(picture);
    if (file && !isUnchanged(*file, path, progress.silent())) {
      throw SurveyError(database_.path(), "has numbers of another picture in " + path +
                                              ", which was written since it was measured; give "
                                              "another file, or the same pictures");
    }
    done_.insert(done_.end(), picture);
  }
}

void SurveyWriter::insertPicture(std::int64_t picture, const PictureList::Entry& entry,
                                 const std::string& reason) {
  removeUnreadable_.bind(0, picture).run();
  insertPicture_.bind(0, picture).bind(1, entry.path).bindNothing(2).bindNothing(3);
  if (entry.classIndex) insertPicture_.bind(2, std::int64_t{*entry.classIndex});
  if (!reason.empty()) insertPicture_.bind(3, reason);
  insertPicture_.run();
  if (database_.changes() == 0) {
    throw SurveyError(database_.path(),
                      "is being filled by another process; wait until that has ended");
  }
}

void SurveyWriter::waitWhileLocked(std::function<void()> stillWaits,
                                   std::chrono::milliseconds interval) {
  stillWaits_ = std::move(stillWaits);
  database_.setPatience(interval);
}

void SurveyWriter::commit(const std::function<void()>& insert) {
  while (true) {
    try {
      Transaction transaction(database_);
      insert();
      return transaction.commit();
    } catch (const BusyError&) {
      if (!stillWaits_) throw;
    }
    stillWaits_();
  }
}

void SurveyWriter::add(std::int64_t picture, const PictureList::Entry& entry,
                       const PictureValues& values, const std::optional<PictureFile>& file) {
  commit([&] {
    insertPicture(picture, entry, {});
    if (insertFile_ && file) {
      insertFile_->bind(0, picture).bind(1, file->size).bind(2, file->modified);
      insertFile_->bind(3, file->sha256).run();
    }
    insertRows(insertModel_, picture, values.models);
    insertRows(insertLayer_, picture, values.layers);
    insertRows(insertHead_, picture, values.heads);
  });
  done_.insert(picture);
}

void SurveyWriter::addUnreadable(std::int64_t picture, const PictureList::Entry& entry,
                                 const std::string& reason) {
  commit([&] { insertPicture(picture, entry, reason); });
  done_.insert(picture);
  ++unreadable_;
}

}  // namespace softscope
