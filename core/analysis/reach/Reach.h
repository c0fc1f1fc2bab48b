#pragma once

#include "core/Progress.h"
#include "core/attention/TokenGrid.h"
#include "core/model/InputTransform.h"
#include "core/model/Model.h"

#include <Eigen/Core>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// How the influence of a pixel I_p on the token x of C channels behind a block is measured.
enum class ReachGradient {
  /// The squared Frobenius norm of the Jacobian, Σ_k Σ_c (∂x_k/∂I_cp)^2 over the token's channels k
  /// and the picture's channels c.
  Jacobian,
  /// The influence as published code draws it, Σ_c (∂/∂I_cp Σ_k (x_k)+)+, where (.)+ keeps positive
  /// parts, of the token and of the gradient ("Scaling Up Your Kernels to 31x31: Revisiting Large
  /// Kernel Design in CNNs", 2022, arXiv 2203.06717, Section 4.4).
  PositiveSum,
};

/// The kind of input whose influence on a token is measured.
enum class ReachSource {
  Pixels,  ///< the picture's
  /// The tokens before the block: those behind the block before it.
  Tokens,
};

/// Where the token that is reached stands.
enum class ReachedToken {
  BehindBlock,      ///< behind the whole block, with the residual stream
  BehindAttention,  ///< what the attention module adds to the residual stream, projection included
};

/// Asks which pixels or tokens reach one token behind the blocks of some attention layers.
struct ReachRequest {
  /// Attention layers, whose blocks' tokens are asked about.
  std::vector<std::string> layers;
  /// The place of the token, as fractions of what the tokens' grid covers, from the left and the
  /// top.
  double x = 0.5;
  double y = 0.5;
  /// Index of a token before the patches to ask about instead, in blocks that have a token with
  /// this index.
  std::optional<int> prefixToken = {};
  ReachGradient of = ReachGradient::Jacobian;
  ReachSource from = ReachSource::Pixels;
  ReachedToken behind = ReachedToken::BehindBlock;
  /// Number of backward passes for a Jacobian, each along one of a set of random orthonormal
  /// directions. With as many passes as the token has channels, the norms are exact; fewer passes
  /// give an unbiased estimate of their squares.
  int directions = 12;
};

/// The influence of every pixel of the input, or of every token before a block, on one token.
struct Reach {
  std::string layer;
  ReachSource from = ReachSource::Pixels;
  /// How the patches behind the block lie on the picture.
  TokenGrid grid;
  /// The patch that was asked about, from 0; empty for a token before the patches.
  std::optional<int> patch;
  /// The token, counted with those before the patches.
  int token = 0;
  int prefixTokens = 0;
  /// Number of the token's channels, and of directions that were followed.
  int channels = 0;
  int directions = 0;
  /// Size of the input in pixels, or of the grid of patches before the block, and the influence of
  /// each pixel or patch, row-major: [height * width].
  int height = 0;
  int width = 0;
  Eigen::VectorXd pixels;
  /// The influence of the tokens before those patches; empty for pixels.
  Eigen::VectorXd prefix;
  /// The part of the input that the grid covers, in the input's pixels, which may lie partly beyond
  /// it; empty if that is all of it, and where the source is tokens.
  std::optional<PictureRegion> seen = {};
  /// The reason why the influences could not be computed; empty if they were.
  std::string obstacle;
};

/// A function that returns the reach behind each layer of the request, in that order, such as
/// measureReach().
using ReachMeasurer = std::function<std::vector<Reach>(const Model&, const InputTensor&,
                                                       const ReachRequest&, const Progress&)>;

/// Returns the smallest radius, in pixels or in patches before the block, of a circle around the
/// centre of the token's patch that holds the share of the influence of all pixels; a pixel is
/// inside if its centre is. Empty for a token that is no patch, or if nothing reaches it.
std::optional<double> reachRadius(const Reach& reach, double share = 0.5);

/// Returns the share of all influence that a token before the block has on itself behind it; empty
/// for pixels, and where the block before has another grid.
std::optional<double> ownShare(const Reach& reach);

/// Returns the radius of a circle around the same place that holds the share of all pixels, as if
/// all had the same influence.
std::optional<double> uniformRadius(const Reach& reach, double share = 0.5);

/// Enters the token that a request asks about, of tokens that begin with `prefixTokens` before the
/// patches, which lie on `grid`. Throws InspectionError if there is no such token.
void chooseToken(Reach& reach, const TokenGrid& grid, int prefixTokens,
                 const ReachRequest& request);

}  // namespace softscope
