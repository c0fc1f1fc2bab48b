#pragma once

#include "core/analysis/bottleneck/HeadApproximation.h"
#include "core/array/Table.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// A head with one choice of landmarks: how far its Nystrom form is from the exact kernel, and how
/// far every matrix of that rank is at least.
struct LandmarkError {
  HeadApproximation approximation;
  /// `trained`, `pooled`, ...
  std::string landmarks;
  /// See RankBounds.
  std::optional<double> rankBound;
};

/// |S - S_m| / |S|, Frobenius norms: the error of the best matrix of rank m, by the singular values
/// of S beyond the m-th, which for a Gaussian kernel are its eigenvalues (Eckart and Young, "The
/// approximation of one matrix by another of lower rank", 1936). Remembers the values of kernels it
/// has met: those of the first layer are the same whatever the landmarks.
class RankBounds {
 public:
  /// Decomposes the whole matrix of a head in float64; nothing above 2048 tokens. May throw
  /// Cancelled before that.
  std::optional<double> of(const AttentionMap& exact, int head, int rank,
                           const Progress& progress = {});

 private:
  /// By the hash of all entries.
  std::map<std::size_t, std::vector<double>> singularValues_;
};

/// Of `heads` of each layer, all where none are named, run with the landmarks of that name. Layers
/// that approximate nothing keep their obstacle. May throw Cancelled.
std::vector<LandmarkError> measureLandmarks(const std::vector<AnalysedLayer>& layers,
                                            const std::vector<int>& heads,
                                            const std::string& landmarks, RankBounds& bounds,
                                            const Progress& progress = {});

/// `model, layer, head, landmarks, count, relative_error, rank_bound`, a row for each that has no
/// obstacle. The error is that of P V P^T (K1 Z K3), without SOFT++'s normalisation.
Table landmarkTable(const std::vector<LandmarkError>& errors);

}  // namespace softscope
