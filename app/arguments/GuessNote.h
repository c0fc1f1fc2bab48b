#pragma once

#include "core/model/ModelSummary.h"

namespace softscope {

/// Reports in one line on stderr, once the command has succeeded, which of a model's settings were
/// guessed because its file does not give them; nothing if none were. Settings for preparing
/// pictures only count if the model `readsPicture`.
void noteGuesses(const ModelSummary& summary, bool readsPicture = true);

}  // namespace softscope
