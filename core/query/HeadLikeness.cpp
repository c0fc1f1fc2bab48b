#include "core/query/HeadLikeness.h"

#include "core/analysis/LineScore.h"
#include "core/query/AnswerLikeness.h"
#include "core/query/Proportion.h"

namespace softscope {

bool canCompareAnswers(const AttentionDescription& attention) {
  constexpr double mostEntries = 2e7;
  return attention.queries >= 2 &&
         double(attention.queries) * attention.keys * attention.heads <= mostEntries;
}

std::vector<HeadLikeness> headLikeness(const AttentionMap& map, const Progress& progress) {
  std::vector<HeadLikeness> heads;
  for (int head = 0; head < map.description().heads; ++head) {
    heads.push_back({lineScores(map, head, progress).raw, answerLikeness(map, head, progress)});
  }
  return heads;
}

std::string sameAnswerText(const HeadLikeness& likeness) {
  if (likeness.lineScore.value_or(0) >= sameForEveryQuery) return "almost the same for every query";
  if (likeness.rows.value_or(0) >= sameForEveryQuery) return "same pattern for every query";
  return {};
}

}  // namespace softscope
