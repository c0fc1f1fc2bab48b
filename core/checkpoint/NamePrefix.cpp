#include "core/checkpoint/NamePrefix.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>

namespace softscope {

namespace {

bool isBelow(std::string_view name, std::string_view prefix) {
  return name.size() > prefix.size() && name.starts_with(prefix);
}

/// EfficientViT's authors name everything before the classifier `backbone`, and the content of its
/// stages `op_list`.
bool isOfEfficientVit(std::string_view name) {
  return name.starts_with("backbone.") && name.find(".op_list.") != std::string_view::npos;
}

/// Vision-RWKV's files have `head.fc` beside their `backbone`, whose layers are `att` and `ffn`.
bool isOfVisionRwkv(std::string_view name) {
  return name.starts_with("backbone.layers.") && name.find(".att.spatial_") != std::string::npos;
}

/// Prefixes that wrappers put before every name of a network: data parallelism, torch.compile,
/// Lightning and other trainers, averages of weights.
constexpr std::string_view wrappers[] = {"module.",    "_orig_mod.",   "model.", "net.",
                                         "ema_model.", "model_ema.",   "ema.",   "student.",
                                         "teacher.",   "online_model."};
/// Prefixes of names that only a running average of weights has.
constexpr std::string_view ofAverages[] = {"ema_model.", "model_ema.", "ema."};
/// Prefix of a network's names if heads for training stand beside it.
constexpr std::string_view backbone = "backbone.";
/// A counter that an average of weights stores beside the network: how many weights it has
/// averaged.
constexpr std::string_view averageCounter = "n_averaged";

bool mentionsAny(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

/// Words for a part that a vision transformer has in front of its blocks.
struct PartInFront {
  /// Pieces of the first part of a name that say it, and whole first parts.
  std::initializer_list<std::string_view> pieces, names;
  /// Pieces that tell the same part below a backbone.
  std::initializer_list<std::string_view> inside;
};

/// The class token, the positions and the patch embedding.
const PartInFront partsInFront[] = {
    {{"cls_tok", "class_tok", "cls_emb", "class_embedding"}, {"cls"}, {"cls", "class_"}},
    {{"pos_emb", "pos_enc", "pos_table", "position_emb", "positional"},
     {"pos", "pe", "wpe", "posembed", "positions", "position"},
     {"pos", "wpe", ".pe"}},
    {{"patch"},
     {"stem", "embed", "embedding", "embeddings", "tokenizer", "conv_proj", "conv", "conv1"},
     {"patch", "stem", "embed", "conv", "tokenizer"}}};

/// Returns true if two members of a list have several names each, as blocks have.
bool haveBlocks(const std::vector<std::string_view>& names) {
  constexpr int fewestOfBlock = 4;
  std::map<std::string_view, int> members;
  for (const std::string_view name : names) {
    for (std::size_t dot = name.find('.'); dot != std::string_view::npos;) {
      const std::size_t end = name.find('.', dot + 1);
      if (end == std::string_view::npos) break;
      const std::string_view part = name.substr(dot + 1, end - dot - 1);
      if (part.find_first_not_of("0123456789") == std::string_view::npos) {
        ++members[name.substr(0, end)];
      }
      dot = end;
    }
  }
  std::map<std::string_view, int> blocks;
  for (const auto& [member, count] : members) {
    if (count >= fewestOfBlock && ++blocks[member.substr(0, member.rfind('.'))] > 1) return true;
  }
  return false;
}

/// Returns true if a network's own parts stand beside its backbone: what is in front of the blocks,
/// or the blocks. Heads for training may stand there as well, and are left out.
bool isBackboneAPart(const std::vector<std::string_view>& names) {
  std::vector<std::string_view> inside;
  std::vector<std::string_view> outside;
  for (const std::string_view name : names) {
    (isBelow(name, backbone) ? inside : outside).push_back(name);
  }
  if (inside.empty()) return false;
  if (haveBlocks(outside) && !haveBlocks(inside)) return true;
  return std::ranges::any_of(partsInFront, [&](const PartInFront& part) {
    const auto isOutside = [&](std::string_view name) {
      const std::string_view first = name.substr(0, name.find('.'));
      // A decoder, a detector's queries and heads have positions and embeddings of their own.
      if (mentionsAny(first, {"decoder", "query", "head"})) return false;
      // A classifier may be called `cls` too.
      if (first == "cls" && name != first) return false;
      return mentionsAny(first, part.pieces) ||
             std::ranges::find(part.names, first) != part.names.end();
    };
    const auto isInside = [&](std::string_view name) { return mentionsAny(name, part.inside); };
    return std::ranges::any_of(outside, isOutside) && std::ranges::none_of(inside, isInside);
  });
}

/// Returns the wrapper's prefix that all names share, or the backbone's that some have; empty if
/// there is neither.
std::string_view outermostWrapper(const std::vector<std::string_view>& names) {
  for (const std::string_view wrapper : wrappers) {
    const auto below = [&](std::string_view name) {
      return isBelow(name, wrapper) || name == averageCounter;
    };
    if (std::ranges::all_of(names, below)) return wrapper;
  }
  if (std::ranges::any_of(names, isOfEfficientVit)) return {};
  if (std::ranges::any_of(names, isOfVisionRwkv)) return {};
  if (haveHeadOfOpenMmlab(names)) return {};
  if (isBackboneAPart(names)) return {};
  const bool hasBackbone =
      std::ranges::any_of(names, [](std::string_view name) { return isBelow(name, backbone); });
  return hasBackbone ? backbone : std::string_view();
}

/// Names below a prefix, without it and without the `module.` of a wrapper, each with the whole
/// name.
using NamesBelow = std::map<std::string_view, std::string_view>;

NamesBelow namesBelow(const std::vector<std::string_view>& names, std::string_view prefix) {
  constexpr std::string_view wrapper = "module.";
  NamesBelow below;
  for (const std::string_view whole : names) {
    if (!isBelow(whole, prefix)) continue;
    std::string_view name = whole.substr(prefix.size());
    if (isBelow(name, wrapper)) name.remove_prefix(wrapper.size());
    below.emplace(name, whole);
  }
  return below;
}

/// Returns the members of lists, as `blocks.3` of `blocks.3.norm1.weight`.
std::set<std::string_view> membersOfLists(const NamesBelow& names) {
  std::set<std::string_view> members;
  for (const auto& [name, whole] : names) {
    for (std::size_t dot = name.find('.'); dot != std::string_view::npos;) {
      const std::size_t end = name.find('.', dot + 1);
      if (end == std::string_view::npos) break;
      if (name.substr(dot + 1, end - dot - 1).find_first_not_of("0123456789") ==
          std::string_view::npos) {
        members.insert(name.substr(0, end));
        break;
      }
      dot = end;
    }
  }
  return members;
}

/// Returns true if two sets of names are of networks of one kind and other sizes: tensors of the
/// same name differ in shape, or one has more members of a list, such as blocks, than the other.
bool areOfOtherSizes(const NamesBelow& some, const NamesBelow& others,
                     const HaveOneShape& haveOneShape) {
  for (const auto& [name, whole] : some) {
    const auto twin = others.find(name);
    if (twin == others.end()) continue;
    if (!haveOneShape(std::string(whole), std::string(twin->second))) return true;
  }
  const auto hasMore = [](const NamesBelow& larger, const NamesBelow& smaller) {
    const std::set<std::string_view> members = membersOfLists(smaller);
    std::set<std::string_view> lists;
    for (const std::string_view member : members) lists.insert(member.substr(0, member.rfind('.')));
    return std::ranges::any_of(membersOfLists(larger), [&](std::string_view member) {
      return lists.contains(member.substr(0, member.rfind('.'))) && !members.contains(member);
    });
  };
  return hasMore(some, others) || hasMore(others, some);
}

/// Returns how many of some names are among others.
std::size_t countTwins(const NamesBelow& some, const NamesBelow& others) {
  return static_cast<std::size_t>(
      std::ranges::count_if(some, [&](const auto& name) { return others.contains(name.first); }));
}

/// Finds the average of an encoder, which may stand behind wrappers' prefixes and beside heads.
NamedAverage momentumAverage(const std::vector<std::string_view>& names,
                             const HaveOneShape& haveOneShape) {
  for (const std::string_view wrapper : {"", "module.", "model.", "model.module."}) {
    for (const MomentumPair& pair : momentumPairs()) {
      const std::string average = std::string(wrapper) + std::string(pair.average);
      const NamesBelow averaged = namesBelow(names, average);
      if (averaged.empty()) continue;
      const NamesBelow trained =
          namesBelow(names, std::string(wrapper) + std::string(pair.trained));
      if (trained.empty() || 2 * countTwins(averaged, trained) <= averaged.size()) continue;
      if (areOfOtherSizes(averaged, trained, haveOneShape)) continue;
      return {.prefix = average, .isForTraining = !pair.isAverageEvaluated};
    }
  }
  return {};
}

/// Returns true if the names are of a distillation, whose teacher may be any network: a part beside
/// both networks says so.
bool areOfDistillation(const std::vector<std::string_view>& names) {
  const auto beginsWith = [&](std::string_view part) {
    return std::ranges::any_of(names,
                               [part](std::string_view name) { return isBelow(name, part); });
  };
  return beginsWith("teacher.") && beginsWith("student.") && beginsWith("distill");
}

}  // namespace

std::span<const MomentumPair> momentumPairs() {
  static constexpr MomentumPair pairs[] = {
      {"encoder_q.", "encoder_k."},           {"base_encoder.", "momentum_encoder."},
      {"online_encoder.", "target_encoder."}, {"online_network.", "target_network."},
      {"query_encoder.", "key_encoder."},     {"backbone.", "backbone_momentum."},
      {"encoder.", "target_encoder.", true},  {"encoder.", "encoder_momentum."},
      {"encoder.", "momentum_encoder."},      {"visual_encoder.", "visual_encoder_m."}};
  return pairs;
}

bool haveHeadOfOpenMmlab(const std::vector<std::string_view>& names) {
  const auto contain = [&](std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  };
  const auto isOfOther = [](std::string_view name) {
    constexpr std::string_view layers[] = {"head.layers.head.", "head.layers.pre_logits."};
    return name.starts_with("neck.") ||
           (name.starts_with("head.") && std::ranges::none_of(layers, [&](std::string_view layer) {
              return name.starts_with(layer);
            }));
  };
  return contain("head.layers.head.weight") && contain("backbone.cls_token") &&
         contain("backbone.layers.0.ln1.weight") && std::ranges::none_of(names, isOfOther);
}

std::string wrapperPrefix(std::vector<std::string_view> names) {
  constexpr int mostLayers = 8;
  std::string prefix;
  for (int layer = 0; layer < mostLayers && !names.empty(); ++layer) {
    const std::string_view part = outermostWrapper(names);
    if (part.empty()) break;
    std::erase_if(names, [part](std::string_view name) { return !isBelow(name, part); });
    for (std::string_view& name : names) name.remove_prefix(part.size());
    prefix += part;
  }
  return prefix;
}

NamedAverage namedAverage(const std::vector<std::string_view>& names,
                          const HaveOneShape& haveOneShape) {
  constexpr const char* teacher = "teacher.";
  if (areOfDistillation(names)) return {.prefix = teacher, .student = "student."};
  constexpr std::string_view averages[] = {"ema_model.", "model_ema.", "ema.", teacher};
  constexpr std::string_view trained[] = {"model.", "online_model.", "net.", "student."};
  for (const std::string_view average : averages) {
    const NamesBelow averaged = namesBelow(names, average);
    if (averaged.empty()) continue;
    for (const std::string_view beside : trained) {
      const NamesBelow others = namesBelow(names, beside);
      // Other tensors may stand beside both, such as a loss's.
      if (others.empty() || 2 * countTwins(others, averaged) <= others.size()) continue;
      if (!areOfOtherSizes(others, averaged, haveOneShape)) return {std::string(average)};
      if (average == teacher) return {.prefix = teacher, .student = std::string(beside)};
    }
  }
  for (const std::string_view average : ofAverages) {
    const NamesBelow averaged = namesBelow(names, average);
    if (averaged.empty()) continue;
    NamesBelow others;
    for (const std::string_view name : names) {
      if (!name.starts_with(average)) others.emplace(name, name);
    }
    const bool areCopies = 2 * countTwins(others, averaged) > others.size() &&
                           !areOfOtherSizes(others, averaged, haveOneShape);
    if (areCopies) return {std::string(average), true};
  }
  return momentumAverage(names, haveOneShape);
}

bool areAveraged(const std::vector<std::string_view>& names) {
  return !names.empty() && std::ranges::any_of(ofAverages, [&](std::string_view average) {
    return std::ranges::all_of(names, [&](std::string_view name) {
      return isBelow(name, average) || name == averageCounter;
    });
  });
}

std::vector<std::string> possiblePrefixes(const std::vector<std::string_view>& names) {
  constexpr int deepest = 4;
  std::map<std::string, std::size_t, std::less<>> counts;
  for (const std::string_view name : names) {
    std::size_t dot = name.find('.');
    for (int depth = 0; depth < deepest && dot != std::string_view::npos; ++depth) {
      ++counts[std::string(name.substr(0, dot + 1))];
      dot = name.find('.', dot + 1);
    }
  }
  std::vector<std::string> prefixes;
  // Fewer tensors than this do not make a network.
  constexpr std::size_t fewest = 8;
  for (const auto& [prefix, count] : counts) {
    if (count >= fewest) prefixes.push_back(prefix);
  }
  std::ranges::stable_sort(
      prefixes, [&](const std::string& a, const std::string& b) { return counts[a] > counts[b]; });
  constexpr std::size_t most = 64;
  prefixes.resize(std::min(prefixes.size(), most));
  return prefixes;
}

}  // namespace softscope
