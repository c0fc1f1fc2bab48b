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

class Database;

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
  /// same parameters. Throws SurveyError.
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
};

/// An SQLite database. Of one thread at a time.
class Database {
 public:
  enum class Mode { ReadOnly, ReadWrite, Create };

  /// Throws SurveyError where the file cannot be opened; whether it is a database at all shows at
  /// its first statement.
  Database(const std::string& path, Mode mode);

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
  [[noreturn]] void fail(int code) const;

  std::string path_;
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
