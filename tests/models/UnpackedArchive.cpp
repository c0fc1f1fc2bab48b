#include "tests/models/UnpackedArchive.h"

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace softscope::test {

namespace {

constexpr std::uint64_t mostUnpacked = std::uint64_t{64} << 20;

std::string caseOf(const std::string& path) {
  return path.substr(0, path.find('/'));
}

}  // namespace

UnpackedArchive::UnpackedArchive(const std::string& name)
    : archive_(std::make_unique<ZipArchive>(SOFTSCOPE_TEST_DATA "/golden/" + name, mostUnpacked)) {
  for (const ZipArchive::Entry& entry : archive_->entries()) cases_.insert(caseOf(entry.name));
}

std::string UnpackedArchive::folder(const std::string& name) const {
  const std::string asked = caseOf(name);
  if (unpacked_.insert(asked).second) {
    for (std::size_t i = 0; i < archive_->entries().size(); ++i) {
      const std::string& entry = archive_->entries()[i].name;
      if (caseOf(entry) != asked) continue;
      std::filesystem::create_directories(std::filesystem::path(folder_.file(entry)).parent_path());
      writeBytes(folder_.file(entry), archive_->readWhole(i));
    }
  }
  return folder_.file(name);
}

}  // namespace softscope::test

namespace softscope {

namespace {

const test::UnpackedArchive& unpackedHub() {
  static const test::UnpackedArchive archive("hub.zip");
  return archive;
}

}  // namespace

std::string goldenPath(const std::string& name) {
  constexpr std::string_view hub = "hub/";
  if (name.starts_with(hub)) return unpackedHub().folder(name.substr(hub.size()));
  static const test::UnpackedArchive papers("papers.zip");
  if (papers.cases().contains(name.substr(0, name.find('/')))) return papers.folder(name);
  static const test::UnpackedArchive wide("papers_192.zip");
  return wide.folder(name);
}

const std::set<std::string>& hubFolders() {
  return unpackedHub().cases();
}

}  // namespace softscope
