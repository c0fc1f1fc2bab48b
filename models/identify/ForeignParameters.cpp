#include "models/identify/ForeignParameters.h"

#include "core/text/FileText.h"
#include "core/text/NamePattern.h"
#include "core/text/Words.h"
#include "models/identify/Parameters.h"

#include <algorithm>
#include <iterator>

namespace softscope {

namespace {

/// Entries that training and its tools leave in the state dict of any network.
const std::vector<std::string> trainingLeftovers{
    "*num_batches_tracked",  // counter of a batch norm, which inference does not use
    "*total_ops",           "*total_params",  // thop's counts of operations and parameters
    "n_averaged",  // number of weights that stochastic weight averaging has averaged
    "optimizer*",           "ema.*",         "ema_model.*", "model_ema.*",
};

bool matchesAny(const std::string& name, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matchesPattern(name, pattern); });
}

}  // namespace

std::vector<std::string> foreignParameters(const std::vector<std::string>& unexpected,
                                           const std::vector<std::string>& harmless) {
  std::vector<std::string> foreign;
  std::copy_if(unexpected.begin(), unexpected.end(), std::back_inserter(foreign),
               [&](const std::string& name) {
                 return !matchesAny(name, trainingLeftovers) && !matchesAny(name, harmless);
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

}  // namespace softscope
