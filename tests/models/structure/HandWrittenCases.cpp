#include "tests/models/structure/HandWrittenCases.h"

#include "core/model/SettingOption.h"
#include "tests/models/UnpackedArchive.h"

#include <fstream>
#include <sstream>

namespace softscope::test {

namespace {

/// The archives with cases: those of others, and those of make_structure.py.
const std::vector<const UnpackedArchive*>& unpackedCases() {
  static const UnpackedArchive hand("hand.zip");
  static const UnpackedArchive structure("structure.zip");
  static const std::vector<const UnpackedArchive*> archives{&hand, &structure};
  return archives;
}

std::vector<std::string> caseNames(bool ofRefused) {
  std::vector<std::string> names;
  for (const UnpackedArchive* archive : unpackedCases()) {
    for (const std::string& name : archive->cases()) {
      if (name.starts_with("refuse_") == ofRefused) names.push_back(name);
    }
  }
  return names;
}

}  // namespace

std::vector<std::string> HandWrittenCases::opened() {
  return caseNames(false);
}

std::vector<std::string> HandWrittenCases::refused() {
  return caseNames(true);
}

std::string HandWrittenCases::folder(const std::string& name) {
  for (const UnpackedArchive* archive : unpackedCases()) {
    if (archive->cases().count(name) > 0) return archive->folder(name);
  }
  return {};
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
    setOption(request, option, value);
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
