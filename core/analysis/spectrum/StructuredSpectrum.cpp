#include "core/analysis/spectrum/StructuredSpectrum.h"

#include "core/Error.h"
#include "core/Progress.h"
#include "core/attention/BlockMap.h"
#include "core/attention/MatrixStack.h"
#include "core/linalg/Decompositions.h"
#include "core/linalg/MatrixSpectrum.h"

#include <Eigen/Core>

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace softscope {

namespace {

/// One block without its padding.
struct Window {
  Eigen::MatrixXd matrix;
  std::vector<int> queries;
  std::vector<int> keys;
};

/// Returns the places of indices that are no padding, in the order of the indices.
std::vector<int> sortedPlaces(const int* indices, int count) {
  std::vector<int> places;
  for (int i = 0; i < count; ++i) {
    if (indices[i] >= 0) places.push_back(i);
  }
  std::sort(places.begin(), places.end(), [&](int a, int b) { return indices[a] < indices[b]; });
  return places;
}

std::vector<int> indicesAt(const int* indices, const std::vector<int>& places) {
  std::vector<int> found;
  for (const int place : places) found.push_back(indices[place]);
  return found;
}

Window windowOf(const BlockMap& map, int head, int index) {
  const BlockMap::Blocks& blocks = map.blocks();
  const std::ptrdiff_t firstRow = std::ptrdiff_t{index} * map.blockRows();
  const int* rows = blocks.rows.data() + firstRow;
  const int* columns = blocks.columns.data() + std::ptrdiff_t{index} * map.blockColumns();
  const std::vector<int> rowPlaces = sortedPlaces(rows, map.blockRows());
  const std::vector<int> columnPlaces = sortedPlaces(columns, map.blockColumns());
  const auto whole = blocks.values[head].middleRows(firstRow, map.blockRows());
  return {whole(rowPlaces, columnPlaces).cast<double>(), indicesAt(rows, rowPlaces),
          indicesAt(columns, columnPlaces)};
}

/// Returns the map as one of blocks that can be sorted to make it block-diagonal; null for others.
const BlockMap* disjointBlocks(const AttentionMap& map) {
  const auto* blocks = dynamic_cast<const BlockMap*>(&map);
  return blocks != nullptr && blocks->hasDisjointKeys() ? blocks : nullptr;
}

/// Records that all values of all blocks were found, and how.
void describeBlocks(const BlockMap& map, SpectrumValues& values) {
  values.wanted = static_cast<int>(values.values.size());
  values.all = true;
  values.method = "dense, " + std::to_string(map.blocks().count) + " windows of " +
                  std::to_string(map.blockRows()) + " x " + std::to_string(map.blockColumns()) +
                  ", float64";
}

/// Sorts eigenvalues of several blocks, with the largest magnitude first.
void sortByMagnitude(Eigenvalues& found) {
  std::vector<std::size_t> order(found.values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return found.values[a] > found.values[b]; });
  const Eigenvalues unsorted = found;
  for (std::size_t i = 0; i < order.size(); ++i) {
    found.values[i] = unsorted.values[order[i]];
    found.realParts[i] = unsorted.realParts[order[i]];
  }
}

/// Returns X^T X in float64, [columns, columns], computed from strips of rows so that X is never
/// copied as a whole. Products of float32 numbers are exact in float64; only their sum is rounded.
Eigen::MatrixXd gramMatrix(const MatrixStack::View& matrix, const Progress& progress = {});

/// Returns X^T Y of two matrices with equally many rows, computed like gramMatrix().
Eigen::MatrixXd crossProduct(const MatrixStack::View& x, const MatrixStack::View& y,
                             const Progress& progress = {});

constexpr Eigen::Index stripRows = 256;

Eigen::MatrixXd gramMatrix(const MatrixStack::View& matrix, const Progress& progress) {
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(matrix.cols(), matrix.cols());
  for (Eigen::Index first = 0; first < matrix.rows(); first += stripRows) {
    progress.throwIfCancelled();
    const Eigen::Index rows = std::min(stripRows, matrix.rows() - first);
    const Eigen::MatrixXd strip = matrix.middleRows(first, rows).cast<double>();
    gram.selfadjointView<Eigen::Lower>().rankUpdate(strip.transpose());
  }
  gram.triangularView<Eigen::StrictlyUpper>() = gram.transpose();
  return gram;
}

Eigen::MatrixXd crossProduct(const MatrixStack::View& x, const MatrixStack::View& y,
                             const Progress& progress) {
  assert(x.rows() == y.rows());
  Eigen::MatrixXd product = Eigen::MatrixXd::Zero(x.cols(), y.cols());
  for (Eigen::Index first = 0; first < x.rows(); first += stripRows) {
    progress.throwIfCancelled();
    const Eigen::Index rows = std::min(stripRows, x.rows() - first);
    const Eigen::MatrixXd strip = x.middleRows(first, rows).cast<double>();
    product.noalias() += strip.transpose() * y.middleRows(first, rows).cast<double>();
  }
  return product;
}

Eigen::MatrixXd middleMatrix(const FactoredMap& map, int head) {
  if (map.middle().empty()) {
    return Eigen::MatrixXd::Identity(map.left().columns(), map.left().columns());
  }
  return map.middle()[head].cast<double>();
}

/// Returns the whole matrix, for maps with fewer tokens than their factors have columns.
Eigen::MatrixXd wholeProduct(const FactoredMap& map, int head) {
  return map.left()[head].cast<double>() * middleMatrix(map, head) *
         map.right()[head].cast<double>().transpose();
}

/// Returns a small symmetric matrix with the non-zero eigenvalues of L M L^T.
Eigen::MatrixXd symmetricReduction(const MatrixStack::View& left, const Eigen::MatrixXd& middle,
                                   const Progress& progress) {
  const Eigen::MatrixXd symmetric = symmetricPart(middle);
  if (!symmetric.allFinite()) {
    throw InspectionError("the attention has entries that are not finite, so it has no spectrum");
  }
  const auto [values, vectors] = decomposeSymmetric(symmetric);
  constexpr double rounding = 1e-14;
  if (values.minCoeff() >= -rounding * values.cwiseAbs().maxCoeff()) {
    // The eigenvalues of (L W)^T (L W) carry no more rounding than L and M themselves, and a Gram
    // matrix takes a quarter of a QR form's time.
    const Eigen::MatrixXd root = vectors * values.cwiseMax(0).cwiseSqrt().asDiagonal();
    return root.transpose() * gramMatrix(left, progress) * root;
  }
  const Eigen::MatrixXd factor = triangularFactor(left, progress);
  return factor * symmetric * factor.transpose();
}

/// Adds to the caption's description that the values were found from the factors.
template <typename Values>
Values fromFactors(Values values) {
  values.method += ", from the factors";
  return values;
}

}  // namespace

