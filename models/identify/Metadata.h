#pragma once

#include "core/model/HeadCounts.h"
#include "core/model/ModelSummary.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace softscope {

// What a file of Softscope's own says about itself, under these keys: `classes` (a JSON list of
// names), `input_size` (`160` or `160x224`), `crop` (fraction), `filter` (bicubic, bilinear),
// `mean` and `std` (three numbers, comma-separated), besides `architecture` and `mechanism`.
// Families read more where shapes do not tell: `heads` for SOFT, SimA, DeiT, T2T-ViT, CvT,
// MILA, non-local networks and pyramids (one number, of the last stage, or one a stage: `1,2,4,5`),
// `landmarks` (`pooled` where SOFT's are means of queries), `ratios` of such landmarks and of a
// pyramid's (`8,4,2`), and the settings of vision transformers under the names of their options:
// `activation` (of SimA and XCiT, too), `epsilon`, `norm` and `pooling`.

/// Fills in class names and input transform from metadata. Entries that cannot be read are left
/// out: they describe the weights, and a damaged description does not damage these.
void applyMetadata(const std::map<std::string, std::string>& metadata, ModelSummary& summary);

/// Gives a model that tells 1000 classes apart, and has no names for them, those of ImageNet's: the
/// first of a class's words where no other class begins with it, else all of them.
void nameImageNetClasses(ModelSummary& summary);

/// An entry such as `8,4,2`; empty where it is not there or cannot be read.
std::vector<int> numbersInMetadata(const std::map<std::string, std::string>& metadata,
                                   const std::string& key);
/// `8,4,2`
std::string listedNumbers(std::span<const int> numbers);

/// `heads`, or what training scripts call them among their arguments: `args.num_heads`, ...;
/// nothing where none of these is one or several numbers.
std::optional<HeadCounts> headsInMetadata(const std::map<std::string, std::string>& metadata);

}  // namespace softscope
