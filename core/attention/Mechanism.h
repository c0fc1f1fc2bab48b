#pragma once

#include "core/attention/InverseScheme.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace softscope {

/// A way of computing a mechanism, as it is measured.
struct MeasuredOperator {
  std::string_view name;   ///< `sima_quadratic`
  std::string_view title;  ///< in print; empty where it is the mechanism's
  /// Its time grows with the square of the tokens.
  bool quadratic = false;
  /// n x n matrices of each head that are whole in memory at once.
  int wholeMatrices = 0;
  /// Those beside them that a training keeps of each layer for its backward pass.
  int keptMatrices = 0;
  /// Measured where nothing else is asked for.
  bool usual = false;
};

/// An attention mechanism as all of Softscope knows it. What computes it is a
/// MechanismImplementation in models/attention.
struct Mechanism {
  /// A bottleneck matrix A among landmarks, through whose inverse all tokens attend.
  struct Bottleneck {
    enum class Kernel {
      Gaussian,  ///< symmetric, with ones on its diagonal
      Softmax,   ///< not symmetric; its rows sum to one
    };
    Kernel kernel = Kernel::Gaussian;
    /// How the published code inverts A.
    InverseScheme inverse = InverseScheme::Soft;
    /// D^(-1/2) stands on both sides of the inverse, D the row sums of A.
    bool normalised = false;
    /// Its landmarks are means of queries and of keys.
    bool pooledLandmarks = false;
  };
  /// Operators of the same products as this one's, the first in the order (Q K^T) V.
  struct Twins {
    std::string_view quadratic;
    std::string_view softmax;  ///< with a softmax between the products
  };

  /// On the command line and in AttentionDescription.
  std::string_view name;
  /// In print.
  std::string_view title;
  /// Another name by which it may be asked for; empty for most.
  std::string_view alias;
  /// The mechanism that this is a variant of; empty for most.
  std::string_view variantOf;
  /// Rows and columns are channels, not tokens.
  bool overChannels = false;
  /// Each channel of queries and keys is divided by its norm over the tokens before they are
  /// multiplied. The channel's values then are at most 1 in magnitude, and so no weight is larger
  /// than the number of a head's channels, AttentionDescription's parameter `D`.
  bool normalisesChannels = false;
  /// No published weights were trained with it: it is there to be looked at, and a counterfactual
  /// unless the file says that it was trained with it.
  bool neverTrained = false;
  /// Few columns stand for all tokens.
  bool hasLandmarks = false;
  std::optional<Bottleneck> bottleneck;
  std::optional<Twins> twins;
  /// The ways in which its cost can be measured; the first is the usual one.
  std::vector<MeasuredOperator> operators;

  /// Whether what its bottleneck approximates is a softmax.
  bool approximatesSoftmax() const {
    return bottleneck && bottleneck->kernel == Bottleneck::Kernel::Softmax;
  }
};

/// All of them, in the order in which they are listed.
const std::vector<Mechanism>& mechanisms();
/// The mechanism of that name or alias, or null.
const Mechanism* findMechanism(std::string_view name);
/// The mechanism of that name or alias. Throws InspectionError if there is none.
const Mechanism& mechanismNamed(std::string_view name);
/// The mechanism of that name, or, for a name that a recording gives its own attention, one that
/// nothing is known of.
const Mechanism& traitsOf(std::string_view name);
/// Whether the mechanism of that name is one whose landmarks can be chosen: those with a bottleneck
/// matrix.
bool takesLandmarks(std::string_view name);
/// `SOFT, SOFT++ or Nyströmformer`: those with a bottleneck matrix.
std::string mechanismsWithBottleneck();

}  // namespace softscope
