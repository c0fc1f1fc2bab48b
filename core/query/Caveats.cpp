#include "core/query/Caveats.h"

#include "core/analysis/AnalysedLayer.h"
#include "core/attention/Mechanism.h"
#include "core/query/Proportion.h"
#include "core/text/Words.h"

#include <algorithm>
#include <utility>

namespace softscope {

std::string windowText(const AttentionValues& values) {
  if (values.outside.empty()) return {};
  const auto inside = std::count(values.outside.begin(), values.outside.end(), false);
  return "within a window of " + std::to_string(inside) + (inside == 1 ? " patch" : " patches");
}

std::string paddingText(const AttentionDescription& attention, const AttentionValues& values,
                        Direction direction) {
  const bool isShare = !values.outside.empty() && direction == Direction::Rows &&
                       values.head != AttentionValues::largestOfHeads &&
                       traitsOf(attention.mechanism).variantOf == "softmax";
  if (!isShare) return {};
  const double onTokens = values.patches.cast<double>().sum() + values.prefix.cast<double>().sum();
  constexpr double rounding = 1e-4;
  if (1 - onTokens < rounding) return {};
  return fixedText(100 * (1 - onTokens), 1) + " % on padding";
}

namespace {

/// Returns the names of the heads: `head 0`, `heads 0, 2`, `mean`, `heads 0, 2, mean`.
std::string whoseText(const std::vector<int>& heads) {
  std::string text;
  const auto single = std::count_if(heads.begin(), heads.end(), [](int head) { return head >= 0; });
  if (single > 0) text = single == 1 ? "head " : "heads ";
  for (const int head : heads) {
    if (head != heads.front()) text += ", ";
    text += head == AttentionValues::meanOfHeads      ? "mean"
            : head == AttentionValues::largestOfHeads ? "largest"
                                                      : std::to_string(head);
  }
  return text;
}

void addNamedCaveats(std::vector<std::string>& texts, const std::string& name,
                     const QueriedLayer& asked, const std::vector<AttentionValues>& values) {
  for (const AttentionValues& shown : values) {
    for (const std::string& caveat : caveatsOf(asked, shown)) {
      texts.push_back(arrayName(name, shown.head) + ": " + caveat);
    }
  }
}

}  // namespace

std::string notFiniteText(const AttentionValues& values) {
  const auto finite = [](const Vector& some) { return some.array().isFinite().count(); };
  const Vector patches = values.inside();
  const Eigen::Index all = patches.size() + values.prefix.size();
  const Eigen::Index lacking = all - finite(patches) - finite(values.prefix);
  if (lacking == 0) return {};
  return std::to_string(lacking) + " of " + std::to_string(all) + " values not finite";
}

std::vector<std::string> caveatsOf(const QueriedLayer& asked, const AttentionValues& values) {
  std::vector<std::string> caveats;
  const auto add = [&](std::string text) {
    if (!text.empty()) caveats.push_back(std::move(text));
  };
  add(notFiniteText(values));
  const auto head = static_cast<std::size_t>(values.head);
  // Likeness was measured between rows, so it says nothing about columns.
  const bool compared = asked.likeness && asked.direction == Direction::Rows && values.head >= 0;
  if (compared && head < asked.likeness->size()) add(sameAnswerText((*asked.likeness)[head]));
  if (values.onPicture) add(evennessText(values.inside()));
  add(windowText(values));
  add(paddingText(asked.attention(), values, asked.direction));
  return caveats;
}

std::vector<std::string> captionCaveats(const QueriedLayer& asked,
                                        const std::vector<AttentionValues>& values) {
  std::vector<std::pair<std::string, std::vector<int>>> whose;
  for (const AttentionValues& shown : values) {
    if (repeatsOnlyHead(asked, shown)) continue;
    for (const std::string& caveat : caveatsOf(asked, shown)) {
      auto known = std::find_if(whose.begin(), whose.end(),
                                [&](const auto& other) { return other.first == caveat; });
      if (known == whose.end()) known = whose.insert(whose.end(), {caveat, {}});
      known->second.push_back(shown.head);
    }
  }
  std::vector<std::string> texts;
  for (const auto& [caveat, heads] : whose) texts.push_back(whoseText(heads) + ": " + caveat);
  return texts;
}

std::vector<std::string> answerCaveats(const std::vector<QueriedLayer>& answers) {
  std::vector<std::string> texts;
  for (const QueriedLayer& asked : answers) {
    addNamedCaveats(texts, layerName(*asked.layer) + "." + queryName(asked), asked, asked.values);
  }
  return texts;
}

std::vector<std::string> answerCaveats(const std::vector<ComparedAnswer>& answers) {
  std::vector<std::string> texts;
  for (const ComparedAnswer& answer : answers) {
    // A difference is not the answer of a head.
    if (!answer.isDifference) addNamedCaveats(texts, answer.name, answer.asked, answer.values);
  }
  return texts;
}

}  // namespace softscope
