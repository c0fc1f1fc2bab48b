#pragma once

#include "core/model/ModelSummary.h"

#include <map>
#include <optional>
#include <string>

namespace softscope {

// What a file of Softscope's own says about itself, under these keys: `classes` (a JSON list of
// names), `input_size` (`160` or `160x224`), `crop` (fraction), `filter` (bicubic, bilinear),
// `mean` and `std` (three numbers, comma-separated), besides `architecture` and `mechanism`.
// Families read more where shapes do not tell: `heads` for SimA, DeiT, T2T-ViT, CvT (of the
// last stage), non-local networks and pyramids (one number, or one a stage: `1,2,4,5`), `ratios` of
// a pyramid's landmarks (`8,4,2`), and `activation` (gelu, relu) for SimA.

/// Fills in class names and input transform from metadata. Entries that cannot be read are left
/// out: they describe the weights, and a damaged description does not damage these.
void applyMetadata(const std::map<std::string, std::string>& metadata, ModelSummary& summary);

/// `heads`, or nothing where it is no positive number.
std::optional<int> headsInMetadata(const std::map<std::string, std::string>& metadata);

}  // namespace softscope
