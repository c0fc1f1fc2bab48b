#include "models/identify/Reparametrisation.h"

#include "core/text/FileText.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace softscope {

namespace {

constexpr std::string_view parametrisations = "parametrizations.";

/// Tensors that a weight is computed from, and the weight.
struct Computed {
  torch::Tensor weight;
  std::vector<std::string> parts;
};

/// Returns the file's real numbers under a name in full precision, or an undefined tensor.
torch::Tensor numbersOf(const StateDict& state, const std::string& name) {
  const torch::Tensor* found = state.find(name);
  if (found == nullptr || found->is_complex()) return {};
  return found->detach().to(torch::kFloat32);
}

bool areDefined(std::initializer_list<torch::Tensor> tensors) {
  return std::ranges::all_of(tensors, [](const torch::Tensor& one) { return one.defined(); });
}

/// Returns `direction`, scaled so that the norms over the dimensions in which `lengths` has one
/// number are `lengths`: PyTorch's weight norm, of a whole tensor or along one dimension.
torch::Tensor normedWeight(const torch::Tensor& lengths, const torch::Tensor& direction) {
  if (!lengths.is_floating_point()) return {};
  if (lengths.dim() == 0) return direction * (lengths / direction.norm());
  if (lengths.dim() != direction.dim()) return {};
  std::vector<std::int64_t> summed;
  int kept = 0;
  for (std::int64_t i = 0; i < direction.dim(); ++i) {
    if (lengths.size(i) == 1) {
      summed.push_back(i);
    } else if (lengths.size(i) != direction.size(i) || ++kept > 1) {
      return {};
    }
  }
  if (summed.empty()) return {};
  const torch::Tensor norms = direction.square().sum(summed, true).sqrt();
  return direction * (lengths / norms);
}

/// Returns a weight divided by its largest singular value, as two vectors that were iterated in
/// training give it.
torch::Tensor spectralWeight(const torch::Tensor& weight, const torch::Tensor& left,
                             const torch::Tensor& right) {
  if (weight.dim() < 2 || left.dim() != 1 || right.dim() != 1) return {};
  // Transposed convolutions are flattened along their second dimension.
  for (const std::int64_t first : {0, 1}) {
    const std::int64_t rows = weight.size(first);
    if (rows == 0 || left.numel() != rows || right.numel() != weight.numel() / rows) continue;
    const torch::Tensor matrix = weight.movedim(first, 0).reshape({rows, -1});
    return weight / torch::dot(left, torch::mv(matrix, right));
  }
  return {};
}

/// Returns the weight that older hooks compute: they add an ending to its name.
std::optional<Computed> computedByHook(const StateDict& state, const std::string& weight) {
  const auto part = [&](const char* ending) { return numbersOf(state, weight + ending); };
  const torch::Tensor original = part("_orig");
  const torch::Tensor mask = part("_mask");
  const torch::Tensor left = part("_u");
  const torch::Tensor direction = part("_v");
  const torch::Tensor lengths = part("_g");
  if (areDefined({original, mask}) && !left.defined() && original.sizes() == mask.sizes()) {
    return Computed{original * mask, {weight + "_orig", weight + "_mask"}};
  }
  if (areDefined({original, left, direction}) && !mask.defined()) {
    return Computed{spectralWeight(original, left, direction),
                    {weight + "_orig", weight + "_u", weight + "_v"}};
  }
  if (areDefined({lengths, direction}) && !original.defined()) {
    return Computed{normedWeight(lengths, direction), {weight + "_g", weight + "_v"}};
  }
  return std::nullopt;
}

/// Returns the weight that torch.nn.utils.parametrize computes for a module at `path`, whose
/// parametrisation has the tensors `names`.
std::optional<Computed> computedByParametrisation(const StateDict& state, const std::string& place,
                                                  const std::set<std::string>& names) {
  const auto part = [&](const char* name) { return numbersOf(state, place + name); };
  const auto consistsOf = [&](std::initializer_list<const char*> parts) {
    return names.size() == parts.size() &&
           std::ranges::all_of(parts, [&](const char* name) { return names.contains(name); });
  };
  Computed computed;
  for (const std::string& name : names) computed.parts.push_back(place + name);
  if (consistsOf({"original0", "original1"})) {
    computed.weight = normedWeight(part("original0"), part("original1"));
    return computed;
  }
  if (consistsOf({"original", "0._u", "0._v"})) {
    computed.weight = spectralWeight(part("original"), part("0._u"), part("0._v"));
    return computed;
  }
  return std::nullopt;
}

/// Tensors of parametrisations, by the names of the weights: `blocks.0.attn.qkv.weight`.
using Parametrised = std::map<std::string, std::set<std::string>>;

/// Returns the beginning of the names of a weight's parametrisation.
std::string placeOf(const std::string& weight) {
  const std::size_t dot = weight.rfind('.');
  const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
  return weight.substr(0, begin) + std::string(parametrisations) + weight.substr(begin) + ".";
}

Parametrised parametrisedWeights(const StateDict& state) {
  Parametrised found;
  for (const StateDict::Entry& entry : state.entries()) {
    const std::size_t at = entry.name.find(parametrisations);
    if (at == std::string::npos || (at > 0 && entry.name[at - 1] != '.')) continue;
    const std::size_t begin = at + parametrisations.size();
    const std::size_t end = entry.name.find('.', begin);
    if (end == std::string::npos) continue;
    const std::string weight = entry.name.substr(0, at) + entry.name.substr(begin, end - begin);
    found[weight].insert(entry.name.substr(end + 1));
  }
  return found;
}

/// Returns names whose ending a hook has added, without it.
std::set<std::string> hookedWeights(const StateDict& state) {
  std::set<std::string> weights;
  for (const StateDict::Entry& entry : state.entries()) {
    for (const std::string_view ending : {"_orig", "_g"}) {
      if (!entry.name.ends_with(ending)) continue;
      const std::string weight = entry.name.substr(0, entry.name.size() - ending.size());
      const std::string_view last = std::string_view(weight).substr(weight.rfind('.') + 1);
      const bool isWeight = last.ends_with("weight") || last.ends_with("bias");
      if (isWeight && !state.contains(weight)) weights.insert(weight);
    }
  }
  return weights;
}

}  // namespace

