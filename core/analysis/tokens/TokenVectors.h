#pragma once

#include "core/Matrix.h"
#include "core/analysis/tokens/TokenMap.h"

#include <string>
#include <vector>

namespace softscope {

/// A vector that the tokens of patches are compared with, such as CLIP's of a text.
struct TokenVector {
  /// `cat.npy`, or `row 2 of words.npy` of a file with several.
  std::string name;
  /// Scaled to length 1.
  Vector direction;
};

/// Reads .npy files of one vector [channels] or of several [count, channels] each, of float16,
/// float32 or float64. Throws FileError for anything else, for numbers that are not finite, for
/// vectors of zeros, which have no direction, for vectors of different lengths, and for more than
/// mostTokenVectors, whose values are not read.
std::vector<TokenVector> readTokenVectors(const std::vector<std::string>& paths);

/// Returns the patches' tokens, or those of any block, behind the final norm and projection that
/// the network applies to its class token: [n, width].
Matrix featuresOf(const FeatureSpace& space, const Matrix& tokens);

/// Returns for each layer a map of the cosines of its patches to each vector. Throws
/// InspectionError if a vector does not fit a layer, with the lengths that do, or if it fits both
/// its tokens and its features and `compared` does not choose.
std::vector<TokenMap> vectorMaps(const std::vector<AnalysedTokens>& layers,
                                 const std::vector<TokenVector>& vectors, ComparedTokens compared);

/// Returns a line for each model and vector that tells readers of the arrays what the vector was
/// compared with.
std::vector<std::string> vectorNotes(const std::vector<TokenMap>& maps);

}  // namespace softscope
