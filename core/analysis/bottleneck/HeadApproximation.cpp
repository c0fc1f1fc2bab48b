#include "core/analysis/bottleneck/HeadApproximation.h"

#include "core/Error.h"
#include "core/analysis/bottleneck/Landmarks.h"
#include "core/array/ComparedSentence.h"
#include "core/attention/LandmarkTokens.h"
#include "core/attention/RowBlocks.h"

#include <algorithm>
#include <cmath>

namespace softscope {

ApproximationError approximationError(const AttentionMap& exact, const AttentionMap& approximation,
                                      int head, const Progress& progress) {
  const int queries = exact.description().queries;
  const int keys = exact.description().keys;
  if (queries != approximation.description().queries || keys != approximation.description().keys) {
    throw InspectionError("attention maps of different sizes cannot be compared entry by entry");
  }
  ApproximationError error;
  double differenceSquares = 0;
  double squares = 0;
  double approximationSquares = 0;
  double product = 0;
  forEachRowBlock(exact, head, progress, [&](int first, const Matrix& rows) {
    progress.report(static_cast<double>(first) / queries, "Comparing with the exact kernel");
    const int count = static_cast<int>(rows.rows());
    const Eigen::MatrixXd expected = rows.cast<double>();
    const Eigen::MatrixXd actual = approximation.block(head, first, 0, count, keys).cast<double>();
    const Eigen::MatrixXd difference = actual - expected;
    approximationSquares += actual.squaredNorm();
    product += actual.cwiseProduct(difference).sum();
    differenceSquares += difference.squaredNorm();
    squares += expected.squaredNorm();
    Eigen::Index row = 0;
    Eigen::Index column = 0;
    const double largest = difference.cwiseAbs().maxCoeff(&row, &column);
    if (largest > error.largest) {
      error.largest = largest;
      error.query = first + static_cast<int>(row);
      error.key = static_cast<int>(column);
    }
  });
  error.relativeFrobenius = std::sqrt(differenceSquares / squares);
  // |S' - S|^2 less its part along S', which a scale factor can remove.
  const double along = approximationSquares > 0 ? product * product / approximationSquares : 0;
  const double rest = approximationSquares > 0 ? std::max(0.0, differenceSquares - along) : squares;
  error.rescaledFrobenius = std::sqrt(rest / squares);
  return error;
}

namespace {

/// Prefixes of the names of a form's rows and errors.
struct FormNames {
  const char* row;
  const char* error;
};

FormNames namesOf(const NystromForm& form) {
  switch (form.middle) {
    case NystromForm::Middle::Normalised:
      return {"attention", "attention"};
    case NystromForm::Middle::Exact:
      return {"exact_inverse", "exact_inverse"};
    case NystromForm::Middle::Released:
      break;
  }
  return {"nystrom", "approximation"};
}

void addNumber(NamedArrays& arrays, const std::string& name, double number) {
  arrays.emplace_back(name, FloatArray{{1}, {static_cast<float>(number)}});
}

void addErrors(NamedArrays& arrays, const HeadApproximation& approximation) {
  for (std::size_t i = 0; i < approximation.errors.size(); ++i) {
    const ApproximationError& error = approximation.errors[i];
    const std::string name = headName(approximation.of, approximation.head) + "." +
                             namesOf(approximation.forms[i]).error;
    addNumber(arrays, name + "_relative_frobenius", error.relativeFrobenius);
    addNumber(arrays, name + "_rescaled_frobenius", error.rescaledFrobenius);
    addNumber(arrays, name + "_largest", error.largest);
  }
}

void addApproximatedRows(NamedArrays& arrays, const HeadApproximation& approximation,
                         const QueriedLayer& asked) {
  const std::vector<AttentionValues>& rows = asked.values;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string name = headName(approximation.of, approximation.head) + "." +
                             (i == 0 ? "exact" : namesOf(approximation.forms[i - 1]).row) + "." +
                             queryName(asked);
    arrays.emplace_back(name, FloatArray{{rows[i].grid.height, rows[i].grid.width},
                                         {rows[i].patches.begin(), rows[i].patches.end()}});
  }
}

/// Returns the landmarks that a choice selects in place of those that a layer ran with.
LandmarkTokens chosenInstead(const LayerInspection& layer, const LandmarkChoice& landmarks) {
  const AttentionDescription& description = layer.attention->description();
  const auto places = landmarkPlaces(description);
  if (!places) {
    throw InspectionError("the landmarks of layer " + layer.name +
                          " have no places, so that others cannot stand in theirs");
  }
  LandmarkTokens own{{}, description.landmarkGrid};
  for (const LandmarkPlace& place : *places) own.groups.push_back(place.patches);
  return chosenTokens(landmarks, *description.queryGrid, own, layer.name);
}

/// Forms with the layer's own landmarks are quick; `complete` adds the slow ones.
std::vector<NystromForm> formsOf(const LayerInspection& layer, const LandmarkChoice& landmarks,
                                 bool complete) {
  exactKernelOf(layer);
  std::vector<NystromForm> forms = nystromForms(layer);
  if (!landmarks.isTrained()) return nystromFormsWith(layer, chosenInstead(layer, landmarks));
  if (complete) forms.push_back(exactNystromForm(layer));
  return forms;
}

std::vector<HeadApproximation> approximationsWith(const std::vector<AnalysedLayer>& layers,
                                                  const std::vector<int>& heads,
                                                  const LandmarkChoice& landmarks, bool complete,
                                                  const Progress& progress) {
  std::vector<HeadApproximation> approximations;
  for (const AnalysedLayer& of : layers) {
    progress.throwIfCancelled();
    try {
      const std::vector<int> wanted = headsOrAll(of, heads);
      for (const int head : wanted) of.layer().attention->checkHead(head);
      const std::vector<NystromForm> forms = formsOf(of.layer(), landmarks, complete);
      for (const int head : wanted) approximations.push_back({of, head, forms, {}, {}, landmarks});
    } catch (const InspectionError& error) {
      approximations.push_back({of, 0, {}, {}, error.what(), landmarks});
    }
  }
  return approximations;
}

std::string approximationSentence(const std::vector<HeadApproximation>& approximations) {
  Table errors{{"model", "layer", "head", "error"}, {}};
  for (const HeadApproximation& approximation : approximations) {
    if (!approximation.obstacle.empty()) continue;
    const ApproximationError* error = approximation.errorWith(NystromForm::Middle::Released);
    if (error == nullptr) continue;
    errors.add({approximation.of.model, approximation.of.layer().name,
                static_cast<std::int64_t>(approximation.head), error->relativeFrobenius});
  }
  return comparedSentence(
      errors, {.quantity = "the approximation's relative Frobenius error", .column = "error"});
}

}  // namespace

const ApproximationError* HeadApproximation::errorWith(NystromForm::Middle middle) const {
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (forms[i].middle == middle) return &errors[i];
  }
  return nullptr;
}

std::vector<HeadApproximation> approximationsOf(const std::vector<AnalysedLayer>& layers,
                                                const std::vector<int>& heads) {
  return approximationsWith(layers, heads, {}, false, {});
}

std::vector<AnalysedLayer> approximatedLayers(
    const std::vector<HeadApproximation>& approximations) {
  std::vector<AnalysedLayer> layers;
  for (const AnalysedLayer& layer : definedLayers(approximations)) {
    if (layers.empty() || !(layers.back() == layer)) layers.push_back(layer);
  }
  return layers;
}

std::vector<HeadApproximation> computeApproximations(const std::vector<AnalysedLayer>& layers,
                                                     const std::vector<int>& heads,
                                                     const LandmarkChoice& landmarks,
                                                     const Progress& progress) {
  std::vector<HeadApproximation> approximations =
      approximationsWith(layers, heads, landmarks, true, progress);
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
  arrays.sentence = approximationSentence(approximations);
  return arrays;
}

}  // namespace softscope
