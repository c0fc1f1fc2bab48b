#include "core/files/CheckpointSeries.h"

#include "core/Error.h"
#include "core/files/CheckpointFiles.h"
#include "core/files/Malformed.h"
#include "core/text/Names.h"

#include <filesystem>
#include <glob.h>
#include <system_error>

namespace softscope {

namespace {

namespace fs = std::filesystem;

bool exists(const std::string& path) {
  std::error_code failed;
  return fs::exists(path, failed);
}

bool hasWildcards(const std::string& path) {
  return isPattern(path) && !exists(path);
}

std::vector<std::string> globbed(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
  return paths;
}

/// Returns the checkpoints of a folder that could each be meant; none if there are others that
/// belong together, or only one.
std::vector<std::string> severalIn(const std::string& folder) {
  try {
    checkpointFileOf(folder);
    return {};
  } catch (const Malformed&) {
    std::vector<std::string> paths;
    for (const std::string& name : checkpointsIn(folder)) {
      if (name.find("-of-") != std::string::npos) return {};
      paths.push_back((fs::path(folder) / name).string());
    }
    return paths;
  }
}

std::string nameOfFolder(const std::string& path) {
  const fs::path folder = fs::path(path).lexically_normal();
  return (folder.has_filename() ? folder : folder.parent_path()).filename().string();
}

}  // namespace

std::vector<std::string> filesMatching(const std::string& path) {
  if (!hasWildcards(path)) return {path};
  const std::vector<std::string> paths = globbed(path);
  if (paths.empty()) throw FileError(path, "no file has such a name");
  std::vector<std::string> ordered;
  for (const NumberedNames& group : groupByNumber(paths)) {
    for (const auto& member : group.members) ordered.push_back(paths[member.index]);
  }
  return ordered;
}

std::vector<CheckpointSeries> findSeries(const std::string& path) {
  std::error_code failed;
  const bool isFolder = fs::is_directory(path, failed);
  if (!isFolder && !hasWildcards(path)) return {};
  const std::vector<std::string> paths = isFolder ? severalIn(path) : globbed(path);
  std::vector<CheckpointSeries> found;
  for (const NumberedNames& group : groupByNumber(paths)) {
    if (!group.isSeries()) continue;
    CheckpointSeries series;
    series.name = fs::path(group.shared).stem().string();
    for (const auto& member : group.members) {
      series.steps.push_back({member.number, paths[member.index]});
    }
    found.push_back(std::move(series));
  }
  if (isFolder && found.size() == 1) found.front().name = nameOfFolder(path);
  return found;
}

}  // namespace softscope
