#include "models/identify/ConfigurationFile.h"

#include "core/json/ParsedJson.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <system_error>

namespace softscope {

namespace {

using nlohmann::json;

/// No configuration comes close to this size.
constexpr std::uintmax_t mostBytes = 1 << 20;
constexpr std::int64_t largestConfigured = 1 << 20;

/// Returns a number or a list of numbers; empty for anything else.
std::vector<int> numbersIn(const json& value) {
  std::vector<int> numbers;
  for (const json& number : value.is_array() ? value : json::array({value})) {
    if (!number.is_number_integer()) return {};
    const auto integer = number.get<std::int64_t>();
    if (integer < 1 || integer > largestConfigured) return {};
    numbers.push_back(static_cast<int>(integer));
  }
  return numbers;
}

/// Returns the top level and timm's `model_args`, which may be the top level again.
std::array<const json*, 2> placesIn(const json& root) {
  const auto arguments = root.find("model_args");
  return {&root, arguments == root.end() ? &root : &*arguments};
}

/// Returns the numbers under the first of the keys that has any.
std::vector<int> firstNumbers(const json& root, std::initializer_list<const char*> keys) {
  for (const json* object : placesIn(root)) {
    for (const char* key : keys) {
      if (!object->is_object() || !object->contains(key)) continue;
      std::vector<int> numbers = numbersIn(object->at(key));
      if (!numbers.empty()) return numbers;
    }
  }
  return {};
}

/// Reads a JSON file from a checkpoint's folder; null if it cannot be read.
json objectBeside(const std::string& checkpointPath, const char* name) {
  const auto path = std::filesystem::path(checkpointPath).parent_path() / name;
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return {};
  if (std::filesystem::file_size(path, failed) > mostBytes || failed) return {};
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  json root = parsedJson(text);
  return root.is_object() ? root : json();
}

std::string textIn(const json& root, const char* key) {
  return root.contains(key) && root.at(key).is_string() ? root.at(key).get<std::string>() : "";
}

/// Returns the text under the first of the keys that has any.
std::string firstText(const json& root, std::initializer_list<const char*> keys) {
  for (const json* object : placesIn(root)) {
    for (const char* key : keys) {
      if (!object->is_object()) continue;
      std::string text = textIn(*object, key);
      if (!text.empty()) return text;
    }
  }
  return {};
}

/// Recognises the names by number, `LABEL_7`, that Hugging Face gives to unnamed classes.
bool isNumbered(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != "LABEL_" + std::to_string(i)) return false;
  }
  return true;
}

std::vector<std::string> classNamesIn(const json& root) {
  std::vector<std::string> names;
  if (root.contains("id2label") && root.at("id2label").is_object()) {
    const json& labels = root.at("id2label");
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const std::string name = textIn(labels, std::to_string(i).c_str());
      if (name.empty()) return {};
      names.push_back(name);
    }
    return isNumbered(names) ? std::vector<std::string>{} : names;
  }
  if (!root.contains("label_names") || !root.at("label_names").is_array()) return {};
  for (const json& name : root.at("label_names")) {
    if (!name.is_string()) return {};
    names.push_back(name.get<std::string>());
  }
  return names;
}

std::optional<double> epsilonIn(const json& root) {
  if (!root.contains("layer_norm_eps") || !root.at("layer_norm_eps").is_number()) return {};
  const auto epsilon = root.at("layer_norm_eps").get<double>();
  if (!(epsilon >= 0 && epsilon < 1)) return {};
  return epsilon;
}

}  // namespace

bool ConfigurationFile::fits(int lastChannels) const {
  return channels.empty() || channels.back() == lastChannels;
}

std::vector<int> ConfigurationFile::headsOf(int lastChannels) const {
  return fits(lastChannels) ? heads : std::vector<int>{};
}

ConfigurationFile readConfigurationFile(const std::string& checkpointPath) {
  ConfigurationFile said;
  constexpr const char* preprocessor = "preprocessor_config.json";
  said.transform = transformOfPreprocessor(objectBeside(checkpointPath, preprocessor));
  said.transformFile = preprocessor;
  const json root = objectBeside(checkpointPath, "config.json");
  if (!root.is_object()) return said;
  said.heads = firstNumbers(root, {"num_attention_heads", "num_heads"});
  said.channels = firstNumbers(root, {"hidden_size", "embed_dim", "num_features"});
  said.architecture = textIn(root, "architecture");
  if (said.architecture.empty()) said.architecture = textIn(root, "model_type");
  said.activation = firstText(root, {"hidden_act", "act_layer"});
  said.pooling = firstText(root, {"global_pool"});
  // timm names its networks for OpenAI's CLIP weights in this way.
  if (said.architecture.find("quickgelu") != std::string::npos) said.activation = "quick_gelu";
  said.epsilon = epsilonIn(root);
  said.classNames = classNamesIn(root);
  if (root.contains("pretrained_cfg")) {
    const json& pretrained = root.at("pretrained_cfg");
    said.transform = transformOfTimm(pretrained);
    said.transformFile = "config.json";
    if (pretrained.is_object()) said.tag = textIn(pretrained, "tag");
  }
  return said;
}

}  // namespace softscope
