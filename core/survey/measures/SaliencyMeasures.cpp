#include "core/analysis/SaliencyAnalysis.h"
#include "core/survey/measures/MeasureGroups.h"

#include <algorithm>
#include <functional>

namespace softscope {

namespace {

/// Returns the share of the ceil(n / 10) patches with the largest l1 norms in the sum of all
/// patches' l1 norms.
std::optional<double> topTenthShare(const std::optional<Saliency>& saliency, int head) {
  const auto index = static_cast<std::size_t>(head);
  if (!saliency || index >= saliency->heads.size()) return std::nullopt;
  const Vector& norms = saliency->heads[index].norms;
  std::vector<double> sorted(norms.begin(), norms.end());
  std::ranges::sort(sorted, std::greater<>());
  const std::size_t tenth = (sorted.size() + 9) / 10;
  double top = 0;
  double all = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    all += sorted[i];
    if (i < tenth) top += sorted[i];
  }
  if (!(all > 0)) return std::nullopt;
  return top / all;
}

}  // namespace

std::vector<Measure> saliencyMeasures() {
  const std::string paper = "SimA: Simple Softmax-free Attention for Vision Transformers, 2022";
  return {
      {.name = "query_concentration",
       .title = "Queries' l1 norm in a tenth of the patches",
       .unit = "share of the sum",
       .source = paper,
       .value =
           [](const HeadPass& head) {
             return topTenthShare(querySaliency(head.of.layer), head.head);
           }},
      {.name = "key_concentration",
       .title = "Keys' l1 norm in a tenth of the patches",
       .unit = "share of the sum",
       .source = paper,
       .value =
           [](const HeadPass& head) {
             return topTenthShare(keySaliency(head.of.layer), head.head);
           }},
  };
}

}  // namespace softscope
