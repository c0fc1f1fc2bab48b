#pragma once

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// How a non-local block compares the embeddings theta(x_i) of queries and phi(x_j) of keys. All
/// forms have the same parameters. Wang et al. is "Non-local Neural Networks", 2017, arXiv
/// 1711.07971; Cho et al. is "Rethinking Efficacy of Softmax for Lightweight Non-local Neural
/// Networks", 2022, arXiv 2207.13423.
struct NonLocalMechanism {
  /// What becomes of the products theta(x_i) . phi(x_j), with C' channels a head and N positions.
  enum class Normalisation {
    Softmax,  ///< `nonlocal`: softmax over keys, Cho et al.'s "NL"
    Scaled,   ///< `nonlocal_scaled`: divided by sqrt(C' N), their Eq. 3
    Dot,      ///< `nonlocal_dot`: divided by N, Wang et al.'s dot product
  };
  /// What of the embeddings is used.
  enum class Part {
    Whole,
    Magnitude,  ///< `_magnitude`: their norms, Cho et al.'s Eq. 4
    Direction,  ///< `_direction`: the unit vectors along them, Eq. 5
  };

  Normalisation normalisation = Normalisation::Softmax;
  Part part = Part::Whole;

  bool operator==(const NonLocalMechanism&) const = default;
};

/// The names on the command line: `nonlocal` first, `nonlocal_dot_direction` last.
const std::vector<std::string>& nonLocalMechanisms();
/// `nonlocal_scaled_magnitude`
std::string mechanismName(const NonLocalMechanism& mechanism);
/// The mechanism of that name, or nothing.
std::optional<NonLocalMechanism> nonLocalMechanism(const std::string& name);

}  // namespace softscope
