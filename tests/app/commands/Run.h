#pragma once

#include "core/array/NpyFormat.h"
#include "core/array/Npz.h"
#include "core/files/ZipArchive.h"
#include "tests/core/files/TemporaryFolder.h"
#include "tests/models/UnpackedArchive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <utility>
#include <vector>

namespace softscope::test {

struct Outcome {
  int exitCode = -1;
  std::string output;
  std::string errors;
  /// If the run succeeded, the lines of stderr that say what its files do not tell; `errors` has
  /// the others.
  std::string guesses;

  long errorLines() const { return std::count(errors.begin(), errors.end(), '\n'); }
};

/// Returns what the program wrote to standard error, without the address sanitizer's messages about
/// memory it could not allocate.
inline std::string errorsOf(const std::string& path) {
#ifdef __SANITIZE_ADDRESS__
  std::ifstream file(path, std::ios::binary);
  std::string errors;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("==")) errors += line + '\n';
  }
  return errors;
#else
  return contentOf(path);
#endif
}

inline void partGuesses(Outcome& outcome) {
  std::istringstream all(std::exchange(outcome.errors, {}));
  for (std::string line; std::getline(all, line);) {
    const bool isGuess = line.find(": the file does not tell ") != std::string::npos;
    (isGuess ? outcome.guesses : outcome.errors) += line + '\n';
  }
}

/// Runs the program through a shell, without a display unless `variables` (`NAME=VALUE ...`) sets
/// one in its environment. `before` is a command that the shell runs first.
inline Outcome softscope(const std::string& arguments, const std::string& variables = {},
                         const std::string& before = {}) {
  const TemporaryFolder folder;
  const std::string command = before + "env -u DISPLAY -u WAYLAND_DISPLAY -u QT_QPA_PLATFORM " +
                              variables + " " + std::string(SOFTSCOPE_EXECUTABLE) + " " +
                              arguments + " >" + (folder / "out") + " 2>" + (folder / "err") +
                              " </dev/null";
  const int status = std::system(command.c_str());
  Outcome outcome;
  outcome.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  outcome.output = contentOf(folder / "out");
  outcome.errors = errorsOf(folder / "err");
  if (outcome.exitCode == 0) partGuesses(outcome);
  return outcome;
}

/// Returns what a run writes to stdout and to stderr, as a log has both.
inline std::string logOf(const std::string& arguments) {
  const TemporaryFolder folder;
  const std::string log = folder / "log";
  softscope(arguments, {}, "logged() { \"$@\" >" + log + " 2>&1; }; logged ");
  return contentOf(log);
}

/// Expects that a run failed with `exitCode` and with a single line of stderr that has `phrase`.
inline void expectOneLine(const Outcome& outcome, int exitCode, const std::string& phrase) {
  EXPECT_EQ(outcome.exitCode, exitCode) << outcome.errors;
  EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
  EXPECT_THAT(outcome.errors, ::testing::HasSubstr(phrase));
}

/// Runs a command with `--data` and returns the arrays that it writes, by their names. Expects
/// success.
inline std::map<std::string, FloatArray> writtenArrays(const std::string& command) {
  const TemporaryFolder folder;
  const std::string file = folder / "arrays.npz";
  const Outcome outcome = softscope(command + " --data " + file);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
  std::map<std::string, FloatArray> arrays;
  for (auto& [name, array] : readNpz(file)) arrays[name] = std::move(array);
  return arrays;
}

/// Returns the cells of each line of a table without quotes, the titles first.
inline std::vector<std::vector<std::string>> rowsOfCsv(const std::string& path) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(contentOf(path));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line + ",");
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

inline std::string data(const std::string& name) {
  constexpr std::string_view golden = "golden/";
  if (name.starts_with(golden)) return goldenPath(name.substr(golden.size()));
  return std::string(SOFTSCOPE_TEST_DATA) + "/" + name;
}

/// Returns the notes of a .npz file of numbers, one per line, with a question mark for each
/// non-ASCII character; empty if there are none.
inline std::string notesIn(const std::string& path) {
  ZipArchive archive(path, 1 << 20);
  std::string notes;
  for (std::size_t i = 0; i < archive.entries().size(); ++i) {
    if (archive.entries()[i].name != "notes.npy") continue;
    const std::string bytes = archive.readWhole(i);
    const NpyHeader header = parseNpyHeader(bytes);
    const std::size_t longest = std::stoul(header.type.substr(2));
    for (std::size_t at = header.dataOffset; at + 4 <= bytes.size(); at += 4) {
      const bool ascii = bytes[at + 1] == 0 && bytes[at + 2] == 0 && bytes[at] >= 0;
      if (!ascii) notes += '?';
      if (ascii && bytes[at] != 0) notes += bytes[at];
      if ((at - header.dataOffset) / 4 % longest == longest - 1) notes += '\n';
    }
  }
  return notes;
}

}  // namespace softscope::test
