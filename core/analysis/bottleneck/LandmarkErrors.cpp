#include "core/analysis/bottleneck/LandmarkErrors.h"

#include "core/analysis/EntryRange.h"
#include "core/array/ComparedSentence.h"
#include "core/attention/RowBlocks.h"
#include "core/linalg/MatrixSpectrum.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace softscope {

namespace {

constexpr int mostDecomposedTokens = 2048;

double norm(std::vector<double>::const_iterator begin, std::vector<double>::const_iterator end) {
  double squares = 0;
  for (auto value = begin; value != end; ++value) squares += *value * *value;
  return std::sqrt(squares);
}

std::size_t hashOf(const Matrix& matrix) {
  const auto bytes = static_cast<std::size_t>(matrix.size()) * sizeof(float);
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(matrix.data()), bytes});
}

using HeadKey = std::tuple<std::string, std::string, int>;

HeadKey headKeyOf(const HeadApproximation& measured) {
  return {measured.of.model, measured.of.layer().name, measured.head};
}

/// Compares the choices of landmarks where all of them have as many in each head. Where their
/// numbers vary, those with the number that was trained stand for the choices, and without these
/// every number of each choice stands for itself.
std::string landmarkSentence(const std::vector<LandmarkError>& errors) {
  std::map<HeadKey, std::set<int>> counts;
  std::map<HeadKey, int> trained;
  std::set<std::string> choices;
  for (const LandmarkError& error : errors) {
    const HeadApproximation& measured = error.approximation;
    if (!measured.obstacle.empty()) continue;
    const HeadKey head = headKeyOf(measured);
    counts[head].insert(measured.landmarkCount());
    choices.insert(nameOf(measured.landmarks.source));
    if (measured.landmarks.isTrained()) trained.emplace(head, measured.landmarkCount());
  }
  const bool vary =
      std::ranges::any_of(counts, [](const auto& of) { return of.second.size() > 1; });
  const auto isAsTrained = [&trained](const HeadApproximation& measured) {
    const auto of = trained.find(headKeyOf(measured));
    return of != trained.end() && of->second == measured.landmarkCount();
  };
  std::map<std::string, std::set<HeadKey>> asTrained;
  for (const LandmarkError& error : errors) {
    const HeadApproximation& measured = error.approximation;
    if (!measured.obstacle.empty() || !isAsTrained(measured)) continue;
    asTrained[nameOf(measured.landmarks.source)].insert(headKeyOf(measured));
  }
  const bool allAsTrained = choices.size() > 1 && asTrained.size() == choices.size() &&
                            std::ranges::all_of(asTrained, [&counts](const auto& of) {
                              return of.second.size() == counts.size();
                            });
  Table compared{{"model", "layer", "head", "choice", "error"}, {}};
  for (const LandmarkError& error : errors) {
    const HeadApproximation& measured = error.approximation;
    if (!measured.obstacle.empty()) continue;
    if (vary && allAsTrained && !isAsTrained(measured)) continue;
    std::string choice = nameOf(measured.landmarks.source);
    if (vary && !allAsTrained) choice = std::to_string(measured.landmarkCount()) + " " + choice;
    compared.add({measured.of.model, measured.of.layer().name,
                  static_cast<std::int64_t>(measured.head), choice,
                  measured.errorWith(NystromForm::Middle::Released)->relativeFrobenius});
  }
  return comparedSentence(
      compared,
      {.quantity = vary && allAsTrained ? "the relative error with as many landmarks as trained"
                                        : "the relative error",
       .column = "error",
       .groups = "choice"});
}

}  // namespace

std::optional<double> ExactKernelValues::rankBound(int rank) const {
  if (singularValues.empty()) return std::nullopt;
  const auto kept = std::min(static_cast<std::ptrdiff_t>(rank), std::ssize(singularValues));
  return norm(singularValues.begin() + kept, singularValues.end()) /
         norm(singularValues.begin(), singularValues.end());
}

ExactKernelValues ExactKernels::of(const AttentionMap& exact, int head, const Progress& progress) {
  const AttentionDescription& description = exact.description();
  if (std::max(description.queries, description.keys) > mostDecomposedTokens) {
    return {entryRange(exact, head, progress).smallest, {}};
  }
  Matrix kernel(description.queries, description.keys);
  forEachRowBlock(exact, head, progress, [&](int first, const Matrix& rows) {
    kernel.middleRows(first, rows.rows()) = rows;
  });
  ExactKernelValues& values = values_[hashOf(kernel)];
  if (values.singularValues.empty()) {
    values = {kernel.minCoeff(), singularValues(kernel.cast<double>()).values};
  }
  return values;
}

std::vector<LandmarkError> measureLandmarks(const std::vector<AnalysedLayer>& layers,
                                            const std::vector<int>& heads,
                                            const LandmarkChoice& landmarks, ExactKernels& kernels,
                                            const Progress& progress) {
  std::vector<LandmarkError> errors;
  for (HeadApproximation& approximation :
       computeApproximations(layers, heads, landmarks, progress)) {
    LandmarkError error{std::move(approximation), {}};
    const HeadApproximation& measured = error.approximation;
    if (measured.obstacle.empty()) {
      error.exact = kernels.of(measured.exact(), measured.head, progress);
    }
    errors.push_back(std::move(error));
  }
  return errors;
}

Table landmarkTable(const std::vector<LandmarkError>& errors) {
  Table table{{"model", "layer", "head", "landmarks", "count", "relative_error", "rank_bound",
               "rescaled_error", "exact_relative_error", "exact_rescaled_error", "tokens",
               "smallest_entry", "largest_singular_value"},
              {}};
  for (const LandmarkError& error : errors) {
    const HeadApproximation& measured = error.approximation;
    if (!measured.obstacle.empty()) continue;
    const ApproximationError& released = *measured.errorWith(NystromForm::Middle::Released);
    const ApproximationError& exact = *measured.errorWith(NystromForm::Middle::Exact);
    const std::vector<double>& values = error.exact.singularValues;
    table.add({measured.of.model, measured.of.layer().name,
               static_cast<std::int64_t>(measured.head), nameOf(measured.landmarks.source),
               static_cast<std::int64_t>(measured.landmarkCount()), released.relativeFrobenius,
               cellOf(error.exact.rankBound(measured.landmarkCount())), released.rescaledFrobenius,
               exact.relativeFrobenius, exact.rescaledFrobenius,
               static_cast<std::int64_t>(measured.exact().description().queries),
               error.exact.smallestEntry,
               cellOf(values.empty() ? std::nullopt : std::optional(values.front()))});
  }
  table.sentence = landmarkSentence(errors);
  return table;
}

}  // namespace softscope
