#include "tests/models/identify/PublishedLayouts.h"

#include <fstream>

namespace softscope {

namespace {

nlohmann::json layoutsIn(const char* path) {
  std::ifstream file(std::string(SOFTSCOPE_TEST_DATA) + path);
  return nlohmann::json::parse(file);
}

}  // namespace

const nlohmann::json& publishedLayouts() {
  static const nlohmann::json all = [] {
    nlohmann::json layouts = layoutsIn("/golden/layouts.json");
    layouts.update(layoutsIn("/layouts/linear.json"));
    layouts.update(layoutsIn("/layouts/softmax_free.json"));
    return layouts;
  }();
  return all;
}

std::int64_t publishedParameters(const std::string& variant) {
  return publishedLayouts().at(variant).at("parameters").get<std::int64_t>();
}

Checkpoint zeros(const std::string& variant) {
  Checkpoint checkpoint;
  checkpoint.path = variant + ".pth";
  checkpoint.weights = "raw";
  for (const auto& [name, shape] : publishedLayouts().at(variant).at("state").items()) {
    const auto sizes = shape.get<std::vector<std::int64_t>>();
    checkpoint.state.insert(name, torch::zeros({}).expand(sizes));
  }
  return checkpoint;
}

Checkpoint without(const Checkpoint& checkpoint, const std::string& missing) {
  Checkpoint damaged = checkpoint;
  damaged.state = {};
  for (const auto& entry : checkpoint.state.entries()) {
    if (entry.name != missing) damaged.state.insert(entry.name, entry.tensor);
  }
  return damaged;
}

}  // namespace softscope
