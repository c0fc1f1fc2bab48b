#include "models/structure/SaidValues.h"

#include "models/identify/Metadata.h"
#include "models/identify/ResolvedSetting.h"

#include <algorithm>
#include <map>
#include <utility>

namespace softscope {

namespace {

using Entries = std::map<std::string, std::string>;

/// Names that people give to what an option chooses; the option's own comes first.
const std::vector<std::string>& namesOfOption(const std::string& option) {
  static const std::map<std::string, std::vector<std::string>> names{
      {"heads",
       {"heads", "num_heads", "n_heads", "nhead", "num_attention_heads", "n_head", "nheads",
        "num_head"}},
      {"activation", {"activation", "hidden_act", "act_layer", "activation_function", "act"}},
      {"epsilon", {"epsilon", "layer_norm_eps", "norm_eps", "eps", "layernorm_eps"}},
      {"epsilon-blocks", {"epsilon-blocks", "epsilon_blocks", "block_eps"}},
      {"norm", {"norm", "norm_first", "pre_norm", "normalize_before", "norm_position"}},
      {"pooling", {"pooling", "pool", "global_pool", "pool_type"}},
      {"pixels", {"pixels", "patch_order"}},
      {"positions", {"positions", "pos_embedding", "positional_encoding", "pos_encoding"}},
      {"sines", {"sines"}},
      {"prefix-positions", {"prefix-positions", "prefix_positions"}},
      {"registers", {"registers"}},
      {"class-token", {"class-token", "cls_position", "class_token_position"}},
      {"stride", {"stride", "patch_stride", "stride_size"}},
      {"padding", {"padding", "patch_padding"}},
      {"token-scale", {"token-scale", "token_scale", "scale_embedding", "embed_scale"}},
      {"patch-norm", {"patch-norm"}},
      {"final-norm", {"final-norm"}},
      {"layer-scale", {"layer-scale"}},
      {"one-norm", {"one-norm"}},
      {"norm-without-bias", {"norm-without-bias"}},
      {"qkv", {"qkv", "qkv_order"}},
      {"scale", {"scale", "attention_scale"}},
      {"attention", {"attention", "mechanism", "attention_type", "attn_type"}},
      {"qscale", {"qscale"}},
      {"landmarks", {"landmarks", "num_landmarks", "n_landmarks"}},
      {"iters", {"iters", "pinv_iterations", "iterations"}},
      {"head-activation", {"head-activation", "head_activation"}},
      {"plain-norms", {"plain-norms", "plain_norms"}},
      {"size", {"image_size", "img_size", "input_size", "imgsz", "size"}},
      {"non-local", {"non-local", "non_local", "mode"}},
      {"sub-sample", {"sub-sample", "sub_sample"}},
  };
  static const std::vector<std::string> none;
  const auto found = names.find(option);
  return found == names.end() ? none : found->second;
}

/// Translates other people's words: `norm_first: true` into `pre`, `avg` into `mean`.
std::string ownWord(const std::string& option, const std::string& value) {
  const std::string word = settingWord(option, value);
  const bool isTrue = word == "true" || word == "True" || word == "1";
  const bool isFalse = word == "false" || word == "False" || word == "0";
  if (option == "norm" && (isTrue || isFalse)) {
    return isTrue ? "pre" : "post";
  }
  static const std::map<std::string, std::string> others{
      {"token", "cls"},   {"class", "cls"},      {"cls_token", "cls"}, {"avg", "mean"},
      {"gap", "mean"},    {"mean_pool", "mean"}, {"before", "pre"},    {"after", "post"},
      {"prenorm", "pre"}, {"postnorm", "post"},  {"max_pool", "max"},
  };
  if (option == "norm" || option == "pooling") {
    if (const auto found = others.find(word); found != others.end()) return found->second;
  }
  const bool isYesOrNo = option == "plain-norms";
  if (isYesOrNo && (isTrue || isFalse)) return isTrue ? "yes" : "no";
  if (option == "token-scale" && (isTrue || isFalse)) return isTrue ? "sqrt-width" : "none";
  if (option == "sub-sample" && (isTrue || isFalse)) return isTrue ? "2" : "1";
  return word;
}

std::optional<std::string> entryUnder(const Entries& entries, const std::string& key) {
  const auto found = entries.find(key);
  return found == entries.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::optional<SaidValue> saidValue(const std::string& option,
                                   const std::vector<std::string>& choices,
                                   const ModelHints& hints) {
  const bool isOurs = isWrittenBySoftscope(hints.metadata);
  // Trainers keep such values in dictionaries of these names.
  constexpr const char* places[] = {"",     "config.",           "args.",         "hparams.",
                                    "cfg.", "hyper_parameters.", "model_config.", "model_args."};
  const auto isPossible = [&](const std::string& word) {
    return choices.empty() || std::ranges::find(choices, word) != choices.end();
  };
  for (const std::string& name : namesOfOption(option)) {
    for (const std::string place : places) {
      const bool isOurEntry = isOurs && place.empty() && name == option;
      if (isGenericName(name) && !isOurEntry) continue;
      const auto text = entryUnder(hints.metadata, place + name);
      if (!text) continue;
      const std::string word = ownWord(option, *text);
      if (isPossible(word)) return SaidValue{word, "from the file's metadata"};
    }
  }
  for (const std::string& name : namesOfOption(option)) {
    const auto text = entryUnder(hints.configuration.values, name);
    if (!text) continue;
    const std::string word = ownWord(option, *text);
    if (isPossible(word)) return SaidValue{word, "from config.json"};
  }
  return std::nullopt;
}

}  // namespace softscope
