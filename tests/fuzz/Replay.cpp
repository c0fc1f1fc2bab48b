#include "tests/fuzz/Target.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> filesOf(int argc, char** argv) {
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) {
      files.emplace_back(argv[i]);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(argv[i])) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool replay(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  try {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    return true;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: nobody caught %s\n", path.c_str(), error.what());
    return false;
  }
}

}  // namespace

/// Runs a target, without libFuzzer, on files and on all files of folders.
int main(int argc, char** argv) {
  const std::vector<fs::path> files = filesOf(argc, argv);
  const auto failures =
      std::count_if(files.begin(), files.end(), [](const fs::path& path) { return !replay(path); });
  std::printf("%zu inputs\n", files.size());
  return files.empty() || failures > 0 ? 1 : 0;
}
