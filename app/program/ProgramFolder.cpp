#include "app/program/ProgramFolder.h"

#include <filesystem>
#include <system_error>

namespace softscope {

std::string programFolder() {
  std::error_code failure;
  return std::filesystem::read_symlink("/proc/self/exe", failure).parent_path().string();
}

}  // namespace softscope
