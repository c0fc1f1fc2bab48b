#include "core/survey/Database.h"

#include "core/files/PartFile.h"
#include "core/survey/DatabaseFiles.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <sqlite3.h>
#include <string>
#include <system_error>
#include <utility>

namespace softscope {

namespace {

/// Longest wait for another process. One that writes locks the file for at most the time of one
/// picture.
constexpr std::chrono::milliseconds firstPatience = std::chrono::seconds(10);

/// Limit for a text or a row: far more than a survey has, far less than what fills the memory.
constexpr int mostBytesOfRow = 16 << 20;

/// Number of SQLite's virtual machine instructions between two checks of their count.
constexpr int instructionsBetweenLooks = 500;
/// Enough for some thousand tables; a survey has ten.
constexpr std::int64_t instructionsUnadmitted = 100'000;
constexpr std::int64_t fewestInstructions = 10'000'000;
/// Every value takes at least a byte of its row, and a few instructions to read.
constexpr std::int64_t instructionsPerByte = 16;
/// Rows may share their content, so that a few bytes could be read as many.
constexpr std::uintmax_t textBytesOfSmallFile = std::uintmax_t{8} << 20;
constexpr std::uintmax_t textBytesPerByte = 4;

std::string reasonOf(int code, const char* message) {
  if (code == SQLITE_READONLY_ROLLBACK) {
    return "was left half written by a program that was ended meanwhile; open it again";
  }
  switch (code & 0xff) {
    case SQLITE_INTERRUPT:
      return "is damaged: reading it takes far more work than a survey of its size; measure again "
             "into a new file";
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

/// Returns the errno of a write that failed because something was full or too large, or 0.
int lackOfRoom(sqlite3* database, int code) {
  if (code == SQLITE_FULL) return ENOSPC;
  int error = 0;
  if (database == nullptr || (code & 0xff) != SQLITE_IOERR ||
      sqlite3_file_control(database, "main", SQLITE_FCNTL_LAST_ERRNO, &error) != SQLITE_OK) {
    return 0;
  }
  return error == EFBIG || error == EDQUOT || error == ENOSPC ? error : 0;
}

}  // namespace

struct Database::Work {
  std::int64_t instructions = instructionsUnadmitted;
  std::uintmax_t textBytes = 0;
  bool isAdmitted = false;
};

void Database::Close::operator()(sqlite3* database) const {
  sqlite3_close_v2(database);
}

int Database::countWork(void* work) {
  return (static_cast<Work*>(work)->instructions -= instructionsBetweenLooks) < 0 ? 1 : 0;
}

void Database::open(const std::string& path, int flags) {
  // A path that begins like a URI would be taken for one.
  const std::string plain = (path.starts_with("file:") ? "./" : "") + path;
  sqlite3* database = nullptr;
  const int code =
      sqlite3_open_v2(plain.c_str(), &database, flags | SQLITE_OPEN_EXRESCODE, nullptr);
  database_.reset(database);
  std::error_code failed;
  const bool isMissing = code != SQLITE_OK && (flags & SQLITE_OPEN_CREATE) == 0 &&
                         !std::filesystem::exists(path, failed) && !failed;
  if (isMissing) throw SurveyError(path, "no such file");
  if (code != SQLITE_OK) fail(code);
  setPatience(firstPatience);
  harden();
}

/// Applies the settings that SQLite's authors recommend for untrusted files
/// (sqlite.org/security.html).
void Database::harden() {
  sqlite3* database = database_.get();
  const std::pair<int, int> limits[] = {{SQLITE_LIMIT_LENGTH, mostBytesOfRow},
                                        {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
                                        {SQLITE_LIMIT_EXPR_DEPTH, 32},
                                        {SQLITE_LIMIT_COMPOUND_SELECT, 4},
                                        {SQLITE_LIMIT_ATTACHED, 1},
                                        {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 64},
                                        {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
                                        {SQLITE_LIMIT_WORKER_THREADS, 0}};
  for (const auto& [limit, value] : limits) sqlite3_limit(database, limit, value);
  const std::pair<int, int> switches[] = {
      {SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
      {SQLITE_DBCONFIG_ENABLE_VIEW, 0},    {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
      {SQLITE_DBCONFIG_ENABLE_FKEY, 0},    {SQLITE_DBCONFIG_DQS_DML, 0},
      {SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0}};
  for (const auto& [option, value] : switches) sqlite3_db_config(database, option, value, nullptr);
  sqlite3_exec(database, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0", nullptr, nullptr,
               nullptr);
  sqlite3_progress_handler(database, instructionsBetweenLooks, countWork, work_.get());
}

Database::Database(const std::string& path, Mode mode)
    : path_(path), work_(std::make_unique<Work>()) {
  checkDatabaseFiles(path);
  if (mode == Mode::Create || mode == Mode::New) {
    open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    // Defensive mode would not allow turning the journal off.
    if (mode == Mode::New) {
      isNew_ = true;
      sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
      execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
      sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    }
    return;
  }
  if (mode == Mode::ReadWrite) {
    open(path, SQLITE_OPEN_READWRITE);
    return;
  }
  if (!keepsWriteAheadLog(path)) {
    open(path, SQLITE_OPEN_READONLY);
    const int code = sqlite3_exec(database_.get(), "SELECT 1 FROM sqlite_master LIMIT 1", nullptr,
                                  nullptr, nullptr);
    // Only this code means that a killed program left a transaction to be rolled back.
    if (code != SQLITE_READONLY_ROLLBACK) return;
    database_.reset();
  }
  copy_ = std::make_unique<const DatabaseCopy>(path);
  open(copy_->path(), SQLITE_OPEN_READWRITE);
  execute("PRAGMA query_only = ON");
}

Database::~Database() = default;

Database::Database(Database&&) noexcept = default;

void Database::admit() {
  work_->isAdmitted = true;
}

void Database::setPatience(std::chrono::milliseconds patience) {
  sqlite3_busy_timeout(database_.get(), static_cast<int>(patience.count()));
}

void Database::beginStatement() {
  work_->instructions = instructionsUnadmitted;
  if (!work_->isAdmitted) return;
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(path_, failed);
  work_->instructions =
      fewestInstructions +
      (failed ? 0
              : instructionsPerByte * static_cast<std::int64_t>(
                                          std::min<std::uintmax_t>(size, std::uintmax_t{1} << 50)));
}

void Database::countText(std::size_t bytes) {
  work_->textBytes += bytes;
  if (work_->textBytes <= textBytesOfSmallFile) return;
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(path_, failed);
  if (failed || work_->textBytes - textBytesOfSmallFile <= textBytesPerByte * size) return;
  throw SurveyError(path_, reasonOf(SQLITE_INTERRUPT, ""));
}

void Database::fail(int code) const {
  const std::string message = database_ ? sqlite3_errmsg(database_.get()) : sqlite3_errstr(code);
  if ((code & 0xff) == SQLITE_CONSTRAINT) throw ConstraintError(path_, message);
  if ((code & 0xff) == SQLITE_BUSY) throw BusyError(path_, reasonOf(code, message.c_str()));
  const int lack = lackOfRoom(database_.get(), code);
  // A full disk stops a survey, which goes on once there is room; what is made in one go is lost.
  if (lack != 0 && (isNew_ || lack != ENOSPC)) throw SurveyError(path_, writeFailure(lack));
  if (isNew_ && (code & 0xff) == SQLITE_IOERR) {
    throw SurveyError(path_, "cannot be written (" + message +
                                 "); see whether its disk is well, or choose another place");
  }
  throw SurveyError(path_, reasonOf(code, message.c_str()));
}

void Database::execute(const std::string& sql) {
  beginStatement();
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
  database.beginStatement();
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
  if (!runs_) database_.beginStatement();
  const int code = sqlite3_step(statement_.get());
  runs_ = code == SQLITE_ROW;
  if (runs_) return true;
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
  database_.countText(static_cast<std::size_t>(size));
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
    // SQLite has already rolled back.
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace softscope
