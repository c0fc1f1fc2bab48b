#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace softscope {

/// Schemes that iterate towards the inverse of a bottleneck matrix A. Theorem 1 and SOFT's practice
/// are from "SOFT: Softmax-free Transformer with Linear Complexity", 2021, arXiv 2110.11945.
enum class InverseScheme {
  Soft,          ///< SOFT's code: on B = A + 0.01 I, from a B with a = 1.8 / (largest row sum)^2
  SoftNorm,      ///< SOFT++'s code: on A, a = 2 / (largest row sum of all heads)^2, halved at most
                 ///< 10 times until |I - a A A|_1 <= 1.01 in every head
  Theorem,       ///< SOFT's Theorem 1: on A, a = 2 / |A|_1^2
  Backtracking,  ///< SOFT's practice as the code has it: a = 2 b^n / |A|_1^2, b = 1/2, smallest n
                 ///< with |I - a A A|_1 <= 1
  PrintedBacktracking,  ///< SOFT's practice as the paper prints it, with one A: |I - a A|_1 <= 1
  Nystromformer,        ///< cubic, on A, from A^T / (|A|_1 |A|_inf)
};

/// One way of computing a mechanism, whose cost is measured.
struct MeasuredOperator {
  std::string_view name;   ///< the operator's name: `sima_quadratic`
  std::string_view title;  ///< title in print; empty if it is the mechanism's title
  /// True if its time grows with the square of the number of tokens.
  bool quadratic = false;
  /// Number of n x n matrices per head that are in memory as a whole at the same time.
  int wholeMatrices = 0;
  /// Number of further n x n matrices per layer that training keeps for the backward pass.
  int keptMatrices = 0;
  /// True if it is measured by default.
  bool usual = false;
};

/// An attention mechanism, described independently of its computation. A MechanismImplementation in
/// models/attention computes it.
struct Mechanism {
  /// The kind of bottleneck matrix A: a matrix among landmarks, through whose inverse all tokens
  /// attend.
  struct Bottleneck {
    enum class Kernel {
      Gaussian,  ///< symmetric, with ones on its diagonal
      Softmax,   ///< not symmetric; its rows sum to one
    };
    Kernel kernel = Kernel::Gaussian;
    /// The scheme with which the published code inverts A.
    InverseScheme inverse = InverseScheme::Soft;
    /// True if D^(-1/2) multiplies the inverse on both sides, where D holds the row sums of A.
    bool normalised = false;
    /// True if the landmarks are means of queries and of keys.
    bool pooledLandmarks = false;
  };
  /// Names of operators with the same products as this mechanism, the first in the order (Q K^T) V.
  struct Twins {
    std::string_view quadratic;
    std::string_view softmax;  ///< with a softmax between the products
  };

  /// The mechanism's name on the command line and in AttentionDescription: `soft++`.
  std::string_view name;
  /// Title in print.
  std::string_view title;
  /// Alternative name that is also accepted; empty for most mechanisms.
  std::string_view alias;
  /// Name of the mechanism that this is a variant of; empty for most mechanisms.
  std::string_view variantOf;
  /// True if rows and columns are channels rather than tokens.
  bool overChannels = false;
  /// True if each channel of queries and keys is divided by its norm over the tokens before they
  /// are multiplied. The channel's values are then at most 1 in magnitude, so no weight exceeds the
  /// number of a head's channels, AttentionDescription's parameter `D`.
  bool normalisesChannels = false;
  /// True if no published weights were trained with it. Its maps are counterfactual unless the file
  /// says that it was trained with this mechanism.
  bool neverTrained = false;
  /// True if a few columns stand for all tokens.
  bool hasLandmarks = false;
  /// True if its matrix is a product of two factors that are not its queries and keys, such as the
  /// weights with which tokens attend through a few others.
  bool hasOtherFactors = false;
  std::optional<Bottleneck> bottleneck;
  std::optional<Twins> twins;
  /// The ways of computing it whose cost can be measured; the first is the usual one.
  std::vector<MeasuredOperator> operators;

  /// True if the bottleneck approximates a softmax.
  bool approximatesSoftmax() const {
    return bottleneck && bottleneck->kernel == Bottleneck::Kernel::Softmax;
  }
};

/// All mechanisms, in the order in which they are listed.
const std::vector<Mechanism>& mechanisms();
/// Returns the mechanism with this name or alias, or null.
const Mechanism* findMechanism(std::string_view name);
/// Returns the mechanism with this name or alias. Throws InspectionError if there is none.
const Mechanism& mechanismNamed(std::string_view name);
/// Returns the mechanism with this name. For an unknown name, such as one that a recording gives to
/// its own attention, returns a mechanism without any traits.
const Mechanism& traitsOf(std::string_view name);
/// Returns the title of the mechanism with this name: `SOFT++`. For an unknown name, such as one
/// that a recording gives to its own attention, returns the name.
std::string titleOfMechanism(const std::string& name);
/// True if the landmarks of the mechanism with this name can be chosen, which holds for those with
/// a bottleneck matrix.
bool takesLandmarks(std::string_view name);
/// Lists the mechanisms with a bottleneck matrix: `SOFT, SOFT++ or Nyströmformer`.
std::string mechanismsWithBottleneck();

}  // namespace softscope
