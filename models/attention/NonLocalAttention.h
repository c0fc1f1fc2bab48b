#pragma once

#include "core/network/Recorder.h"

#include <torch/types.h>

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// The comparison of the embeddings theta(x_i) of queries and phi(x_j) of keys in a non-local
/// block. All forms have the same parameters. Wang et al. is "Non-local Neural Networks", 2017,
/// arXiv 1711.07971; Cho et al. is "Rethinking Efficacy of Softmax for Lightweight Non-local Neural
/// Networks", 2022, arXiv 2207.13423.
struct NonLocalMechanism {
  /// Normalisation of the products theta(x_i) . phi(x_j), for C' channels per head and N positions.
  enum class Normalisation {
    Softmax,  ///< `nonlocal`: softmax over keys, Cho et al.'s "NL"
    Scaled,   ///< `nonlocal_scaled`: divided by sqrt(C' N), their Eq. 3
    Dot,      ///< `nonlocal_dot`: divided by N, Wang et al.'s dot product
  };
  /// The part of the embeddings that is used.
  enum class Part {
    Whole,
    Magnitude,  ///< `_magnitude`: their norms, Cho et al.'s Eq. 4
    Direction,  ///< `_direction`: the unit vectors along them, Eq. 5
  };

  Normalisation normalisation = Normalisation::Softmax;
  Part part = Part::Whole;

  bool operator==(const NonLocalMechanism&) const = default;
};

/// Returns the names on the command line, from `nonlocal` to `nonlocal_dot_direction`.
const std::vector<std::string>& nonLocalMechanisms();
/// Returns the name of a mechanism, such as `nonlocal_scaled_magnitude`.
std::string mechanismName(const NonLocalMechanism& mechanism);
/// Returns the mechanism with this name, or nothing.
std::optional<NonLocalMechanism> nonLocalMechanism(const std::string& name);

/// Computes A g from theta, phi and g [B, heads, n, C'], where A is the attention of the mechanism.
/// Softmax is recorded as a kernel map, the others as the factors that compute them. `softmaxScale`
/// multiplies the products under a softmax; the other mechanisms have scales of their own.
/// `description` holds everything but sizes and mechanism.
torch::Tensor nonLocalAttention(const torch::Tensor& theta, const torch::Tensor& phi,
                                const torch::Tensor& g, const NonLocalMechanism& mechanism,
                                double softmaxScale, const std::string& layer,
                                AttentionDescription description, Recorder* recorder);

}  // namespace softscope
