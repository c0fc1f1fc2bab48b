#include "core/survey/DatabaseFiles.h"

#include "core/files/AtomicFile.h"
#include "core/survey/Database.h"
#include "core/survey/SurveyTables.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <system_error>

namespace softscope {

namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

constexpr std::array journalEndings{"-journal", "-wal"};
constexpr std::size_t databaseHeader = 100;

/// Resolves links as SQLite does before it places files beside a database.
std::string databasePlace(const std::string& path) {
  std::error_code failed;
  const fs::path place = fs::canonical(path, failed);
  return failed ? path : place.string();
}

/// Returns up to `count` bytes from the beginning or the end of a file.
std::string someBytes(const std::string& path, std::size_t count, bool fromItsEnd) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto size = static_cast<std::streamoff>(file.tellg());
  if (!file || size <= 0) return {};
  std::string bytes(std::min(count, static_cast<std::size_t>(size)), '\0');
  file.seekg(fromItsEnd ? size - std::ssize(bytes) : 0);
  file.read(bytes.data(), std::ssize(bytes));
  return file ? bytes : std::string();
}

/// Returns true if a rollback journal belongs to a transaction over several databases. SQLite
/// deletes the file that such a journal names, wherever it is.
bool namesOtherDatabases(const std::string& journal) {
  constexpr std::string_view mark = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"sv;
  return someBytes(journal, mark.size(), true) == mark;
}

bool isSurveyFile(const std::string& header) {
  constexpr std::size_t applicationAt = 68;
  if (header.size() < databaseHeader || !header.starts_with("SQLite format 3\0"sv)) return false;
  std::uint32_t application = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    application = application << 8 | static_cast<unsigned char>(header[applicationAt + i]);
  }
  return application == surveyApplicationId;
}

std::uintmax_t sizeOrNothing(const std::string& path) {
  std::error_code failed;
  const std::uintmax_t size = fs::file_size(path, failed);
  return failed ? 0 : size;
}

[[noreturn]] void failToCopy(const std::string& path, const std::error_code& failed) {
  throw SurveyError(path,
                    "was left half written, and cannot be copied to where that is put right (" +
                        failed.message() + "); see TMPDIR for another place");
}

void copyInto(const fs::path& folder, const std::string& path) {
  const std::string place = databasePlace(path);
  const std::uintmax_t size = sizeOrNothing(place);
  std::error_code failed;
  fs::copy_file(place, folder / "copy.survey", failed);
  if (failed) failToCopy(path, failed);
  for (const char* ending : journalEndings) {
    const std::string journal = place + ending;
    if (!fs::exists(journal, failed)) continue;
    // A journal holds each changed page once; a log is written back once it has a thousand pages.
    constexpr std::uintmax_t largestLog = std::uintmax_t{64} << 20;
    if (sizeOrNothing(journal) > 2 * size + largestLog) {
      throw SurveyError(path,
                        "has a journal beside it that is far longer than the file itself; "
                        "remove " +
                            journal + " if it is none of yours");
    }
    fs::copy_file(journal, folder / (std::string("copy.survey") + ending), failed);
    if (failed) failToCopy(path, failed);
  }
}

fs::path newFolder(const std::string& path) {
  std::string pattern = temporaryFolder() + "/softscope-survey-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) {
    failToCopy(path, std::error_code(errno, std::generic_category()));
  }
  return pattern;
}

}  // namespace

void checkDatabaseFiles(const std::string& path) {
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw SurveyError(path, "cannot be opened: it is no ordinary file");
  }
  const std::string place = databasePlace(path);
  for (const char* ending : {"-journal", "-wal", "-shm"}) {
    const std::string beside = place + ending;
    const fs::file_status kind = fs::symlink_status(beside, failed);
    if (fs::exists(kind) && !fs::is_regular_file(kind)) {
      throw SurveyError(
          path, "has something beside it that is no ordinary file, " + beside + "; remove that");
    }
  }
  const std::string journal = place + "-journal";
  if (namesOtherDatabases(journal)) {
    throw SurveyError(path, "has a journal beside it that is not of a survey; remove " + journal +
                                " if it is none of yours");
  }
}

bool keepsWriteAheadLog(const std::string& path) {
  constexpr std::size_t versionAt = 18;
  constexpr char ofLog = 2;
  const std::string header = someBytes(path, databaseHeader, false);
  return header.size() == databaseHeader && header.starts_with("SQLite format 3\0"sv) &&
         (header[versionAt] == ofLog || header[versionAt + 1] == ofLog);
}

DatabaseCopy::DatabaseCopy(const std::string& path) {
  if (!isSurveyFile(someBytes(path, databaseHeader, false))) {
    throw SurveyError(path, "is not a survey; give a file that `softscope survey` wrote");
  }
  folder_ = newFolder(path);
  try {
    copyInto(folder_, path);
    checkDatabaseFiles(this->path());
  } catch (const SurveyError&) {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
    throw;
  }
}

DatabaseCopy::~DatabaseCopy() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

}  // namespace softscope
