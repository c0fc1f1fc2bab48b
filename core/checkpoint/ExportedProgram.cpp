#include "core/checkpoint/CheckpointFormats.h"
#include "core/checkpoint/PickledTensor.h"
#include "core/checkpoint/TensorRebuild.h"
#include "core/files/Malformed.h"
#include "core/files/ZipArchive.h"
#include "core/json/ParsedJson.h"
#include "core/text/FileText.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace softscope {

namespace {

using nlohmann::json;

constexpr std::string_view weightsList = "data/weights/model_weights_config.json";

struct ExportedType {
  int number;
  c10::ScalarType type;
};

/// Type numbers of torch.export's schema.
constexpr std::array<ExportedType, 10> exportedTypes{{{1, c10::ScalarType::Byte},
                                                      {2, c10::ScalarType::Char},
                                                      {3, c10::ScalarType::Short},
                                                      {4, c10::ScalarType::Int},
                                                      {5, c10::ScalarType::Long},
                                                      {6, c10::ScalarType::Half},
                                                      {7, c10::ScalarType::Float},
                                                      {8, c10::ScalarType::Double},
                                                      {12, c10::ScalarType::Bool},
                                                      {13, c10::ScalarType::BFloat16}}};

/// Reads storages from the archive's files of raw numbers, one file per storage.
class ExportedStorages final : public StorageSource {
 public:
  ExportedStorages(ZipArchive& archive, std::string folder)
      : archive_(archive), folder_(std::move(folder)) {}

  torch::Tensor bytes(const std::string& key) override {
    const auto known = storages_.find(key);
    if (known != storages_.end()) return known->second;
    const auto index = archive_.find(folder_ + key);
    if (!index) throw Malformed("has no numbers: the archive lacks " + quotedText(key));
    archive_.admit(*index);
    const auto size = static_cast<std::int64_t>(archive_.entries()[*index].size);
    torch::Tensor storage = torch::empty({size}, torch::kByte);
    archive_.read(*index, storage.data_ptr());
    return storages_.emplace(key, std::move(storage)).first->second;
  }

  std::uint64_t size(const std::string& key) const {
    const auto index = archive_.find(folder_ + key);
    return index ? archive_.entries()[*index].size : 0;
  }

 private:
  ZipArchive& archive_;
  std::string folder_;
  std::map<std::string, torch::Tensor> storages_;
};

std::optional<std::size_t> findWeightsList(const ZipArchive& archive) {
  const auto& entries = archive.entries();
  const auto found = std::find_if(entries.begin(), entries.end(), [](const auto& entry) {
    return entry.name.ends_with(weightsList) &&
           (entry.name.size() == weightsList.size() ||
            entry.name[entry.name.size() - weightsList.size() - 1] == '/');
  });
  if (found == entries.end()) return std::nullopt;
  return static_cast<std::size_t>(found - entries.begin());
}

std::int64_t countIn(const json& number) {
  const auto count = number.at("as_int").get<std::int64_t>();
  if (count < 0) throw Malformed("has a negative size");
  return count;
}

std::vector<std::int64_t> countsIn(const json& numbers) {
  std::vector<std::int64_t> counts;
  for (const json& number : numbers) counts.push_back(countIn(number));
  return counts;
}

PickledTensor describeExported(const json& weight, const ExportedStorages& storages) {
  if (weight.value("use_pickle", false)) {
    throw Malformed("was exported as a pickle; save the module's state_dict() instead");
  }
  const json& meta = weight.at("tensor_meta");
  const auto number = meta.at("dtype").get<int>();
  const auto known = std::find_if(exportedTypes.begin(), exportedTypes.end(),
                                  [&](const ExportedType& type) { return type.number == number; });
  if (known == exportedTypes.end()) {
    throw Malformed("has an element type that Softscope does not read (number " +
                    std::to_string(number) + ")");
  }
  PickledTensor tensor;
  tensor.type = known->type;
  tensor.sizes = countsIn(meta.at("sizes"));
  tensor.strides = countsIn(meta.at("strides"));
  tensor.offset = static_cast<std::uint64_t>(countIn(meta.at("storage_offset")));
  if (tensor.sizes.size() != tensor.strides.size()) throw Malformed("has sizes without strides");
  tensor.storage.key = weight.at("path_name").get<std::string>();
  tensor.storage.type = known->type;
  tensor.storage.count = storages.size(tensor.storage.key) / c10::elementSize(known->type);
  return tensor;
}

json parseWeightsList(ZipArchive& archive, std::size_t index) {
  // The parsed text takes twenty times as much memory.
  constexpr std::uint64_t longest = std::uint64_t{2} << 20;
  if (archive.entries()[index].size > longest) throw Malformed("has an absurd list of weights");
  json root = parsedJson(archive.readWhole(index));
  const bool isList = root.is_object() && root.contains("config") && root["config"].is_object();
  if (!isList) throw Malformed("has a damaged list of weights");
  return root["config"];
}

}  // namespace

bool isExportedProgram(const ZipArchive& archive) {
  return findWeightsList(archive).has_value();
}

StateDict readExportedProgram(ZipArchive& archive, std::uint64_t fileSize) {
  const std::size_t index = *findWeightsList(archive);
  const std::string list = archive.entries()[index].name;
  const json weights = parseWeightsList(archive, index);
  constexpr std::string_view listName = "model_weights_config.json";
  ExportedStorages storages(archive, list.substr(0, list.size() - listName.size()));
  TensorRebuild rebuild(storages, fileSize);
  StateDict state;
  for (const auto& [name, weight] : weights.items()) {
    try {
      state.insert(name, rebuild.rebuild(describeExported(weight, storages)));
    } catch (const Malformed& malformed) {
      throw Malformed("the tensor " + quotedText(name) + " " + malformed.what());
    } catch (const json::exception&) {
      throw Malformed("the tensor " + quotedText(name) +
                      " is described in a way that Softscope "
                      "does not know");
    }
  }
  return state;
}

}  // namespace softscope
