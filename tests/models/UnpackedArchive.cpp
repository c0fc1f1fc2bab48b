#include "tests/models/UnpackedArchive.h"

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>

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

const test::UnpackedArchive& unpackedLibraries() {
  static const test::UnpackedArchive archive("libraries.zip");
  return archive;
}

const test::UnpackedArchive& unpackedLinear() {
  static const test::UnpackedArchive archive("linear.zip");
  return archive;
}

const test::UnpackedArchive& unpackedWindows() {
  static const test::UnpackedArchive archive("windows.zip");
  return archive;
}

}  // namespace

std::string goldenPath(const std::string& name) {
  using Unpacked = const test::UnpackedArchive& (*)();
  constexpr std::pair<std::string_view, Unpacked> archives[] = {{"hub/", unpackedHub},
                                                                {"libraries/", unpackedLibraries},
                                                                {"linear/", unpackedLinear},
                                                                {"windows/", unpackedWindows}};
  for (const auto& [folder, unpacked] : archives) {
    if (name.starts_with(folder)) return unpacked().folder(name.substr(folder.size()));
  }
  static const test::UnpackedArchive papers("papers.zip");
  if (papers.cases().contains(name.substr(0, name.find('/')))) return papers.folder(name);
  static const test::UnpackedArchive wide("papers_192.zip");
  return wide.folder(name);
}

const std::set<std::string>& hubFolders() {
  return unpackedHub().cases();
}

}  // namespace softscope
