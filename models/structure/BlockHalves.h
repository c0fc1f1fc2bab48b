#pragma once

#include "models/structure/BlockStructure.h"

#include <string>
#include <vector>

namespace softscope {

/// The block that vectors are of.
struct BlockOfVectors {
  std::string path;  ///< for messages
  bool isOrdered = true;
};

/// Tells which of a block's norms belongs to the attention and which to the mlp, whose matrices are
/// called `mlp`. Throws ModelError if there are too many, or if nothing tells.
void readNorms(const std::vector<TensorUnit>& norms, const std::vector<std::string>& mlp,
               const BlockOfVectors& block, BlockStructure& read);

/// Tells which of a block's layer scales belongs to the attention and which to the mlp. Throws like
/// readNorms().
void readLayerScales(const std::vector<TensorUnit>& scales, const std::vector<std::string>& mlp,
                     const BlockOfVectors& block, BlockStructure& read);

/// Returns true if the name of a vector says that it gates: code may pass it through a sigmoid or a
/// tanh before anything is multiplied by it, which no weight shows.
bool saysGateOfVector(const TensorUnit& vector);

/// Returns false if the name of a vector in a block says that it is something else than a layer
/// scale.
bool mayBeLayerScale(const TensorUnit& vector);

/// Takes out the vectors that stand where norms without biases do: each is a numbered module of its
/// own in front of one with matrices, as in a list of norms, attention and mlps. `units` are all of
/// the block. Throws ModelError for a vector that may as well be a layer scale.
std::vector<TensorUnit> takeLoneNorms(std::vector<TensorUnit>& vectors,
                                      const std::vector<TensorUnit>& units,
                                      const std::string& block);

/// Returns true if a norm stands in the mlp's Sequential, which holds no matrix of the attention,
/// with a lower number than its products.
bool isFirstInSequential(const TensorUnit& norm, const TensorUnit& expand,
                         const AttentionStructure& attention);

}  // namespace softscope
