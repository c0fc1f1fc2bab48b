#include "core/checkpoint/ModuleAttributes.h"

#include "core/checkpoint/PickledModule.h"
#include "core/files/WorkBudget.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace softscope {

namespace {

using Kind = PickleValue::Kind;

/// A value that one module has, with the module's path: `blocks.0.attn.`.
struct AtPath {
  std::string path;
  std::string text;
};

constexpr std::string_view namesOfHeads[] = {
    "num_heads", "num_attention_heads", "n_heads", "nhead", "heads", "n_head", "nheads",
    "num_head"};
constexpr std::string_view namesOfPooling[] = {"global_pool", "pool", "pool_include_prefix"};

/// Activations of libraries' modules and functions, with the words of config.json.
constexpr std::pair<std::string_view, std::string_view> activations[] = {
    {"gelu", "gelu"},
    {"geluactivation", "gelu"},
    {"relu", "relu"},
    {"silu", "silu"},
    {"siluactivation", "silu"},
    {"swish", "silu"},
    {"quickgelu", "quick_gelu"},
    {"quickgeluactivation", "quick_gelu"},
    {"gelutanh", "gelu_tanh"},
    {"pytorchgelutanh", "gelu_tanh"},
    {"newgeluactivation", "gelu_tanh"},
    {"fastgeluactivation", "gelu_tanh"},
    {"mish", "mish"},
    {"elu", "elu"},
    {"relu6", "relu6"},
    {"leakyrelu", "leaky_relu"},
    {"hardswish", "hardswish"},
};

/// Returns the last part of a class's name, in lower case and without underscores: `quickgelu`.
std::string plainClass(std::string_view name) {
  std::string word = lowerCase(std::string(name.substr(name.rfind('.') + 1)));
  std::erase(word, '_');
  return word;
}

/// Returns the class of an object, or an empty text.
std::string_view classOf(const PickleValue& object) {
  const PickleValue* callable = object.callable;
  if (!object.is(Kind::Object) || !callable || !callable->is(Kind::Global)) return {};
  // A protocol below 2 calls a function with the class.
  const PickleValue* arguments = object.arguments;
  const bool isCallOfClass = callable->text.ends_with("_reconstructor") && arguments &&
                             !arguments->items.empty() &&
                             arguments->items.front()->is(Kind::Global);
  return isCallOfClass ? arguments->items.front()->text : callable->text;
}

std::optional<std::string> activationNamed(std::string_view name) {
  const std::string word = plainClass(name);
  for (const auto& [known, own] : activations) {
    if (word == known) return std::string(own);
  }
  return std::nullopt;
}

bool isNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Returns true for a part that the network for pictures does not consist of.
bool isOfOtherPart(std::string_view name) {
  const std::string word = lowerCase(std::string(name));
  constexpr std::string_view others[] = {"decoder",  "predictor", "teacher", "text",
                                         "momentum", "language",  "ema",     "discriminator"};
  return std::ranges::any_of(others, [&](std::string_view other) {
    return other == "ema" ? word == other : word.find(other) != std::string::npos;
  });
}

/// Returns the path of the block that a module is in, `layers.3.`; empty if it is in none.
std::string blockOf(const std::string& path) {
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = path.find('.', begin);
    if (isNumber(std::string_view(path).substr(begin, end - begin))) return path.substr(0, end + 1);
    begin = end + 1;
  }
  return {};
}

/// Returns the path of the innermost list that a module is in: `stages.1.blocks.`.
std::string listOf(const std::string& path) {
  std::string list;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = path.find('.', begin);
    if (isNumber(std::string_view(path).substr(begin, end - begin))) list = path.substr(0, begin);
    begin = end + 1;
  }
  return list;
}

class AttributeWalk {
 public:
  explicit AttributeWalk(WorkBudget& work) : work_(work) {}

  void visit(const PickleValue& module, const std::string& path, int depth) {
    constexpr int deepest = 64;
    constexpr std::size_t longestPath = 512;
    if (depth > deepest || path.size() > longestPath || ++visited_ > mostModules) return;
    if (!module.is(Kind::Object) || !module.state) return;
    const PickleValue::Entries& attributes = module.state->entries;
    const PickleValue* children = findEntry(attributes, "_modules", work_);
    if (!children) return;
    read(module, attributes, path);
    for (const auto& [key, child] : children->entries) {
      work_.visit(1);
      if (!key->is(Kind::String) || isOfOtherPart(key->text)) continue;
      work_.touch(path.size() + key->text.size());
      visit(*child, path + key->text + ".", depth + 1);
    }
  }

  std::map<std::string, std::string> take() const {
    std::map<std::string, std::string> told;
    const auto tell = [&](const char* key, const std::optional<std::string>& text) {
      if (text) told.emplace(key, *text);
    };
    tell("num_heads", listOfHeads());
    tell("hidden_act", agreed(inBlocks(activations_)));
    const auto ofBlocks = agreed(inBlocks(epsilons_));
    const auto others = agreed(outsideBlocks(epsilons_));
    if (ofBlocks && others) {
      told.emplace("layer_norm_eps", *others);
      if (*ofBlocks != *others) told.emplace("block_eps", *ofBlocks);
    } else {
      tell("layer_norm_eps", agreed(epsilons_));
    }
    tell("norm_first", agreed(normsFirst_));
    for (const auto& [name, values] : poolings_) tell(name.c_str(), agreed(values));
    tell("attention_scale", agreed(scales_));
    if (isCausal_) told["is_causal"] = "true";
    return told;
  }

 private:
  using Values = std::vector<AtPath>;

  static constexpr std::size_t mostModules = 20'000;

