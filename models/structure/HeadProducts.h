#pragma once

#include "models/structure/TransformerStructure.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

/// Returns true if one of two products is known to take what the other gives: both are members of
/// one Sequential, siblings whose names differ in a number alone (`fc1`, `fc2`), or in one module
/// where a name says that it comes first or last (`head.pre_logits`, `head.out_proj`).
bool areInSeries(const std::string& product, const std::string& next);

/// Returns true if a product's name says that it stands between what is pooled and the product for
/// the classes: `pooler.dense`, `pre_logits.fc`.
bool saysPooler(const std::string& product);

/// Returns true if an activation may stand between a product of the head and the next one. Nothing
/// can stand between neighbours in a Sequential that has other layers between other products; in a
/// list of products alone, code may put activations.
bool isActivated(const std::vector<ProductPart>& head, std::size_t product);

/// Returns true if code may put a norm of `size` numbers between two products of the head. Nothing
/// can stand between members of a Sequential that is called as a whole.
bool mayHoldNorm(const std::vector<ProductPart>& head, std::int64_t size);

/// Throws a ModelError for a head with activations between products of one module, if nothing tells
/// whether one stands in front of a product of another module, too.
void refuseMixedJoints(const std::vector<ProductPart>& head);

/// Throws a ModelError for a head of several products that may be something else: the mlp of all
/// blocks, or products beside the one for the classes. `blocks` is the blocks' name.
void refuseDoubtfulHead(const TransformerStructure& read, const std::string& blocks);

}  // namespace softscope
