#pragma once

#include "core/Error.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace softscope {

/// A survey file that cannot be opened, is not one, or is of another recipe.
class SurveyError : public FileError {
 public:
  using FileError::FileError;
};

/// A row that a table's own rules keep out.
class ConstraintError : public SurveyError {
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

  /// Goes to the next row; false at the end, where the statement is ready to run again with the
  /// same parameters. Throws SurveyError, also where it takes more work than the file warrants.
  bool step();
  /// Runs to the end.
  void run();

  bool isNothing(int column) const;
  /// What SQLite keeps there, whatever the column was declared to be.
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

/// An SQLite database, of one thread at a time. Nothing that a file brings along is run (triggers,
/// views), and what it may hold and what work its statements may take is bounded.
class Database {
 public:
  enum class Mode {
    ReadOnly,  ///< no byte of the file, or beside it, is written, whatever was left half done
    ReadWrite,
    Create,
    New,  ///< made in one go: what a crash leaves of it is worth nothing
  };

  /// Throws SurveyError where the file cannot be opened; whether it is a database at all shows at
  /// its first statement.
  Database(const std::string& path, Mode mode);
  ~Database();
  Database(Database&&) noexcept;
  Database& operator=(Database&&) = delete;

  /// Lets statements take work in proportion to the file, for once its tables are known to be a
  /// survey's; until then there is but enough to look at them.
  void admit();

  /// Statements without parameters or results, separated by semicolons. Throws SurveyError.
  void execute(const std::string& sql);

  /// Rows that the last statement changed.
  std::int64_t changes() const;

  const std::string& path() const { return path_; }

 private:
  friend class Statement;
  struct Close {
    void operator()(sqlite3* database) const;
  };
  /// What is left to a statement, and to all texts that are read.
  struct Work;
  static int countWork(void* work);

  void open(const std::string& path, int flags);
  void harden();
  /// Begins to count anew, for a statement that begins to run.
  void beginStatement();
  void countText(std::size_t bytes);
  [[noreturn]] void fail(int code) const;

  std::string path_;
  /// Where the file itself could not be read without writing to it.
  std::unique_ptr<const DatabaseCopy> copy_;
  std::unique_ptr<Work> work_;
  std::unique_ptr<sqlite3, Close> database_;
};

/// Rolls back unless it was committed.
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
