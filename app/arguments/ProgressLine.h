#pragma once

#include "core/Progress.h"

#include <chrono>
#include <string>

namespace softscope {

/// A line on stderr that shows the progress of a long command and is rewritten in place; nothing if
/// stderr is not a terminal.
class ProgressLine {
 public:
  ProgressLine();

  /// From now on, prints separate lines, at most one per second, whether or not stderr is a
  /// terminal: for logs, and for programs that read them.
  void printLines() { lines_ = true; }

  /// Replaces the line, at most a few times per second.
  void show(const std::string& text);
  /// Writes a line that stays: at once where somebody follows the progress, and elsewhere with
  /// noteOnResult(), so that a command that fails only says why.
  void note(const std::string& text);
  void clear();

 private:
  bool terminal_;
  bool lines_ = false;
  std::chrono::steady_clock::time_point shown_;
};

/// Returns a progress that shows the current step and its percentage on the line, which must
/// outlive it.
Progress percentOn(ProgressLine& line);

}  // namespace softscope
