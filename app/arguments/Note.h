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
/// guessed because its file does not give them, and in a line each what was taken for granted and
/// which files beside it were passed over.
void noteGuesses(const ModelSummary& summary, GuessedFor input = GuessedFor::Pictures);

/// Writes a line on stderr about something that is done differently than might be expected. The
/// command goes on.
void note(const std::string& text);

/// Stores a line about the result of a command until sayNotesOnResult(), so that a command that
/// fails only says why, in one line. Repeated lines are written once.
void noteOnResult(const std::string& text);

/// Writes the lines from noteOnResult() in order.
void sayNotesOnResult();

/// Prints on stdout the name of a file that was written, then `what`. Prints nothing if the file is
/// a stream such as /dev/stdout, among whose bytes the name would stand.
void sayWritten(const std::string& path, const std::string& what = {});

}  // namespace softscope
