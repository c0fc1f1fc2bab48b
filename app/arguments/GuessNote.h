#pragma once

#include "core/model/ModelSummary.h"

namespace softscope {

/// Properties of a command's picture that make guesses about it needless.
struct GivenPicture {
  bool isPrepared = false;  ///< it is a tensor, so nothing is guessed in its preparation
  bool hasSize = false;     ///< its size is given
};

/// Reports in one line on stderr, once the command has succeeded, which of a model's settings were
/// guessed because its file does not give them; nothing if none were.
void noteGuesses(const ModelSummary& summary, const GivenPicture& picture = {});

}  // namespace softscope