StateDict withComputedWeights(const StateDict& state) {
  // The weight to put in place of each first part; other parts are left out.
  std::map<std::string, std::pair<std::string, torch::Tensor>> places;
  std::set<std::string> leftOut;
  const auto take = [&](const std::string& weight, const std::optional<Computed>& computed) {
    if (!computed || !computed->weight.defined() || state.contains(weight)) return;
    places[computed->parts.front()] = {weight, computed->weight};
    leftOut.insert(computed->parts.begin(), computed->parts.end());
  };
  for (const std::string& weight : hookedWeights(state))
    take(weight, computedByHook(state, weight));
  for (const auto& [weight, names] : parametrisedWeights(state)) {
    take(weight, computedByParametrisation(state, placeOf(weight), names));
  }
  if (places.empty()) return state;
  StateDict computed;
  for (const StateDict::Entry& entry : state.entries()) {
    if (const auto place = places.find(entry.name); place != places.end()) {
      computed.insert(place->second.first, place->second.second);
    } else if (!leftOut.contains(entry.name)) {
      computed.insert(entry.name, entry.tensor);
    }
  }
  return computed;
}

std::string parametrisedText(const StateDict& state) {
  const Parametrised weights = parametrisedWeights(state);
  if (weights.empty()) return {};
  const auto& [weight, names] = *weights.begin();
  return "its weights are parametrised (first " + quotedText(placeOf(weight) + *names.begin()) +
         "), and no tensor tells the function that makes weights of what the file holds; call "
         "torch.nn.utils.parametrize.remove_parametrizations(module, \"weight\") for each such "
         "module, and save the state_dict() again";
}

}  // namespace softscope
