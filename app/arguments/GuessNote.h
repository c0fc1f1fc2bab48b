#pragma once

#include "core/model/ModelSummary.h"

namespace softscope {

/// Says in one line on stderr, once the command has succeeded, what was guessed of a model because
/// its file does not tell; nothing where nothing was. What prepares pictures counts only where the
/// model `readsPicture`.
void noteGuesses(const ModelSummary& summary, bool readsPicture = true);

}  // namespace softscope
