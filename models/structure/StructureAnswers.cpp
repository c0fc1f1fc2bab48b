#include "models/structure/StructureAnswers.h"

#include "core/Error.h"
#include "core/model/SettingOption.h"
#include "core/text/Words.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/Metadata.h"
#include "models/identify/ResolvedSetting.h"
#include "models/identify/ShapeReader.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace softscope {

namespace {

using Entries = std::map<std::string, std::string>;

constexpr const char* timmsPoolKey = "global_pool";

/// Names that people give to what an option chooses; the option's own comes first.
const std::vector<std::string>& namesOfOption(const std::string& option) {
  static const std::map<std::string, std::vector<std::string>> names{
      {"heads",
       {"heads", "num_heads", "n_heads", "nhead", "num_attention_heads", "n_head", "nheads",
        "num_head"}},
      {"activation", {"activation", "hidden_act", "act_layer", "activation_function", "act"}},
      {"epsilon", {"epsilon", "layer_norm_eps", "norm_eps", "eps", "layernorm_eps"}},
      {"epsilon-blocks", {"epsilon-blocks", "epsilon_blocks", "block_eps"}},
      {"norm", {"norm", "norm_first", "normalize_before", "norm_position"}},
      {"pooling", {"pooling", "pool", timmsPoolKey, "pool_type"}},
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
      {"first-half", {"first-half"}},
      {"norm-without-bias", {"norm-without-bias", "norm_layer"}},
      {"norm-kind", {"norm-kind"}},
      {"qkv", {"qkv", "qkv_order"}},
      {"scale", {"scale", "attention_scale", "use_scale"}},
      {"attention", {"attention", "mechanism", "attention_type", "attn_type"}},
      {"qscale", {"qscale"}},
      {"landmarks", {"landmarks", "num_landmarks", "n_landmarks"}},
      {"iters", {"iters", "pinv_iterations", "iterations"}},
      {"head-activation", {"head-activation", "head_activation"}},
      {"mlp-end", {"mlp-end"}},
      {"class-vector", {"class-vector"}},
      {"plain-norms", {"plain-norms", "plain_norms"}},
      {"channels", {"in_chans", "in_channels", "num_channels", "channels"}},
      {"patch", {"patch_size"}},
      {"size", {"image_size", "img_size", "input_size", "imgsz", "size"}},
      {"non-local", {"non-local", "non_local", "mode"}},
      {"sub-sample", {"sub-sample", "sub_sample"}},
  };
  static const std::vector<std::string> none;
  const auto found = names.find(option);
  return found == names.end() ? none : found->second;
}

/// Translates other people's words under `name`: `norm_first: true` into `pre`, `avg` into `mean`.
/// `norm: false` is of the data, or of a layer that is left out, and says nothing of the blocks.
std::string ownWord(const std::string& option, const std::string& name, const std::string& value) {
  const std::string word = settingWord(option, value);
  const bool isTrue = word == "true" || word == "True" || word == "1";
  const bool isFalse = word == "false" || word == "False" || word == "0";
  const bool saysWhere = name == "norm_first" || name == "normalize_before";
  if (option == "norm" && (isTrue || isFalse)) {
    return !saysWhere ? word : isTrue ? "pre" : "post";
  }
  static const std::map<std::string, std::string> others{
      {"token", "cls"},   {"class", "cls"},      {"cls_token", "cls"}, {"avg", "mean"},
      {"gap", "mean"},    {"mean_pool", "mean"}, {"before", "pre"},    {"after", "post"},
      {"prenorm", "pre"}, {"postnorm", "post"},  {"max_pool", "max"},
  };
  if (option == "norm" || option == "pooling") {
    if (const auto found = others.find(word); found != others.end()) return found->second;
  }
  if (option == "norm-without-bias") {
    // timm's norm_layer names a class: rmsnorm, LayerNorm.
    if (mentions(word, {"rmsnorm", "rms_norm"})) return "rms";
    if (mentions(word, {"layernorm", "layer_norm"})) return "layer";
  }
  const bool isYesOrNo = option == "plain-norms";
  if (isYesOrNo && (isTrue || isFalse)) return isTrue ? "yes" : "no";
  if (option == "token-scale" && (isTrue || isFalse)) return isTrue ? "sqrt-width" : "none";
  if (name == "use_scale" && (isTrue || isFalse)) return isTrue ? "head" : "none";
  if (option == "sub-sample" && (isTrue || isFalse)) return isTrue ? "2" : "1";
  return word;
}

std::optional<std::string> entryUnder(const Entries& entries, const std::string& key) {
  const auto found = entries.find(key);
  return found == entries.end() ? std::nullopt : std::optional(found->second);
}

/// Returns true for a word that means the network's option under whatever name, as vit-pytorch's
/// `pool: cls` does; `avg` may be a pooling of a network in front.
bool isWordOfNetwork(const std::string& name, const std::string& value) {
  const std::string word = lowerCase(value);
  if (name == "norm") return word.starts_with("pre") || word.starts_with("post");
  return name == "pool" && (word == "cls" || word == "mean");
}

/// Returns true if metadata say several numbers of heads, as of an encoder and a decoder, under
/// names that do not tell which are meant: `num_heads` beside `encoder_num_heads`.
bool saysOtherHeads(const Entries& metadata, const std::string& heads) {
  return std::ranges::any_of(metadata, [&](const auto& entry) {
    const std::string name = lowerCase(entry.first.substr(entry.first.rfind('.') + 1));
    const bool isOfNetwork = name.starts_with("encoder_") || name.starts_with("vit_");
    return isOfNetwork && (name.ends_with("_heads") || name.ends_with("_nhead")) &&
           entry.second != heads && parseHeadCounts(entry.second);
  });
}

/// Returns what metadata say under one name of an option, in the option's own words, if `accepts`
/// does.
template <typename Accepts>
std::optional<std::string> wordInMetadata(const std::string& option, const std::string& name,
                                          const ModelHints& hints, const Accepts& accepts) {
  const bool isOurs = isWrittenBySoftscope(hints.metadata);
  const auto accepted = [&](const std::optional<std::string>& text, bool isOurEntry) {
    const std::string word = text ? ownWord(option, name, *text) : "";
    const bool isOfNetwork =
        !isGenericName(name) || isOurEntry || (text && isWordOfNetwork(name, *text));
    return text && isOfNetwork && accepts(word) ? std::optional(word) : std::nullopt;
  };
  for (const std::string& place : placesOfTrainers()) {
    const bool isOurEntry = isOurs && place.empty() && name == option;
    const auto word = accepted(entryUnder(hints.metadata, place + name), isOurEntry);
    if (word) return word;
  }
  return accepted(nestedEntry(hints.metadata, name), false);
}

}  // namespace

