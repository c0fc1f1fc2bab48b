#include "core/recording/RecordingWriter.h"

#include "core/Error.h"
#include "core/array/NpyFormat.h"
#include "core/array/Npz.h"
#include "core/checkpoint/Safetensors.h"
#include "core/network/MapBuilder.h"
#include "core/recording/RecordedLayer.h"
#include "core/recording/RecordingFile.h"
#include "core/recording/RecordingKeys.h"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

namespace softscope {

namespace {

const char* npyName(c10::ScalarType type) {
  switch (type) {
    case c10::ScalarType::Half:
      return "<f2";
    case c10::ScalarType::Float:
      return "<f4";
    case c10::ScalarType::Double:
      return "<f8";
    case c10::ScalarType::Long:
      return "<i8";
    case c10::ScalarType::Byte:
      return "|u1";
    default:
      throw InspectionError(std::string("values of type ") + c10::toString(type) +
                            " cannot be written as .npy");
  }
}

/// Returns the bytes of a .npy file with a recording's entry: numbers keep their type, a list of
/// texts becomes a `U` array, and a single text an array without dimensions.
std::string encodeNpyEntry(const RecordingFile::Value& value, bool isList) {
  if (const auto* texts = std::get_if<RecordingFile::Texts>(&value)) {
    return encodeNpyTexts(*texts, isList);
  }
  const torch::Tensor tensor = std::get<torch::Tensor>(value).contiguous();
  const std::string header = npyHeader(npyName(tensor.scalar_type()), tensor.sizes().vec());
  return header + std::string(static_cast<const char*>(tensor.data_ptr()), tensor.nbytes());
}

constexpr const char* npzEnding = ".npz";
constexpr const char* safetensorsEnding = ".safetensors";

class EntriesOfLayer {
 public:
  EntriesOfLayer(const std::string& layer, RecordingFile& file) : layer_(layer), file_(file) {}

  void add(const char* part, const torch::Tensor& tensor) const {
    if (tensor.defined()) file_.add(layer_ + part, tensor.detach().cpu().contiguous());
  }
  void add(const char* part, const std::string& text) const {
    file_.add(layer_ + part, RecordingFile::Texts{text});
  }
  void addNames(const char* part, const std::vector<std::string>& names) const {
    if (!names.empty()) file_.add(layer_ + part, names);
  }

  void operator()(const FactorTensors& factors) const {
    add("/left", factors.left);
    add("/middle", factors.middle);
    add("/right", factors.right);
  }
  void operator()(const KernelTensors& tokens) const {
    const bool softmax = tokens.kernel == KernelTensors::Kernel::Softmax;
    add("/q", tokens.query);
    add("/k", tokens.key);
    add("/kernel", std::string(softmax ? "softmax" : "gaussian"));
    add("/scale", torch::tensor(softmax ? tokens.scale : 1.0, torch::kFloat64));
  }
  void operator()(const DenseTensors& tensors) const { add("/attn", tensors.values); }
  void operator()(const BlockTensors& tensors) const {
    add("/blocks", tensors.values);
    add("/rows", tensors.rows);
    add("/cols", tensors.columns);
  }
  /// Written as a matrix by record().
  void operator()(const MixtureTensors&) const {}
  void operator()(const BuiltTensors&) const {}

 private:
  std::string layer_;
  RecordingFile& file_;
};

torch::Tensor gridsOf(const AttentionDescription& attention) {
  const TokenGrid queries = attention.queryGrid.value_or(TokenGrid{0, 0});
  const TokenGrid keys = attention.keyGrid.value_or(TokenGrid{0, 0});
  return torch::tensor({queries.height, queries.width, keys.height, keys.width}, torch::kInt64);
}

/// Returns all rows of a map: [heads, queries, keys].
torch::Tensor wholeMatrices(const AttentionMap& map) {
  const AttentionDescription& sizes = map.description();
  torch::Tensor values = torch::empty({sizes.heads, sizes.queries, sizes.keys});
  for (int head = 0; head < sizes.heads; ++head) {
    Eigen::Map<Matrix>(values[head].data_ptr<float>(), sizes.queries, sizes.keys) =
        map.block(head, 0, 0, sizes.queries, sizes.keys);
  }
  return values;
}

/// Writes a .safetensors recording. The format has texts only in its metadata, so lists are written
/// as JSON.
void writeSafetensorsRecording(const std::string& path, const RecordingFile& file) {
  StateDict state;
  std::map<std::string, std::string> metadata;
  for (const auto& [name, value] : file.entries()) {
    if (const auto* tensor = std::get_if<torch::Tensor>(&value)) {
      state.insert(name, *tensor);
    } else {
      const auto& texts = std::get<RecordingFile::Texts>(value);
      metadata[name] = isRecordedList(name) ? nlohmann::json(texts).dump() : texts.front();
    }
  }
  writeSafetensors(path, state, metadata);
}

void writeNpzRecording(const std::string& path, const RecordingFile& file) {
  std::vector<std::pair<std::string, std::string>> members;
  for (const auto& [name, value] : file.entries()) {
    members.emplace_back(name, encodeNpyEntry(value, isRecordedList(name)));
  }
  writeNpzMembers(path, members);
}

}  // namespace

void RecordingWriter::record(AttentionRecord record) {
  const EntriesOfLayer entries(record.layer, file_);
  std::visit(entries, record.map);
  int meanOfChannels = record.description.meanOfChannels;
  // No recording's format has mixtures of softmaxes, or maps with classes of their own.
  if (std::holds_alternative<MixtureTensors>(record.map) ||
      std::holds_alternative<BuiltTensors>(record.map)) {
    const auto map = buildLayerInspection(record).attention;
    entries.add("/attn", wholeMatrices(*map));
    meanOfChannels = map->description().meanOfChannels;
  }
  if (record.exactKernel) entries(*record.exactKernel);
  entries.add("/v", record.value);
  entries.add("/mechanism", record.description.mechanism);
  const std::string beside = besideText(record.description);
  if (!beside.empty()) entries.add("/beside", beside);
  if (meanOfChannels > 0) {
    entries.add("/mean_of_channels", torch::tensor(meanOfChannels, torch::kInt64));
  }
  entries.add("/grid", gridsOf(record.description));
  if (record.description.queryGrid || record.description.keyGrid) {
    entries.add("/prefix", torch::tensor(record.description.prefixTokens, torch::kInt64));
    entries.addNames("/prefix_names", record.description.prefixNames);
    if (record.description.suffixTokens > 0) {
      entries.add("/suffix", torch::tensor(record.description.suffixTokens, torch::kInt64));
    }
  }
  const int stage = layers_ < stages_.size() ? stages_[layers_] : 1;
  entries.add("/stage", torch::tensor(stage, torch::kInt64));
  entries.add("/q_l1", record.queryL1);
  entries.add("/k_l1", record.keyL1);
  entries.add("/convolution", record.convolution);
  addLandmarks(record, file_);
  ++layers_;
}

void checkRecordingName(const std::string& path) {
  if (path.ends_with(npzEnding) || path.ends_with(safetensorsEnding)) return;
  throw FileError(path,
                  "a recording is a .npz or a .safetensors file; give it one of these endings");
}

void writeRecording(const std::string& path, const RecordingFile& file) {
  checkRecordingName(path);
  if (path.ends_with(npzEnding)) {
    writeNpzRecording(path, file);
  } else {
    writeSafetensorsRecording(path, file);
  }
}

}  // namespace softscope
