#include "tests/models/identify/ReconfiguredCase.h"

#include "tests/models/Golden.h"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace softscope {

ReconfiguredCase::ReconfiguredCase(const std::string& name, const std::string& changes) {
  std::filesystem::copy(goldenPath(name), path(), std::filesystem::copy_options::recursive);
  const std::string openClips = folder_.file("case/open_clip_config.json");
  const std::string file = std::filesystem::exists(openClips) ? openClips : path() + "/config.json";
  if (changes.empty()) {
    std::filesystem::remove(file);
    return;
  }
  auto json = nlohmann::json::object();
  if (std::filesystem::exists(file)) json = nlohmann::json::parse(contentOf(file));
  json.merge_patch(nlohmann::json::parse(changes));
  writeBytes(file, json.dump());
}

ModelRequest ReconfiguredCase::request() const {
  const auto meta = nlohmann::json::parse(contentOf(path() + "/meta.json"));
  ModelRequest request;
  request.path = path() + "/" + meta.value("checkpoint", "checkpoint.pth");
  return request;
}

}  // namespace softscope
