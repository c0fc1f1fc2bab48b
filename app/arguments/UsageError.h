#pragma once

#include "core/Error.h"
#include "core/text/Words.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace softscope {

/// A command line that makes no sense; the program exits with 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// Runs a check that needs no more than the command line, and throws its errors as UsageError.
template <typename Check>
auto asUsage(Check check) {
  try {
    return check();
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

/// Throws UsageError unless an option was given at most once, or once for each model.
inline void requireOncePerModel(const std::string& option, std::size_t given, std::size_t models) {
  if (given <= 1 || given == models) return;
  throw UsageError(option + " was given " + std::to_string(given) + " times for " +
                   std::to_string(models) + " models; give it once, or once per -m");
}

/// Throws UsageError unless the file's name has one of the endings; the message calls the file
/// `what`.
inline void requireEnding(const std::string& path, const std::string& what,
                          const std::vector<std::string>& endings) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (std::ranges::find(endings, ending) != endings.end()) return;
  throw UsageError(path + ": the name of " + what + " ends in " + listedWithOr(endings));
}

}  // namespace softscope
