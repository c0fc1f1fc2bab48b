#include "models/identify/ConfigurationFile.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <system_error>

namespace softscope {

namespace {

using nlohmann::json;

/// No configuration is nearly as large.
constexpr std::uintmax_t mostBytes = 1 << 20;
constexpr std::int64_t largestConfigured = 1 << 20;

/// A number or a list of them; empty for anything else.
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

/// The first of the keys that says any, at the top or in timm's `model_args`.
std::vector<int> firstNumbers(const json& root, std::initializer_list<const char*> keys) {
  const auto arguments = root.find("model_args");
  for (const json* object : {&root, arguments == root.end() ? &root : &*arguments}) {
    for (const char* key : keys) {
      if (!object->is_object() || !object->contains(key)) continue;
      std::vector<int> numbers = numbersIn(object->at(key));
      if (!numbers.empty()) return numbers;
    }
  }
  return {};
}

}  // namespace

std::vector<int> ConfigurationFile::headsOf(int lastChannels) const {
  if (!channels.empty() && channels.back() != lastChannels) return {};
  return heads;
}

ConfigurationFile readConfigurationFile(const std::string& checkpointPath) {
  const auto path = std::filesystem::path(checkpointPath).parent_path() / "config.json";
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return {};
  if (std::filesystem::file_size(path, failed) > mostBytes || failed) return {};
  std::ifstream file(path, std::ios::binary);
  const json root = json::parse(std::istreambuf_iterator<char>(file), {}, nullptr, false);
  if (!root.is_object()) return {};
  return {firstNumbers(root, {"num_attention_heads", "num_heads"}),
          firstNumbers(root, {"hidden_size", "embed_dim", "num_features"})};
}

}  // namespace softscope
