#pragma once

#include "core/model/ModelSummary.h"

#include <string>

namespace softscope {

/// The kind of input that a command gives to a model.
enum class GuessedFor {
  Pictures,
  Tensor,  ///< prepared already, so that nothing is guessed in its preparation
};

/// Returns what an input is by the name of its file.
GuessedFor guessedFor(const std::string& path);

/// Reports in one line on stderr, once the command has succeeded, which of a model's settings were
/// guessed because its file does not give them; nothing if none were.
void noteGuesses(const ModelSummary& summary, GuessedFor input = GuessedFor::Pictures);

}  // namespace softscope
