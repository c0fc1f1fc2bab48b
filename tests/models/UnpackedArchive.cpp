#include "tests/models/UnpackedArchive.h"

#include "core/files/ZipArchive.h"

#include <cstdint>
#include <filesystem>

namespace softscope::test {

namespace {

constexpr std::uint64_t mostUnpacked = std::uint64_t{64} << 20;

}  // namespace

UnpackedArchive::UnpackedArchive(const std::string& name) {
  ZipArchive archive(SOFTSCOPE_TEST_DATA "/golden/" + name, mostUnpacked);
  for (std::size_t i = 0; i < archive.entries().size(); ++i) {
    const std::string& entry = archive.entries()[i].name;
    cases_.insert(entry.substr(0, entry.find('/')));
    std::filesystem::create_directories(std::filesystem::path(folder_.file(entry)).parent_path());
    writeBytes(folder_.file(entry), archive.readWhole(i));
  }
}

}  // namespace softscope::test
