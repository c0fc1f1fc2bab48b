#include "core/checkpoint/ExportedGraph.h"

#include "core/files/ZipArchive.h"
#include "core/json/ParsedJson.h"
#include "core/text/Words.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace softscope {

namespace {

using nlohmann::json;

constexpr std::string_view graphFile = "models/model.json";

/// Operators of activations, with the words of config.json.
constexpr std::pair<std::string_view, std::string_view> operatorsOfActivations[] = {
    {"torch.ops.aten.gelu.default", "gelu"},  {"torch.ops.aten.relu.default", "relu"},
    {"torch.ops.aten.relu_.default", "relu"}, {"torch.ops.aten.silu.default", "silu"},
    {"torch.ops.aten.silu_.default", "silu"}, {"torch.ops.aten.mish.default", "mish"},
};

/// Returns the argument of a call with this name, or null.
const json* argumentNamed(const json& node, const char* name) {
  for (const json& input : node.at("inputs")) {
    if (input.at("name") == name) return &input.at("arg");
  }
  return nullptr;
}

std::optional<double> numberIn(const json* argument) {
  if (argument == nullptr || !argument->contains("as_float")) return std::nullopt;
  return argument->at("as_float").get<double>();
}

/// Collects what the calls in a graph say of the computation, in the order of the graph.
class GraphReader {
 public:
  explicit GraphReader(const json& graph) : graph_(graph) {
    for (const json& node : graph.at("nodes")) read(node);
  }

  std::map<std::string, std::string> take() const {
    std::map<std::string, std::string> told;
    constexpr std::size_t mostStages = 8;
    if (!heads_.empty() && heads_.size() <= mostStages) told["num_heads"] = listText(heads_, ",");
    if (activations_.size() == 1) told["hidden_act"] = *activations_.begin();
    if (epsilons_.size() == 1) told["layer_norm_eps"] = *epsilons_.begin();
    if (scales_.size() == 1) told["attention_scale"] = *scales_.begin();
    if (isCausal_) told["is_causal"] = "true";
    return told;
  }

 private:
  void read(const json& node) {
    const std::string target = node.at("target").get<std::string>();
    if (target == "torch.ops.aten.scaled_dot_product_attention.default") readAttention(node);
    if (target == "torch.ops.aten.layer_norm.default") {
      if (const auto epsilon = numberIn(argumentNamed(node, "eps"))) {
        epsilons_.insert(numberText(*epsilon));
      }
    }
    for (const auto& [name, word] : operatorsOfActivations) {
      if (target != name) continue;
      const json* approximation = argumentNamed(node, "approximate");
      const bool isTanh = approximation != nullptr && approximation->contains("as_string") &&
                          approximation->at("as_string") == "tanh";
      activations_.insert(isTanh ? "gelu_tanh" : std::string(word));
    }
  }

  void readAttention(const json& node) {
    const json* query = argumentNamed(node, "query");
    if (query == nullptr || !query->contains("as_tensor")) return;
    const json& sizes = graph_.at("tensor_values")
                            .at(query->at("as_tensor").at("name").get<std::string>())
                            .at("sizes");
    constexpr std::size_t ofHeads = 4;
    if (sizes.size() != ofHeads) return;
    const auto heads = sizes.at(1).at("as_int").get<std::int64_t>();
    const auto width = sizes.at(3).at("as_int").get<std::int64_t>();
    if (heads < 1 || width < 1) return;
    const std::string text = std::to_string(heads);
    if (heads_.empty() || heads_.back() != text) heads_.push_back(text);
    const json* causal = argumentNamed(node, "is_causal");
    isCausal_ = isCausal_ || (causal != nullptr && causal->contains("as_bool") &&
                              causal->at("as_bool").get<bool>());
    constexpr double tolerance = 1e-6;
    const double usual = 1 / std::sqrt(static_cast<double>(width));
    const auto scale = numberIn(argumentNamed(node, "scale"));
    if (scale && std::abs(*scale - usual) > tolerance * usual) scales_.insert(numberText(*scale));
  }

  const json& graph_;
  std::vector<std::string> heads_;
  std::set<std::string> activations_, epsilons_, scales_;
  bool isCausal_ = false;
};

}  // namespace

std::map<std::string, std::string> attributesOfGraph(const std::string& text) {
  const json root = parsedJson(text);
  try {
    return GraphReader(root.at("graph_module").at("graph")).take();
  } catch (const json::exception&) {
    // A graph of another version tells nothing.
    return {};
  }
}

std::map<std::string, std::string> graphAttributes(ZipArchive& archive) {
  // The parsed text takes twenty times as much memory.
  constexpr std::uint64_t longest = std::uint64_t{4} << 20;
  const auto& entries = archive.entries();
  const auto found = std::ranges::find_if(
      entries, [](const auto& entry) { return entry.name.ends_with(graphFile); });
  if (found == entries.end() || found->size > longest) return {};
  return attributesOfGraph(archive.readWhole(static_cast<std::size_t>(found - entries.begin())));
}

}  // namespace softscope
