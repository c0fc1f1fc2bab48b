#include "core/query/ModelNames.h"

#include "core/text/Names.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

namespace softscope {
namespace {

namespace fs = std::filesystem;

fs::path absoluteFile(const std::string& path) {
  std::error_code failed;
  const fs::path absolute = fs::absolute(path, failed).lexically_normal();
  return failed ? fs::path(path) : absolute;
}

/// Returns the last `folders` folders of a file and its name, without its extension.
std::string endOf(const fs::path& file, int folders) {
  fs::path end = file.stem();
  fs::path folder = file.parent_path();
  for (int i = 0; i < folders && folder.has_relative_path(); ++i) {
    end = folder.filename() / end;
    folder = folder.parent_path();
  }
  return end.string();
}

}  // namespace

std::vector<std::string> modelNames(const std::vector<NamedFile>& files) {
  std::vector<fs::path> paths;
  for (const NamedFile& file : files) paths.push_back(absoluteFile(file.path));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i].name.empty()) {
      names.push_back(files[i].name);
      continue;
    }
    const auto depth = [](const fs::path& path) {
      return static_cast<int>(std::distance(path.begin(), path.end()));
    };
    const auto isShared = [&](int folders) {
      for (std::size_t other = 0; other < files.size(); ++other) {
        if (!files[other].name.empty() || paths[other] == paths[i]) continue;
        if (endOf(paths[other], folders) == endOf(paths[i], folders)) return true;
      }
      return false;
    };
    int folders = 0;
    // Files that differ only in their extensions keep the same name.
    while (folders < depth(paths[i]) && isShared(folders)) ++folders;
    names.push_back(endOf(paths[i], folders < depth(paths[i]) ? folders : 0));
  }
  return names;
}

std::vector<std::string> stepNames(const std::vector<NamedFile>& files) {
  std::vector<std::string> names = modelNames(files);
  std::vector<fs::path> paths;
  std::vector<std::string> stems;
  for (const NamedFile& file : files) {
    paths.push_back(absoluteFile(file.path));
    stems.push_back(paths.back().stem().string());
  }
  for (const NumberedNames& group : groupByNumber(stems)) {
    const fs::path folder = paths[group.members.front().index].parent_path();
    const auto isInFolder = [&](const NumberedNames::Member& member) {
      return paths[member.index].parent_path() == folder;
    };
    if (std::ranges::all_of(group.members, isInFolder)) continue;
    for (const NumberedNames::Member& member : group.members) {
      std::string& name = names[member.index];
      if (name == stems[member.index] && files[member.index].name.empty()) {
        name = endOf(paths[member.index], 1);
      }
    }
  }
  return names;
}

}  // namespace softscope
