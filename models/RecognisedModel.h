#pragma once

#include "core/model/ModelRequest.h"
#include "models/identify/Family.h"
#include "models/identify/Parameters.h"

#include <optional>
#include <string>

namespace softscope {

struct Checkpoint;

/// The network that a checkpoint was found to be of, and how its parameters fit the file.
struct RecognisedModel {
  DefinedModel model;
  ParameterMatch match;
  /// `config.json beside the file says heads 6` if that contradicts the file; otherwise empty.
  std::string otherHeads;
  /// Hugging Face's type of the network in a config.json that fits; empty if there is none.
  std::string modelType;

  bool isWhole() const { return match.complete() && model.summary.foreign.empty(); }
};

/// Determines which network a checkpoint belongs to. Throws ModelError if it belongs to none that
/// is known, or to another network whose names are known and which no family computes.
RecognisedModel recogniseModel(const Checkpoint& checkpoint, const ModelRequest& request);

/// Reads a file by structure though a known family, `family`, recognises its names. Returns nothing
/// if not every tensor has a place, or if the user decides otherwise.
std::optional<RecognisedModel> readByStructure(const std::string& family,
                                               const Checkpoint& checkpoint,
                                               const ModelRequest& request);

/// Advice about a file whose names are a known family's, and which is not of that family.
inline constexpr const char* structureAdvice =
    ", or give --arch structure if somebody wrote the network so";

}  // namespace softscope