std::optional<SpectrumValues> blockSingularValues(const AttentionMap& map, int head,
                                                  int denseTokens, const Progress& progress) {
  const BlockMap* blocks = disjointBlocks(map);
  if (blocks == nullptr) return std::nullopt;
  if (std::min(blocks->blockRows(), blocks->blockColumns()) > denseTokens) return std::nullopt;
  SpectrumValues found;
  for (int index = 0; index < blocks->blocks().count; ++index) {
    progress.throwIfCancelled();
    const Window window = windowOf(*blocks, head, index);
    if (window.matrix.size() == 0) continue;
    const SpectrumValues own = singularValues(window.matrix);
    found.values.insert(found.values.end(), own.values.begin(), own.values.end());
  }
  std::sort(found.values.begin(), found.values.end(), std::greater<>());
  describeBlocks(*blocks, found);
  return found;
}

std::optional<Eigenvalues> blockEigenvalues(const AttentionMap& map, int head,
                                            const SpectrumOptions& options,
                                            const Progress& progress) {
  const BlockMap* blocks = disjointBlocks(map);
  if (blocks == nullptr || blocks->blockRows() > options.denseEigenvalueTokens) {
    return std::nullopt;
  }
  Eigenvalues found;
  found.symmetric = true;
  for (int index = 0; index < blocks->blocks().count; ++index) {
    progress.throwIfCancelled();
    const Window window = windowOf(*blocks, head, index);
    if (window.queries != window.keys) return std::nullopt;
    if (window.matrix.size() == 0) continue;
    const Eigenvalues own =
        matrixEigenvalues(window.matrix, options.denseEigenvalueTokens, options.largest, progress);
    if (!own.all || !own.converged()) return std::nullopt;
    found.values.insert(found.values.end(), own.values.begin(), own.values.end());
    found.realParts.insert(found.realParts.end(), own.realParts.begin(), own.realParts.end());
    found.symmetric = found.symmetric && own.symmetric;
    found.rounding = std::max(found.rounding, own.rounding);
  }
  sortByMagnitude(found);
  describeBlocks(*blocks, found);
  return found;
}

Eigenvalues symmetricFactoredEigenvalues(const FactoredMap& map, int head,
                                         const Progress& progress) {
  const bool wide = map.left().columns() > map.left().rows();
  const Eigen::MatrixXd reduced =
      wide ? wholeProduct(map, head)
           : symmetricReduction(map.left()[head], middleMatrix(map, head), progress);
  return fromFactors(symmetricPartEigenvalues(reduced));
}

SpectrumValues factoredSingularValues(const FactoredMap& map, int head, const Progress& progress) {
  const Eigen::MatrixXd left = triangularFactor(map.left()[head], progress);
  const Eigen::MatrixXd right = triangularFactor(map.right()[head], progress);
  return fromFactors(singularValues(left * middleMatrix(map, head) * right.transpose()));
}

Eigenvalues factoredEigenvalues(const FactoredMap& map, int head, const SpectrumOptions& options,
                                const Progress& progress) {
  const bool wide = map.left().columns() > map.left().rows();
  const Eigen::MatrixXd reduced =
      wide ? wholeProduct(map, head)
           : Eigen::MatrixXd(middleMatrix(map, head) *
                             crossProduct(map.right()[head], map.left()[head], progress));
  return fromFactors(
      matrixEigenvalues(reduced, options.denseEigenvalueTokens, options.largest, progress));
}

}  // namespace softscope