  static std::optional<std::string> agreed(const Values& values) {
    const bool agree = !values.empty() && std::ranges::all_of(values, [&](const AtPath& value) {
      return value.text == values.front().text;
    });
    return agree ? std::optional(values.front().text) : std::nullopt;
  }

  bool isInBlock(const AtPath& value) const {
    const std::string block = blockOf(value.path);
    return !block.empty() && (blocks_.empty() || blocks_.contains(block));
  }

  Values inBlocks(const Values& values) const {
    Values inside;
    std::ranges::copy_if(values, std::back_inserter(inside),
                         [&](const AtPath& value) { return isInBlock(value); });
    return inside;
  }

  Values outsideBlocks(const Values& values) const {
    Values outside;
    std::ranges::copy_if(values, std::back_inserter(outside),
                         [&](const AtPath& value) { return !isInBlock(value); });
    return outside;
  }

  /// Returns one number if all agree, and otherwise one for each list of blocks, as stages have it,
  /// or for each change within a list.
  std::optional<std::string> listOfHeads() const {
    if (const auto all = agreed(heads_)) return all;
    constexpr std::size_t mostStages = 8;
    std::vector<AtPath> stages;
    for (const AtPath& value : heads_) {
      AtPath stage{listOf(value.path), value.text};
      const bool isKnown =
          !stages.empty() && stages.back().path == stage.path && stages.back().text == stage.text;
      if (!isKnown) stages.push_back(std::move(stage));
    }
    if (stages.empty() || stages.size() > mostStages) return std::nullopt;
    return listText(stages, ",", [](const AtPath& stage) { return stage.text; });
  }

  const PickleValue* find(const PickleValue::Entries& attributes, std::string_view key) {
    return findEntry(attributes, key, work_);
  }

  void read(const PickleValue& module, const PickleValue::Entries& attributes,
            const std::string& path) {
    const std::string_view name = classOf(module);
    readHeads(attributes, path);
    readActivation(name, attributes, path);
    const std::string word = plainClass(name);
    const PickleValue* epsilon = find(attributes, "eps");
    const bool isNorm =
        word.find("layernorm") != std::string::npos || word.find("rmsnorm") != std::string::npos;
    if (isNorm && epsilon && epsilon->is(Kind::Float)) {
      epsilons_.push_back({path, numberText(epsilon->number)});
    }
    const PickleValue* first = find(attributes, "norm_first");
    if (first && first->is(Kind::Bool)) {
      normsFirst_.push_back({path, first->integer != 0 ? "true" : "false"});
    }
    for (const std::string_view key : namesOfPooling) {
      const PickleValue* pooling = find(attributes, key);
      if (!pooling) continue;
      constexpr std::size_t longestWord = 64;
      if (pooling->is(Kind::Bool)) {
        poolings_[std::string(key)].push_back({path, pooling->integer != 0 ? "true" : "false"});
      } else if (pooling->is(Kind::String) && pooling->text.size() <= longestWord &&
                 isUtf8(pooling->text)) {
        poolings_[std::string(key)].push_back({path, pooling->text});
      }
    }
  }

  void readHeads(const PickleValue::Entries& attributes, const std::string& path) {
    const std::string block = blockOf(path);
    if (block.empty()) return;
    constexpr std::int64_t mostHeads = 1024;
    for (const std::string_view key : namesOfHeads) {
      const PickleValue* heads = find(attributes, key);
      if (!heads || !heads->is(Kind::Integer)) continue;
      if (heads->integer < 1 || heads->integer > mostHeads) continue;
      heads_.push_back({path, std::to_string(heads->integer)});
      blocks_.insert(block);
      break;
    }
    for (const char* key : {"is_causal", "causal"}) {
      const PickleValue* causal = find(attributes, key);
      isCausal_ = isCausal_ || (causal && causal->is(Kind::Bool) && causal->integer != 0);
    }
    const PickleValue* scale = find(attributes, "scale");
    const PickleValue* width = find(attributes, "head_dim");
    const bool areKnown = scale && width && scale->is(Kind::Float) && width->is(Kind::Integer);
    if (!areKnown || width->integer < 1) return;
    constexpr double tolerance = 1e-6;
    const double usual = 1 / std::sqrt(static_cast<double>(width->integer));
    if (std::abs(scale->number - usual) > tolerance * usual) {
      scales_.push_back({path, numberText(scale->number)});
    }
  }

  void readActivation(std::string_view name, const PickleValue::Entries& attributes,
                      const std::string& path) {
    // Linear attention has activations of its own.
    if (lowerCase(path).find("att") != std::string::npos) return;
    if (auto word = activationNamed(name)) {
      const PickleValue* approximation = find(attributes, "approximate");
      const bool isTanh =
          approximation && approximation->is(Kind::String) && approximation->text == "tanh";
      activations_.push_back({path, *word == "gelu" && isTanh ? "gelu_tanh" : *word});
    }
    const PickleValue* function = find(attributes, "activation");
    if (!function || !function->is(Kind::Global)) return;
    if (auto word = activationNamed(function->text)) activations_.push_back({path, *word});
  }

  WorkBudget& work_;
  std::size_t visited_ = 0;
  bool isCausal_ = false;
  Values heads_, activations_, epsilons_, normsFirst_, scales_;
  std::map<std::string, Values> poolings_;
  /// Paths of the members of lists that have heads.
  std::set<std::string> blocks_;
};

}  // namespace

std::map<std::string, std::string> moduleAttributes(const PickleValue& value, WorkBudget& work) {
  AttributeWalk walk(work);
  walk.visit(value, "", 0);
  return walk.take();
}

}  // namespace softscope
