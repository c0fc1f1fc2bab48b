#include "models/identify/Parameters.h"

#include "core/network/NetworkModule.h"
#include "core/text/FileText.h"
#include "core/text/Names.h"
#include "core/text/Words.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace softscope {

namespace {

/// Entries that training and its tools leave in the state dict of any network.
const std::vector<std::string> trainingLeftovers{
    "*num_batches_tracked",  // counter of a batch norm, which inference does not use
    "*total_ops",           "*total_params",  // thop's counts of operations and parameters
    "n_averaged",  // number of weights that stochastic weight averaging has averaged
    "optimizer.*",
};

/// Beginnings of the names that an average of the network's weights has beside them.
constexpr std::string_view placesOfAverages[] = {"ema.", "ema_model.", "model_ema."};
/// Numbers that the classes of such averages count and decide with.
constexpr std::string_view numbersOfAverages[] = {"decay", "num_updates", "n_averaged", "step",
                                                  "steps", "updates",     "initted"};

/// Finds the names of averages: those of the network behind a prefix. Lightning's LitEma leaves the
/// dots out. A module that computes may be called `ema`, too, and has few names of the network's.
class NamesOfAverages {
 public:
  NamesOfAverages(const StateDict& state, const std::vector<std::string>& unexpected) {
    for (const StateDict::Entry& entry : state.entries()) {
      if (!placeOf(entry.name).empty()) continue;
      own_.insert(entry.name);
      own_.insert(withoutDots(entry.name));
    }
    std::map<std::string_view, std::pair<std::size_t, std::size_t>> counts;
    for (const std::string& name : unexpected) {
      const std::string_view place = placeOf(name);
      if (place.empty()) continue;
      auto& [twins, all] = counts[place];
      ++all;
      twins += isTwin(std::string_view(name).substr(place.size()));
    }
    for (const auto& [place, count] : counts) {
      if (2 * count.first > count.second) places_.insert(place);
    }
  }

  bool contain(std::string_view name) const {
    const std::string_view place = placeOf(name);
    return places_.contains(place) && isTwin(name.substr(place.size()));
  }

 private:
  static std::string_view placeOf(std::string_view name) {
    const auto* const place = std::ranges::find_if(
        placesOfAverages, [&](std::string_view one) { return name.starts_with(one); });
    return place == std::end(placesOfAverages) ? std::string_view() : *place;
  }

  static std::string withoutDots(std::string name) {
    std::erase(name, '.');
    return name;
  }

  /// Returns true for one of the network's own names, or a number of the average's.
  bool isTwin(std::string_view name) const {
    if (std::ranges::find(numbersOfAverages, name) != std::end(numbersOfAverages)) return true;
    // The search takes quadratic time, and no network's names are longer.
    constexpr std::size_t longestName = 512;
    if (name.size() > longestName) return false;
    // In front may stand a prefix that the network's own names have lost.
    while (!own_.contains(std::string(name))) {
      const std::size_t dot = name.find('.');
      if (dot == std::string_view::npos) return endsLikeOwn(name);
      name.remove_prefix(dot + 1);
    }
    return true;
  }

  /// Returns true for a name without dots that ends like one of the network's.
  bool endsLikeOwn(std::string_view name) const {
    for (std::size_t at = 1; at < name.size(); ++at) {
      if (own_.contains(std::string(name.substr(at)))) return true;
    }
    return false;
  }

  std::set<std::string> own_;
  std::set<std::string_view> places_;
};

bool matchesAny(const std::string& name, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matchesPattern(name, pattern); });
}

constexpr std::string_view batchCounter = "num_batches_tracked";

bool isBatchCounter(std::string_view name) {
  return name.size() >= batchCounter.size() &&
         name.substr(name.size() - batchCounter.size()) == batchCounter;
}

}  // namespace

std::vector<std::string> foreignParameters(const std::vector<std::string>& unexpected,
                                           const std::vector<std::string>& harmless,
                                           const StateDict& state) {
  const NamesOfAverages averages(state, unexpected);
  std::vector<std::string> foreign;
  std::copy_if(unexpected.begin(), unexpected.end(), std::back_inserter(foreign),
               [&](const std::string& name) {
                 return !matchesAny(name, trainingLeftovers) && !matchesAny(name, harmless) &&
                        !averages.contain(name);
               });
  return foreign;
}

std::string foreignText(const ModelSummary& summary) {
  std::vector<std::string> names;
  for (const std::string& name : summary.foreign) names.push_back(quotedText(name));
  return "has " + countedText(std::ssize(names), "parameter") + " that " + summary.family +
         " does not have: " + firstOf(names);
}

void describeBeside(ModelSummary& summary) {
  if (summary.beside.empty()) return;
  std::vector<std::string> names;
  for (const std::string& name : summary.beside) names.push_back(quotedText(name));
  summary.reason += " Beside the network the file has " +
                    countedText(std::ssize(names), "parameter") +
                    " of something that is not computed: " + firstOf(names) + ".";
}

void describeForeign(ModelSummary& summary) {
  if (summary.foreign.empty()) return;
  summary.counterfactual = true;
  summary.reason += " But it " + foreignText(summary) + ". It is another network, or damaged.";
}

std::string shapeText(at::IntArrayRef shape) {
  return "[" + listText(shape) + "]";
}

std::string firstOf(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(shown, names.size()); ++i) {
    text += (i == 0 ? "" : "; ") + names[i];
  }
  if (names.size() > shown) text += "; and " + std::to_string(names.size() - shown) + " more";
  return text;
}

ParameterMatch matchParameters(const torch::nn::Module& network, const StateDict& state) {
  ParameterMatch match;
  std::set<std::string> expected;
  forEachTensor(network, [&](const std::string& name, const torch::Tensor& tensor) {
    expected.insert(name);
    const torch::Tensor* found = state.find(name);
    if (found == nullptr) {
      if (!isBatchCounter(name)) match.missing.push_back(name);
    } else if (!isBatchCounter(name) && found->sizes() != tensor.sizes()) {
      match.wrongShape.push_back(name + " is " + shapeText(found->sizes()) + ", expected " +
                                 shapeText(tensor.sizes()));
    }
  });
  for (const StateDict::Entry& entry : state.entries()) {
    if (expected.count(entry.name) == 0) match.unexpected.push_back(entry.name);
  }
  return match;
}

void loadParameters(torch::nn::Module& network, const StateDict& state,
                    const torch::Device& device) {
  const torch::NoGradGuard noGradient;
  forEachTensor(network, [&](const std::string& name, torch::Tensor tensor) {
    const torch::Tensor* source = state.find(name);
    if (source == nullptr || isBatchCounter(name)) {
      tensor.set_data(tensor.to(device));
    } else {
      tensor.set_data(source->detach().to(device, torch::kFloat32).contiguous());
    }
    tensor.set_requires_grad(false);
  });
}

std::int64_t countParameters(const torch::nn::Module& network) {
  std::int64_t count = 0;
  for (const torch::Tensor& parameter : network.parameters()) count += parameter.numel();
  return count;
}

}  // namespace softscope
