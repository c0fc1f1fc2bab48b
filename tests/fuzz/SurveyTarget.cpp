#include "core/Error.h"
#include "core/survey/Database.h"
#include "tests/fuzz/InputOnDisk.h"
#include "tests/fuzz/RuleWatch.h"
#include "tests/fuzz/Target.h"

namespace {

/// Goes through every table that the file says it has.
void readTables(softscope::Database& database) {
  constexpr int mostRows = 1000;
  softscope::Statement tables(database, "SELECT name FROM sqlite_master WHERE type = 'table'");
  for (int table = 0; table < mostRows && tables.step(); ++table) {
    std::string name;
    for (const char character : tables.text(0))
      name += character == '"' ? "\"\"" : std::string(1, character);
    softscope::Statement rows(database, "SELECT * FROM \"" + name + "\"");
    for (int row = 0; row < mostRows && rows.step(); ++row) static_cast<void>(rows.isNothing(0));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = softscope::fuzz::onDisk(data, size, ".survey");
  const softscope::fuzz::RuleWatch watch(size);
  try {
    softscope::Database database(path, softscope::Database::Mode::ReadOnly);
    readTables(database);
  } catch (const softscope::Error&) {
    // Refused, in words.
  }
  return 0;
}
