#pragma once

#include "core/model/ModelRequest.h"
#include "core/model/ModelSummary.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace softscope {

// Metadata of files that Softscope writes, under these keys: `classes` (a JSON list of names),
// `input_size` (`160` or `160x224`), `crop` (fraction), `filter` (bicubic, bilinear), `mean` and
// `std` (three numbers, comma-separated), besides `architecture` and `mechanism`. Families read
// further keys for properties that shapes do not determine: `heads` for SOFT, SimA, DeiT, T2T-ViT,
// CvT, MILA, non-local networks and pyramids (one number, for the last stage, or one for each
// stage: `1,2,4,5`), `landmarks` (`pooled` if SOFT's are means of queries), `ratios` of such
// landmarks and of a pyramid's (`8,4,2`), and the settings of vision transformers under the names
// of their options: `activation` (also for SimA and XCiT), `epsilon`, `norm`, `pooling` (also for
// CaiT, ConViT, SimA and XCiT), `prefix-positions` and `position-resize`. What no option chooses
// stands under config.json's keys: `tokens_norm` of SimA and XCiT, `use_rot_pos_emb` and
// `ref_feat_shape` of EVA, `rope_temperature` of EVA and DINOv3, `gate_last` of gated mlps under
// timm's names, `pretrained_window_sizes` and `always_partition` of Swin, `img_size` (`16,64`) of
// vision transformers for pictures of a single size.

/// Returns true if Softscope's `convert` or `train` wrote the file, whose metadata are then under
/// the names of options. In other files, a name such as `epsilon` may be of a training's optimiser.
bool isWrittenBySoftscope(const std::map<std::string, std::string>& metadata);

/// Returns the beginnings of the keys that metadata have from trainers' dictionaries, such as
/// `args.`; the first, which is empty, is of keys in no dictionary.
const std::vector<std::string>& placesOfTrainers();

/// Returns true for names that trainers also give to what belongs to an optimiser, an attack, an
/// augmentation, the data or the training itself: `epsilon`, `norm`, `scale`, `stride`, ...
bool isGenericName(const std::string& name);

/// Fills in class names and input transform from metadata. Unreadable entries are ignored: a
/// damaged description does not make the weights unusable.
void applyMetadata(const std::map<std::string, std::string>& metadata, ModelSummary& summary);

/// Returns the names in `classes`, however many the model has; nothing if it is missing or no list
/// of names.
std::optional<std::vector<std::string>> namesInMetadata(
    const std::map<std::string, std::string>& metadata);

/// Returns what an entry takes, such as `bicubic or bilinear`, if its value is something else,
/// which would be ignored; empty if the value is readable or the key is none of `classes`,
/// `input_size`, `crop`, `filter`, `ratios` and `landmarks`.
std::string unreadableEntry(const std::string& key, const std::string& value);

/// Returns true if metadata give the filter that pictures are resized with.
bool givesFilter(const std::map<std::string, std::string>& metadata);

/// Gives a model with 1000 unnamed classes the names of ImageNet's classes: the first of a class's
/// words if no other class begins with it, otherwise all of them.
void nameImageNetClasses(ModelSummary& summary);

/// Returns the numbers in an entry such as `8,4,2`; empty if it is missing or unreadable.
std::vector<int> numbersInMetadata(const std::map<std::string, std::string>& metadata,
                                   const std::string& key);
/// Returns `8,4,2`.
std::string listedNumbers(std::span<const int> numbers);

/// Returns the only value that dictionaries within the trainers' own have under a name, in either
/// case: `hyper_parameters.model_kwargs.num_heads`. Nothing if two of them differ.
std::optional<std::string> nestedEntry(const std::map<std::string, std::string>& metadata,
                                       const std::string& name);

/// Returns `heads`, or the entry among what trainers store that means the same: `args.num_heads`,
/// `hyper_parameters.model.num_heads`, ...; nothing if none of these is a number or a list of
/// numbers.
std::optional<HeadCounts> headsInMetadata(const std::map<std::string, std::string>& metadata);

}  // namespace softscope
