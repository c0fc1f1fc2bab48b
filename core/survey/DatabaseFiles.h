#pragma once

#include <filesystem>
#include <string>

namespace softscope {

/// Throws SurveyError unless a database can be opened without harm to any other file: the database
/// and the files that SQLite keeps beside it must be regular files, and its journal must not name
/// another file to be deleted.
void checkDatabaseFiles(const std::string& path);

/// Returns true if a database keeps its changes in a write-ahead log, so that even reading would
/// write.
bool keepsWriteAheadLog(const std::string& path);

/// Copies a database and the journal or log beside it to a temporary folder, where an incomplete
/// transaction of a killed program can be rolled back while the original stays unchanged. The
/// destructor removes the copy.
class DatabaseCopy {
 public:
  /// Throws SurveyError if the file is not a survey, or if there is no room for the copy.
  explicit DatabaseCopy(const std::string& path);
  ~DatabaseCopy();
  DatabaseCopy(const DatabaseCopy&) = delete;
  DatabaseCopy& operator=(const DatabaseCopy&) = delete;

  std::string path() const { return (folder_ / "copy.survey").string(); }

 private:
  std::filesystem::path folder_;
};

}  // namespace softscope