std::optional<SaidValue> saidValue(const std::string& option,
                                   const std::vector<std::string>& choices,
                                   const ModelHints& hints) {
  const auto isPossible = [&](const std::string& word) {
    return choices.empty() || std::ranges::find(choices, word) != choices.end();
  };
  for (const std::string& name : namesOfOption(option)) {
    const auto word = wordInMetadata(option, name, hints, isPossible);
    if (!word) continue;
    if (option == "heads" && saysOtherHeads(hints.metadata, *word)) return std::nullopt;
    return SaidValue{*word, "from the file's metadata", name};
  }
  for (const std::string& name : namesOfOption(option)) {
    const auto text = entryUnder(hints.configuration.values, name);
    if (!text) continue;
    const std::string word = ownWord(option, name, *text);
    if (isPossible(word)) return SaidValue{word, "from " + hints.configuration.fileName, name};
  }
  return std::nullopt;
}

std::optional<SaidValue> valueUnder(const std::vector<std::string>& names,
                                    const ModelHints& hints) {
  const auto isAny = [](const std::string&) { return true; };
  for (const std::string& name : names) {
    const auto word = wordInMetadata("", name, hints, isAny);
    if (word) return SaidValue{*word, "the file's metadata", name};
  }
  for (const std::string& name : names) {
    const auto text = entryUnder(hints.configuration.values, name);
    if (text) return SaidValue{lowerCase(*text), hints.configuration.fileName, name};
  }
  return std::nullopt;
}

std::string StructureAnswers::answer(const StructureQuestion& question) {
  NetworkSetting setting{.option = question.option, .value = question.usual, .source = "assumed"};
  const auto asked = askedValue(question);
  auto said = saidValue(question.option, question.isOpen ? Words{} : question.choices, hints_);
  if (said && said->name == timmsPoolKey) said->text = pooledByTimm(said->text);
  const bool isSaid = question.isSaidElsewhere && said && isAccepted(question, said->text);
  if (!question.told.empty() && !(question.isSaidFirst && isSaid)) {
    setting.source = question.told;
  } else if (isSaid) {
    setting.value = said->text;
    setting.source = said->source;
  } else if (!asked) {
    setting.why = question.why;
  }
  const bool isKnown = setting.source != "assumed";
  if (asked) {
    setting.isCounterfactual = isKnown && setting.value != *asked;
    setting.value = *asked;
    setting.source = "chosen with --" + question.option;
  }
  setting.choices = question.choices;
  std::erase(setting.choices, setting.value);
  setting.choices.insert(setting.choices.begin(), setting.value);
  resolved_.described.push_back(setting);
  return setting.value;
}

const ConfigurationFile* StructureAnswers::configuration() const {
  return configurationFor(static_cast<int>(structure_.channels), hints_);
}

std::string StructureAnswers::pooledByTimm(const std::string& word) const {
  const bool hasOthers = structure_.classToken || structure_.registerCount > 0;
  const bool isOfAll =
      entryUnder(hints_.configuration.values, "pool_include_prefix").value_or("") == "true";
  if (!structure_.block.isTimmBlock || !hasOthers || isOfAll) return word;
  return word == "mean" || word == "max" ? word + "_patches" : word;
}

bool StructureAnswers::isAccepted(const StructureQuestion& question,
                                  const std::string& value) const {
  if (std::ranges::find(question.choices, value) != question.choices.end()) return true;
  const SettingOption* option = findSettingOption(question.option);
  if (option != nullptr) return question.isOpen && option->accepts(value);
  return question.isOpen && parseNumber(value).has_value();
}

std::optional<std::string> StructureAnswers::askedValue(const StructureQuestion& question) const {
  std::optional<std::string> asked;
  if (question.option == "attention") asked = hints_.attention;
  if (question.option == "landmarks" && hints_.landmarks.isTrained() && hints_.landmarks.count) {
    asked = std::to_string(*hints_.landmarks.count);
  }
  const auto found = hints_.settings.find(question.option);
  if (found != hints_.settings.end()) asked = found->second;
  if (!asked) return std::nullopt;
  if (question.option.starts_with("epsilon")) {
    asked = numberText(parseEpsilon(*asked).value_or(0));
  }
  if (asked == "features") asked = "none";
  if (isAccepted(question, *asked)) return asked;
  throw ModelError("--" + question.option + " is " + listedWithOr(question.choices) +
                   " for this network" + (question.told.empty() ? "" : " (" + question.told + ")") +
                   ", not \"" + *asked + "\"");
}

}  // namespace softscope
