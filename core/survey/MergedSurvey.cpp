#include "core/survey/MergedSurvey.h"

#include "core/AtomicFile.h"
#include "core/survey/Database.h"
#include "core/survey/Shard.h"
#include "core/survey/SurveyPlan.h"
#include "core/survey/SurveyTables.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

namespace softscope {

namespace {

using SurveyKeys = std::map<std::string, std::string>;

constexpr std::array<const char*, 4> pictureTables = {"picture", "model_value", "layer_value",
                                                      "head_value"};

/// Who may only read a file cannot take back what a killed process left half written.
constexpr Database::Mode inputMode = Database::Mode::ReadWrite;

SurveyKeys keysOf(const std::string& path) {
  Database database(path, inputMode);
  requireSurvey(database);
  return surveyKeys(database);
}

void requireSameParts(const std::string& first, const SurveyKeys& expected, const std::string& path,
                      const SurveyKeys& keys) {
  const std::string difference =
      recipeDifference(expected.at("recipe"), keys.at("recipe"), {"in " + first, "in this"});
  if (!difference.empty()) {
    throw SurveyError(path, "was measured by another recipe than " + first + " (" + difference +
                                "); merge parts of one survey");
  }
  if (expected.at("listing") != keys.at("listing")) {
    throw SurveyError(path, "is of other pictures (" + keys.at("pictures") + " of " +
                                keys.at("folder") + ") than " + first + " (" +
                                expected.at("pictures") + " of " + expected.at("folder") +
                                "); merge parts of one survey");
  }
}

/// Which file has each picture.
class PictureOwners {
 public:
  explicit PictureOwners(std::int64_t pictures)
      : owners_(static_cast<std::size_t>(std::max<std::int64_t>(0, pictures)), nobody) {}

  void add(const std::vector<std::string>& inputs, std::size_t file) {
    Database database(inputs[file], inputMode);
    Statement select(database, "SELECT id, path FROM picture");
    while (select.step()) {
      const std::int64_t id = select.integer(0);
      if (id < 0 || id >= std::ssize(owners_)) {
        throw SurveyError(inputs[file], "has a picture that its folder has not, " + select.text(1) +
                                            "; measure it again");
      }
      std::size_t& owner = owners_[static_cast<std::size_t>(id)];
      if (owner != nobody) {
        throw SurveyError(inputs[file], "has " + select.text(1) + ", and so has " + inputs[owner] +
                                            "; give each shard once");
      }
      owner = file;
    }
  }

  void requireAll(const std::vector<SurveyKeys>& keys) const {
    const auto missing = std::ranges::find(owners_, nobody);
    if (missing == owners_.end()) return;
    const std::int64_t count = std::ranges::count(owners_, nobody);
    const std::int64_t picture = missing - owners_.begin();
    throw SurveyError("merge", std::to_string(count) + " of " + std::to_string(owners_.size()) +
                                   " pictures are in none of the files, the first being number " +
                                   std::to_string(picture) + whoseTurn(picture, keys));
  }

 private:
  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);

  /// What to do about a missing picture.
  static std::string whoseTurn(std::int64_t picture, const std::vector<SurveyKeys>& keys) {
    const auto given = parseShard(keys.front().at("shard"));
    if (!given) return "; run the surveys to their end";
    const Shard shard{picture % given->count + 1, given->count};
    const bool there = std::ranges::any_of(
        keys, [&](const SurveyKeys& one) { return one.at("shard") == shard.text(); });
    return "; shard " + shard.text() +
           (there ? " is not done, run its command again" : " is missing, give its file, too");
  }

  std::vector<std::size_t> owners_;
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
  std::vector<SurveyKeys> keys;
  for (const std::string& input : inputs) keys.push_back(keysOf(input));
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    requireSameParts(inputs.front(), keys.front(), inputs[i], keys[i]);
  }
  const std::int64_t pictures = std::stoll(keys.front().at("pictures"));
  PictureOwners owners(pictures);
  for (std::size_t i = 0; i < inputs.size(); ++i) owners.add(inputs, i);
  owners.requireAll(keys);
  writeFileAtomically(output,
                      [&](const std::string& path) { fill(path, inputs, command, progress); });
  return pictures;
}

}  // namespace softscope
