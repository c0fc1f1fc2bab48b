#pragma once

#include "core/checkpoint/Checkpoint.h"
#include "core/inspect/Inspection.h"
#include "core/model/ModelSummary.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace softscope::test {

using Pieces = std::vector<std::string>;
using Shapes = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;
using Options = std::map<std::string, std::string>;

/// Returns a case's file without the tensors whose names have one of some pieces, and with random
/// tensors of other shapes behind the rest.
Checkpoint rebuilt(const std::string& name, const Pieces& dropped, const Shapes& added);

/// Returns two blocks 24 wide, with a class token and 16 patches of pictures of 28 x 28; `end` is
/// the final norm, and `out` the head. Pieces are left out and tensors added as by rebuilt().
Checkpoint plainNetwork(const Pieces& dropped, const Shapes& added);

/// Returns the options that were guessed.
std::set<std::string> doubtsOf(const ModelSummary& summary);

/// Returns the words that a checkpoint is refused with; empty if it opens.
std::string refusalOfParts(const Checkpoint& checkpoint, const Options& options = {});

/// Returns what a checkpoint answers with some options to a picture of this size.
std::shared_ptr<const Inspection> answerOf(const Checkpoint& checkpoint, const Options& options,
                                           int height = 28, int width = 28);

}  // namespace softscope::test
