#include "core/analysis/bottleneck/HeadApproximation.h"

#include "core/Error.h"

namespace softscope {
namespace {

std::string formName(const NystromForm& form) {
  return form.normalised ? "attention" : "nystrom";
}

void addNumber(NamedArrays& arrays, const std::string& name, double number) {
  arrays.emplace_back(name, FloatArray{{1}, {static_cast<float>(number)}});
}

void addErrors(NamedArrays& arrays, const HeadApproximation& approximation) {
  for (std::size_t i = 0; i < approximation.errors.size(); ++i) {
    const std::string name = headName(approximation.of, approximation.head) +
                             (approximation.forms[i].normalised ? ".attention" : ".approximation");
    addNumber(arrays, name + "_relative_frobenius", approximation.errors[i].relativeFrobenius);
    addNumber(arrays, name + "_largest", approximation.errors[i].largest);
  }
}

void addApproximatedRows(NamedArrays& arrays, const HeadApproximation& approximation,
                         const QueriedLayer& asked) {
  const std::vector<AttentionValues>& rows = asked.values;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string name = headName(approximation.of, approximation.head) + "." +
                             (i == 0 ? "exact" : formName(approximation.forms[i - 1])) + "." +
                             queryName(asked);
    arrays.emplace_back(name, FloatArray{{rows[i].grid.height, rows[i].grid.width},
                                         {rows[i].patches.begin(), rows[i].patches.end()}});
  }
}

}  // namespace

std::vector<HeadApproximation> approximationsOf(const std::vector<AnalysedLayer>& layers,
                                                const std::vector<int>& heads) {
  std::vector<HeadApproximation> approximations;
  for (const AnalysedLayer& of : layers) {
    try {
      exactKernelOf(of.layer());
      const std::vector<NystromForm> forms = nystromForms(of.layer());
      const std::vector<int> wanted = headsOrAll(of, heads);
      for (const int head : wanted) of.layer().attention->checkHead(head);
      for (const int head : wanted) approximations.push_back({of, head, forms, {}, {}});
    } catch (const InspectionError& error) {
      approximations.push_back({of, 0, {}, {}, error.what()});
    }
  }
  return approximations;
}

std::vector<HeadApproximation> computeApproximations(const std::vector<AnalysedLayer>& layers,
                                                     const std::vector<int>& heads,
                                                     const Progress& progress) {
  std::vector<HeadApproximation> approximations = approximationsOf(layers, heads);
  const auto count = static_cast<double>(approximations.size());
  for (std::size_t i = 0; i < approximations.size(); ++i) {
    HeadApproximation& approximation = approximations[i];
    const Progress part =
        progress.part(double(i) / count, double(i + 1) / count, approximation.of.layer().name);
    const auto forms = static_cast<double>(approximation.forms.size());
    for (std::size_t k = 0; k < approximation.forms.size(); ++k) {
      approximation.errors.push_back(
          approximationError(approximation.exact(), *approximation.forms[k].map, approximation.head,
                             part.part(double(k) / forms, double(k + 1) / forms, {})));
    }
  }
  return approximations;
}

QueriedLayer askApproximation(const HeadApproximation& approximation, const PictureQuery& query,
                              const PictureExtent& seen) {
  const int head = approximation.head;
  QueriedLayer asked =
      askLayer(approximation.of.layer(), seen, query, Direction::Rows, {.single = false});
  asked.values.push_back(
      attentionValues(approximation.exact(), head, asked.token, Direction::Rows));
  for (const NystromForm& form : approximation.forms) {
    asked.values.push_back(attentionValues(*form.map, head, asked.token, Direction::Rows));
  }
  return asked;
}

NamedArrays approximationArrays(const std::vector<HeadApproximation>& approximations,
                                const std::vector<PictureQuery>& queries, const Picture* picture) {
  NamedArrays arrays;
  for (const HeadApproximation& approximation : approximations) {
    if (!approximation.obstacle.empty()) continue;
    addErrors(arrays, approximation);
    const PictureExtent seen = extentOf(picture, approximation.of.region);
    for (const PictureQuery& query : queries) {
      addApproximatedRows(arrays, approximation, askApproximation(approximation, query, seen));
    }
  }
  return arrays;
}

}  // namespace softscope
