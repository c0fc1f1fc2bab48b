#include "core/files/Resources.h"

#include "core/Error.h"
#include "core/text/Words.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

namespace softscope {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> resourceFolders() {
  std::vector<fs::path> folders;
  if (const char* chosen = std::getenv("SOFTSCOPE_RESOURCES")) folders.emplace_back(chosen);
  std::error_code failure;
  const fs::path executable = fs::read_symlink("/proc/self/exe", failure);
  if (!failure) {
    // The executable is installed as PREFIX/libexec/softscope/softscope.
    const fs::path prefix = executable.parent_path().parent_path().parent_path();
    folders.push_back(prefix / "share" / "softscope");
  }
  folders.emplace_back(SOFTSCOPE_RESOURCES_SOURCE);
  return folders;
}

}  // namespace

std::string resourcePath(const std::string& name) {
  std::vector<std::string> tried;
  for (const fs::path& folder : resourceFolders()) {
    const fs::path path = folder / name;
    if (fs::exists(path)) return path.string();
    tried.push_back(folder.string());
  }
  throw FileError(name, "is not among Softscope's resources (looked in " + listText(tried) +
                            "); reinstall, or set SOFTSCOPE_RESOURCES to the folder that has it");
}

}  // namespace softscope
