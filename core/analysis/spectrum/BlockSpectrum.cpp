#include "core/analysis/spectrum/BlockSpectrum.h"

#include "core/attention/BlockMap.h"
#include "core/linalg/MatrixSpectrum.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
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

}  // namespace softscope
