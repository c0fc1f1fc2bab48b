#include "tests/models/structure/HandWrittenCases.h"

#include "core/files/ZipArchive.h"
#include "core/model/SettingOption.h"
#include "tests/core/checkpoint/TestFiles.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace softscope::test {

namespace {

constexpr std::uint64_t mostUnpacked = std::uint64_t{64} << 20;

std::string archivePath() {
  return SOFTSCOPE_TEST_DATA "/golden/hand.zip";
}

std::vector<std::string> caseNames(bool ofRefused) {
  std::set<std::string> names;
  const ZipArchive archive(archivePath(), mostUnpacked);
  for (const ZipArchive::Entry& entry : archive.entries()) {
    const std::string name = entry.name.substr(0, entry.name.find('/'));
    if (name.starts_with("refuse_") == ofRefused) names.insert(name);
  }
  return {names.begin(), names.end()};
}

/// Unpacks every case into a folder that is removed at the end.
const TemporaryFolder& unpacked() {
  static const TemporaryFolder folder;
  static const bool isDone = [] {
    ZipArchive archive(archivePath(), mostUnpacked);
    for (std::size_t i = 0; i < archive.entries().size(); ++i) {
      const std::filesystem::path path = folder.file(archive.entries()[i].name);
      std::filesystem::create_directories(path.parent_path());
      std::ofstream(path, std::ios::binary) << archive.readWhole(i);
    }
    return true;
  }();
  static_cast<void>(isDone);
  return folder;
}

void setOption(const std::string& name, const std::string& value, ModelRequest& request) {
  if (name == "heads") {
    request.heads = parseHeadCounts(value);
  } else if (name == "attention") {
    request.attention = value;
  } else if (name == "landmarks") {
    request.landmarks.count = std::stoi(value);
  } else {
    request.*(findSettingOption(name)->value) = value;
  }
}

}  // namespace

std::vector<std::string> HandWrittenCases::opened() {
  return caseNames(false);
}

std::vector<std::string> HandWrittenCases::refused() {
  return caseNames(true);
}

std::string HandWrittenCases::folder(const std::string& name) {
  return unpacked().file(name);
}

nlohmann::json HandWrittenCases::meta(const std::string& name) {
  std::ifstream file(folder(name) + "/meta.json");
  return nlohmann::json::parse(file);
}

ModelRequest HandWrittenCases::request(const std::string& name, const std::string& key) {
  const nlohmann::json said = meta(name);
  ModelRequest request;
  request.path = folder(name) + "/" + said.value("checkpoint", "checkpoint.pth");
  if (key.empty()) return request;
  std::istringstream line(said.at(key).get<std::string>());
  for (std::string word; line >> word;) {
    const std::string option = word.substr(2);
    std::string value = "yes";
    if (option != "plain-norms") line >> value;
    setOption(option, value, request);
  }
  return request;
}

std::vector<std::string> optionNames(const std::string& line) {
  std::vector<std::string> names;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (word.starts_with("--")) names.push_back(word.substr(2));
  }
  return names;
}

}  // namespace softscope::test
