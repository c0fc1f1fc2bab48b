#include "models/identify/Adapters.h"

#include "models/identify/OtherNetworks.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace softscope {

namespace {

/// How adapters of a kind can be made one with the weights that they adapt.
enum class Merging {
  ByPeft,
  ByHand,  ///< factors and offsets that the products beside them can take in
  None,    ///< networks of their own
};

/// A kind of adapters, by parts of names: any of `parts` tells it.
struct AdapterKind {
  std::string_view name;
  std::vector<std::string_view> parts;
  Merging merging = Merging::ByPeft;
  /// True if people call parts of their own networks so.
  bool isCommon = false;
};

const std::vector<AdapterKind>& adapterKinds() {
  static const std::vector<AdapterKind> kinds{
      {"LoRA adapters",
       {".lora_A", ".lora_B", ".lora_down.", ".lora_up.", ".lora_embedding_", ".linear_a_q.",
        ".linear_b_q.", ".w_lora_", ".lora_a.", ".lora_b."}},
      {"LoHa adapters", {".hada_w1_", ".hada_w2_"}},
      {"LoKr adapters", {".lokr_w1", ".lokr_w2"}},
      {"IA3 factors", {".ia3_l"}},
      {"BOFT adapters", {".boft_R", ".boft_s"}},
      {"OFT adapters", {".oft_r", ".oft_R", ".oft_s"}},
      {"VeRA adapters", {".vera_lambda_", ".vera_A", ".vera_B"}},
      {"FourierFT adapters", {".fourierft_spectrum"}},
      {"SSF factors", {"ssf_scale", "ssf_shift"}, Merging::ByHand},
      {"adapters", {".adapter.", ".adapters.", ".adaptmlp."}, Merging::None, true},
  };
  return kinds;
}

bool isOf(const std::string& name, const AdapterKind& kind) {
  return std::ranges::any_of(
      kind.parts, [&](std::string_view part) { return name.find(part) != std::string::npos; });
}

bool hasAdapters(const StateDict& state) {
  return std::ranges::any_of(state.entries(), [](const StateDict::Entry& entry) {
    return std::ranges::any_of(adapterKinds(), [&](const AdapterKind& kind) {
      return !kind.isCommon && isOf(entry.name, kind);
    });
  });
}

std::string advice(Merging merging) {
  switch (merging) {
    case Merging::ByPeft:
      return " beside the weights that they change; merge them (merge_and_unload() of peft) and "
             "save the state_dict() of what that returns";
    case Merging::ByHand:
      return " beside the weights that they change; multiply them into the weights and biases in "
             "front of them, and save the state_dict() without them";
    case Merging::None:
      break;
  }
  return ", which Softscope does not compute; " + recordingAdvice();
}

/// Returns a name without the words of wrappers that stand in it as whole parts.
std::string withoutWords(std::string name, const std::vector<std::string_view>& words) {
  // Each word takes the time of a whole name, and no network's names are longer.
  constexpr std::size_t longestName = 4096;
  if (name.size() > longestName) return name;
  for (const std::string_view word : words) {
    for (std::size_t at = name.find(word); at != std::string::npos; at = name.find(word, at)) {
      if (at == 0 || name[at - 1] == '.') {
        name.erase(at, word.size());
      } else {
        at += word.size();
      }
    }
  }
  return name;
}

}  // namespace

std::string adapterText(const StateDict& state, bool isOwnNameEnough) {
  for (const AdapterKind& kind : adapterKinds()) {
    if (kind.isCommon && !isOwnNameEnough) continue;
    const auto adapters = std::ranges::count_if(
        state.entries(), [&](const StateDict::Entry& entry) { return isOf(entry.name, kind); });
    if (adapters == 0) continue;
    const std::string name(kind.name);
    // A file of adapters alone may still hold the network's head.
    const auto others = std::ssize(state.entries()) - adapters;
    const bool hasBase = std::ranges::any_of(state.entries(), [](const StateDict::Entry& entry) {
      return entry.name.find(".base_layer.") != std::string::npos;
    });
    constexpr std::ptrdiff_t fewestOfNetwork = 8;
    if (hasBase || others >= std::max(fewestOfNetwork, adapters / 2)) {
      return "a network with " + name + advice(kind.merging);
    }
    return "a set of " + name +
           ", which change the weights of another network and are none themselves" +
           (kind.merging == Merging::ByPeft
                ? "; merge them into it (merge_and_unload() of peft) and save its state_dict()"
                : "; save the whole network's state_dict()");
  }
  return {};
}

std::string partOfPeftText(const StateDict& state, const std::string& prefix) {
  constexpr std::string_view ofPeft = "base_model.model.";
  // A network has more tensors.
  constexpr std::size_t most = 8;
  if (state.size() > most) return {};
  const bool isPeft =
      !state.empty() && std::ranges::all_of(state.entries(), [&](const auto& entry) {
        return (prefix + entry.name).starts_with(ofPeft);
      });
  if (!isPeft) return {};
  return "what PEFT saved of a network, without the network itself (its names begin with "
         "base_model.model.); load it into the network, call merge_and_unload() and save the "
         "state_dict() of what that returns";
}

StateDict withoutWrappersWords(const StateDict& state) {
  std::vector<std::string_view> words{"_orig_mod.", "_checkpoint_wrapped_module.",
                                      "_fsdp_wrapped_module.", "_forward_module."};
  if (!hasAdapters(state)) words.emplace_back("base_layer.");
  const auto hasWord = [&](const StateDict::Entry& entry) {
    return std::ranges::any_of(
        words, [&](std::string_view word) { return entry.name.find(word) != std::string::npos; });
  };
  if (std::ranges::none_of(state.entries(), hasWord)) return state;
  StateDict plain;
  for (const StateDict::Entry& entry : state.entries()) {
    std::string name = withoutWords(entry.name, words);
    if (name.empty() || plain.contains(name)) return state;
    plain.insert(std::move(name), entry.tensor);
  }
  return plain;
}

}  // namespace softscope
