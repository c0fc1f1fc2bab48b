#pragma once

#include "core/inspect/ModelSummary.h"

#include <map>
#include <string>

namespace softscope {

// What a file of Softscope's own says about itself, under these keys: `classes` (a JSON list of
// names), `input_size` (`160` or `160x224`), `crop` (fraction), `filter` (bicubic, bilinear),
// `mean` and `std` (three numbers, comma-separated), besides `architecture` and `mechanism`.
// Families read more where shapes do not tell: `heads` and `activation` (gelu, relu) for SimA.

/// Fills in class names and input transform from metadata. Entries that cannot be read are left
/// out: they describe the weights, and a damaged description does not damage these.
void applyMetadata(const std::map<std::string, std::string>& metadata, ModelSummary& summary);

}  // namespace softscope
