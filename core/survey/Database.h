#pragma once

#include "core/Error.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace softscope {

/// A survey file that cannot be opened, is not a survey, or has another recipe.
class SurveyError : public FileError {
 public:
  using FileError::FileError;
};

/// A row that a constraint of its table rejects.
class ConstraintError : public SurveyError {
 public:
  using SurveyError::SurveyError;
};

/// A file that another program has locked for longer than a statement waits.
class BusyError : public SurveyError {
 public:
  using SurveyError::SurveyError;
};

class Database;
class DatabaseCopy;

/// A prepared statement. Parameters and columns count from 0.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);

  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, const std::string& value);
  Statement& bind(int parameter, double value);
  Statement& bind(int parameter, const std::optional<double>& value);
  Statement& bindNothing(int parameter);

  /// Moves to the next row. Returns false at the end, after which the statement can run again with
  /// the same parameters. Throws SurveyError, also if it takes more work than the file warrants.
  bool step();
  /// Runs the statement to the end.
  void run();

  bool isNothing(int column) const;
  /// Returns true if SQLite stores an integer there, whatever the declared type of the column.
  bool isInteger(int column) const;
  bool isNumber(int column) const;
  bool isText(int column) const;
  std::int64_t integer(int column) const;
  double number(int column) const;
  std::string text(int column) const;

 private:
  struct Finalise {
    void operator()(sqlite3_stmt* statement) const;
  };
  Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalise> statement_;
  bool runs_ = false;
};

/// An SQLite database, used by one thread at a time. Nothing that a file brings along is executed
/// (triggers, views), and both its content and the work of its statements are bounded.
class Database {
 public:
  enum class Mode {
    ReadOnly,  ///< writes no byte of the file or beside it, even if a transaction was left
               ///< incomplete
    ReadWrite,
    Create,
    New,  ///< created in one go, without protection against crashes
  };

  /// Opens the file. Throws SurveyError if that fails; whether it is a database at all turns out at
  /// its first statement.
  Database(const std::string& path, Mode mode);
  ~Database();
  Database(Database&&) noexcept;
  Database& operator=(Database&&) = delete;

  /// Allows statements work in proportion to the file's size. Call it once the tables are known to
  /// be a survey's; until then, statements may do only enough work to check them.
  void admit();

  /// Sets how long a statement waits for a program that has locked the file; 10 s at first.
  void setPatience(std::chrono::milliseconds patience);

  /// Runs statements without parameters or results, separated by semicolons. Throws SurveyError.
  void execute(const std::string& sql);

  /// Returns the number of rows that the last statement changed.
  std::int64_t changes() const;

  const std::string& path() const { return path_; }

 private:
  friend class Statement;
  struct Close {
    void operator()(sqlite3* database) const;
  };
  /// The work that a statement may still do, and the text that may still be read.
  struct Work;
  static int countWork(void* work);

  void open(const std::string& path, int flags);
  void harden();
  /// Restarts the count of work, for a statement that begins to run.
  void beginStatement();
  void countText(std::size_t bytes);
  [[noreturn]] void fail(int code) const;

  std::string path_;
  bool isNew_ = false;
  /// A copy, present if the file itself could not be read without writing to it.
  std::unique_ptr<const DatabaseCopy> copy_;
  std::unique_ptr<Work> work_;
  std::unique_ptr<sqlite3, Close> database_;
};

/// Rolls back on destruction unless it was committed.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace softscope
