#include "core/survey/Database.h"

#include <sqlite3.h>
#include <string>

namespace softscope {

namespace {

/// Another process holds the file for the length of one picture at most.
constexpr int busyMilliseconds = 10'000;

/// Of a text or a row: far above what a survey has, far below what fills the memory.
constexpr int mostBytesOfRow = 16 << 20;

std::string reasonOf(int code, const char* message) {
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      return "is not a survey; give a file that `softscope survey` wrote";
    case SQLITE_CORRUPT:
      return "is damaged (" + std::string(message) + "); measure again into a new file";
    case SQLITE_CANTOPEN:
      return "cannot be opened; check its path and permissions";
    case SQLITE_READONLY:
      return "cannot be written; check its permissions";
    case SQLITE_IOERR:
      return "cannot be read or written (" + std::string(message) +
             "); see whether its disk is well and run the same command again, which goes on";
    case SQLITE_FULL:
      return "the disk is full; free some space and run the same command again";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "is in use by another program; wait until that has ended";
    default:
      return message;
  }
}

}  // namespace

void Database::Close::operator()(sqlite3* database) const {
  sqlite3_close_v2(database);
}

Database::Database(const std::string& path, Mode mode) : path_(path) {
  int flags = SQLITE_OPEN_EXRESCODE;
  if (mode == Mode::ReadOnly) flags |= SQLITE_OPEN_READONLY;
  if (mode == Mode::ReadWrite) flags |= SQLITE_OPEN_READWRITE;
  if (mode == Mode::Create) flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &database, flags, nullptr);
  database_.reset(database);
  if (code != SQLITE_OK) fail(code);
  sqlite3_busy_timeout(database, busyMilliseconds);
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, mostBytesOfRow);
}

void Database::fail(int code) const {
  const char* message = database_ ? sqlite3_errmsg(database_.get()) : sqlite3_errstr(code);
  throw SurveyError(path_, reasonOf(code, message));
}

void Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::changes() const {
  return sqlite3_changes64(database_.get());
}

void Statement::Finalise::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database.database_.get(), sql.data(),
                                      static_cast<int>(sql.size()), &statement, nullptr);
  statement_.reset(statement);
  if (code != SQLITE_OK) database.fail(code);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), parameter + 1, value);
  return *this;
}

Statement& Statement::bind(int parameter, const std::string& value) {
  sqlite3_bind_text64(statement_.get(), parameter + 1, value.data(), value.size(), SQLITE_TRANSIENT,
                      SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind(int parameter, double value) {
  sqlite3_bind_double(statement_.get(), parameter + 1, value);
  return *this;
}

Statement& Statement::bind(int parameter, const std::optional<double>& value) {
  return value ? bind(parameter, *value) : bindNothing(parameter);
}

Statement& Statement::bindNothing(int parameter) {
  sqlite3_bind_null(statement_.get(), parameter + 1);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  sqlite3_reset(statement_.get());
  if (code != SQLITE_DONE) database_.fail(code);
  return false;
}

void Statement::run() {
  while (step()) {
  }
}

bool Statement::isNothing(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

bool Statement::isInteger(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_INTEGER;
}

bool Statement::isNumber(int column) const {
  const int type = sqlite3_column_type(statement_.get(), column);
  return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

bool Statement::isText(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_TEXT;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::number(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

std::string Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return bytes ? std::string(bytes, static_cast<std::size_t>(size)) : std::string();
}

Transaction::Transaction(Database& database) : database_(database) {
  database.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const SurveyError&) {
    // SQLite has rolled back already.
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace softscope
