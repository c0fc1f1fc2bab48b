#include "core/analysis/bottleneck/LandmarkErrors.h"

#include "core/attention/RowBlocks.h"
#include "core/linalg/MatrixSpectrum.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string_view>
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

}  // namespace

std::optional<double> RankBounds::of(const AttentionMap& exact, int head, int rank,
                                     const Progress& progress) {
  const AttentionDescription& description = exact.description();
  if (std::max(description.queries, description.keys) > mostDecomposedTokens) return std::nullopt;
  Matrix kernel(description.queries, description.keys);
  forEachRowBlock(exact, head, progress, [&](int first, const Matrix& rows) {
    kernel.middleRows(first, rows.rows()) = rows;
  });
  std::vector<double>& values = singularValues_[hashOf(kernel)];
  if (values.empty()) values = singularValues(kernel.cast<double>()).values;
  const auto kept = std::min(static_cast<std::ptrdiff_t>(rank), std::ssize(values));
  return norm(values.begin() + kept, values.end()) / norm(values.begin(), values.end());
}

std::vector<LandmarkError> measureLandmarks(const std::vector<AnalysedLayer>& layers,
                                            const std::vector<int>& heads,
                                            const std::string& landmarks, RankBounds& bounds,
                                            const Progress& progress) {
  std::vector<LandmarkError> errors;
  for (HeadApproximation& approximation : computeApproximations(layers, heads, progress)) {
    LandmarkError error{std::move(approximation), landmarks, std::nullopt};
    const HeadApproximation& measured = error.approximation;
    if (measured.obstacle.empty()) {
      const int count = measured.of.attention().landmarks.value_or(0);
      error.rankBound = bounds.of(measured.exact(), measured.head, count, progress);
    }
    errors.push_back(std::move(error));
  }
  return errors;
}

Table landmarkTable(const std::vector<LandmarkError>& errors) {
  Table table{{"model", "layer", "head", "landmarks", "count", "relative_error", "rank_bound"}, {}};
  for (const LandmarkError& error : errors) {
    const HeadApproximation& measured = error.approximation;
    if (!measured.obstacle.empty()) continue;
    table.add({measured.of.model, measured.of.layer().name,
               static_cast<std::int64_t>(measured.head), error.landmarks,
               static_cast<std::int64_t>(measured.of.attention().landmarks.value_or(0)),
               measured.errors.front().relativeFrobenius, cellOf(error.rankBound)});
  }
  return table;
}

}  // namespace softscope
