#include "core/survey/MergedSurvey.h"

#include "core/AtomicFile.h"
#include "core/survey/Database.h"
#include "core/survey/Shard.h"
#include "core/survey/SurveyPlan.h"
#include "core/survey/SurveyTables.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <unordered_map>

namespace softscope {

namespace {

constexpr std::array<const char*, 4> pictureTables = {"picture", "model_value", "layer_value",
                                                      "head_value"};

/// Who may only read a file cannot take back what a killed process left half written.
constexpr Database::Mode inputMode = Database::Mode::ReadWrite;

SurveyOrigin originOf(const std::string& path) {
  Database database(path, inputMode);
  return surveyOrigin(database);
}

void requireSameParts(const std::string& first, const SurveyOrigin& expected,
                      const std::string& path, const SurveyOrigin& origin) {
  const std::string difference =
      recipeDifference(expected.recipe, origin.recipe, {"in " + first, "in this"});
  if (!difference.empty()) {
    throw SurveyError(path, "was measured by another recipe than " + first + " (" + difference +
                                "); merge parts of one survey");
  }
  if (expected.listing != origin.listing) {
    throw SurveyError(path, "is of other pictures (" + std::to_string(origin.pictures) + " of " +
                                origin.folder + ") than " + first + " (" +
                                std::to_string(expected.pictures) + " of " + expected.folder +
                                "); merge parts of one survey");
  }
}

/// Which file has each picture.
class PictureOwners {
 public:
  explicit PictureOwners(std::int64_t pictures) : pictures_(pictures) {}

  void add(const std::vector<std::string>& inputs, std::size_t file) {
    Database database(inputs[file], inputMode);
    Statement select(database, "SELECT id, path FROM picture");
    while (select.step()) {
      const std::int64_t id = select.integer(0);
      if (id < 0 || id >= pictures_) {
        throw SurveyError(inputs[file], "has a picture that its folder has not, " + select.text(1) +
                                            "; measure it again");
      }
      const auto [owner, isFirst] = owners_.emplace(id, file);
      if (!isFirst) {
        throw SurveyError(inputs[file], "has " + select.text(1) + ", and so has " +
                                            inputs[owner->second] + "; give each shard once");
      }
    }
  }

  void requireAll(const std::vector<SurveyOrigin>& origins) const {
    const std::int64_t count = pictures_ - std::ssize(owners_);
    if (count == 0) return;
    std::int64_t picture = 0;
    while (owners_.contains(picture)) ++picture;
    throw SurveyError("merge", std::to_string(count) + " of " + std::to_string(pictures_) +
                                   " pictures are in none of the files, the first being number " +
                                   std::to_string(picture) + whoseTurn(picture, origins));
  }

 private:
  /// What to do about a missing picture.
  static std::string whoseTurn(std::int64_t picture, const std::vector<SurveyOrigin>& origins) {
    const auto given = parseShard(origins.front().shard);
    if (!given) return "; run the surveys to their end";
    const Shard shard{picture % given->count + 1, given->count};
    const bool there = std::ranges::any_of(
        origins, [&](const SurveyOrigin& one) { return one.shard == shard.text(); });
    return "; shard " + shard.text() +
           (there ? " is not done, run its command again" : " is missing, give its file, too");
  }

  std::int64_t pictures_;
  std::unordered_map<std::int64_t, std::size_t> owners_;
};

/// The first file's content with all pictures; what describes the survey is the same in all.
void fill(const std::string& path, const std::vector<std::string>& inputs,
          const std::string& command, const Progress& progress) {
  Database first(inputs.front(), inputMode);
  Statement(first, "VACUUM INTO ?").bind(0, path).run();
  Database database(path, Database::Mode::ReadWrite);
  database.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    progress.report(static_cast<double>(i) / static_cast<double>(inputs.size()), inputs[i]);
    Statement(database, "ATTACH ? AS part").bind(0, inputs[i]).run();
    for (const std::string table : pictureTables) {
      database.execute("INSERT INTO main." + table + " SELECT * FROM part." + table);
    }
    database.execute("DETACH part");
  }
  Statement update(database, "UPDATE survey SET value = ? WHERE key = ?");
  update.bind(0, Shard().text()).bind(1, std::string("shard")).run();
  update.bind(0, command).bind(1, std::string("command")).run();
  database.execute("VACUUM");
}

}  // namespace

std::int64_t mergeSurveys(const std::vector<std::string>& inputs, const std::string& output,
                          const std::string& command, const Progress& progress) {
  std::error_code ignored;
  if (std::filesystem::exists(output, ignored)) {
    throw SurveyError(output, "exists already; give another name, or remove it first");
  }
  checkWritable(output);
  std::vector<SurveyOrigin> origins;
  for (const std::string& input : inputs) origins.push_back(originOf(input));
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    requireSameParts(inputs.front(), origins.front(), inputs[i], origins[i]);
  }
  const std::int64_t pictures = origins.front().pictures;
  PictureOwners owners(pictures);
  for (std::size_t i = 0; i < inputs.size(); ++i) owners.add(inputs, i);
  owners.requireAll(origins);
  writeFileAtomically(output,
                      [&](const std::string& path) { fill(path, inputs, command, progress); });
  return pictures;
}

}  // namespace softscope
