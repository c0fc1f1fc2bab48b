#pragma once

#include <filesystem>
#include <string>

namespace softscope {

/// Throws SurveyError unless a database can be opened without harm to any other file: it and what
/// SQLite keeps beside it are ordinary files, and its journal names no other to be removed.
void checkDatabaseFiles(const std::string& path);

/// Whether changes to a database are kept in a log beside it, so that even reading would write.
bool keepsWriteAheadLog(const std::string& path);

/// A copy of a database and of the journal or log beside it, in a folder of its own, where what a
/// killed program left half done is undone while the original stays as it is. Removed in the end.
class DatabaseCopy {
 public:
  /// Throws SurveyError for what is no survey, and where there is no room.
  explicit DatabaseCopy(const std::string& path);
  ~DatabaseCopy();
  DatabaseCopy(const DatabaseCopy&) = delete;
  DatabaseCopy& operator=(const DatabaseCopy&) = delete;

  std::string path() const { return (folder_ / "copy.survey").string(); }

 private:
  std::filesystem::path folder_;
};

}  // namespace softscope
