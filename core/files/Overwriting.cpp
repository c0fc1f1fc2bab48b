#include "core/files/Overwriting.h"

#include "core/Error.h"
#include "core/files/InputFile.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <system_error>

namespace softscope {

namespace fs = std::filesystem;

namespace {

/// Resolves the links of a path, including links to files that do not exist yet.
fs::path placeOf(const std::string& path) {
  constexpr int mostLinks = 40;
  std::error_code failed;
  fs::path place = fs::absolute(path, failed);
  for (int links = 0; links < mostLinks && fs::is_symlink(fs::symlink_status(place, failed));
       ++links) {
    const fs::path target = fs::read_symlink(place, failed);
    if (failed) break;
    place = place.parent_path() / target;
  }
  const fs::path canonical = fs::weakly_canonical(place, failed);
  return failed ? place.lexically_normal() : canonical;
}

}  // namespace

bool isSameFile(const std::string& a, const std::string& b) {
  const std::optional<FileIdentity> first = fileIdentity(a);
  const std::optional<FileIdentity> second = fileIdentity(b);
  if (first || second) return first == second;
  return placeOf(a) == placeOf(b);
}

void refuseToOverwrite(const std::string& output, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    if (input.empty() || !isSameFile(output, input)) continue;
    const bool isNamedAlike = output == input;
    throw FileError(output, isNamedAlike ? "is read here, and writing it would destroy it; give "
                                           "another name to write to"
                                         : "is the same file as " + input +
                                               ", which is read here and would be destroyed; give "
                                               "another name to write to");
  }
}

void checkOutputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].empty()) continue;
    refuseToOverwrite(outputs[i], inputs);
    for (std::size_t j = 0; j < i; ++j) {
      if (outputs[j].empty() || !isSameFile(outputs[i], outputs[j])) continue;
      throw FileError(outputs[i],
                      "would be written twice, and only the last of it stay; give each its own "
                      "name");
    }
  }
}

}  // namespace softscope
