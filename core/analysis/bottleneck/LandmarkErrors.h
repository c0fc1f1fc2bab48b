#pragma once

#include "core/analysis/bottleneck/HeadApproximation.h"
#include "core/array/Table.h"

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace softscope {

/// What a head's exact kernel is like.
struct ExactKernelValues {
  double smallestEntry = 0;
  /// Largest first; those of a Gaussian kernel are its eigenvalues. None above 2048 tokens.
  std::vector<double> singularValues;

  /// |S - S_m| / |S|, Frobenius norms: the error of the best matrix of rank m, by the singular
  /// values of S beyond the m-th (Eckart and Young, "The approximation of one matrix by another of
  /// lower rank", 1936). Nothing where there are no singular values.
  std::optional<double> rankBound(int rank) const;
};

/// Kernels and their values, remembered: the kernel of a network as it was trained is the same
/// whatever landmarks stand for it.
class ExactKernels {
 public:
  /// Decomposes the whole matrix of a head in float64, up to 2048 tokens. May throw Cancelled
  /// before that.
  ExactKernelValues of(const AttentionMap& exact, int head, const Progress& progress = {});

 private:
  /// By the hash of all entries.
  std::map<std::size_t, ExactKernelValues> values_;
};

/// A head with one choice of landmarks: how far its Nystrom form is from the exact kernel, and how
/// far every matrix of that rank is at least.
struct LandmarkError {
  HeadApproximation approximation;
  ExactKernelValues exact;
};

/// Of `heads` of each layer, all where none are named, with a choice of landmarks as
/// computeApproximations() has it. Layers that approximate nothing keep their obstacle. May throw
/// Cancelled.
std::vector<LandmarkError> measureLandmarks(const std::vector<AnalysedLayer>& layers,
                                            const std::vector<int>& heads,
                                            const LandmarkChoice& landmarks, ExactKernels& kernels,
                                            const Progress& progress = {});

/// `model, layer, head, landmarks, count, relative_error, rank_bound, rescaled_error,
/// exact_relative_error, exact_rescaled_error, tokens, smallest_entry, largest_singular_value`, a
/// row for each that has no obstacle. Errors are those of P V P^T (K1 Z K3) with the released
/// inverse, without SOFT++'s normalisation, and, `exact_`, with the pseudo-inverse of A; the last
/// two are of the exact kernel.
Table landmarkTable(const std::vector<LandmarkError>& errors);

}  // namespace softscope
