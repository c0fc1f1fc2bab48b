#pragma once

#include "core/Progress.h"

#include <chrono>
#include <string>

namespace softscope {

/// One line on stderr that says how far a long command has come, rewritten in place; nothing where
/// stderr is no terminal.
class ProgressLine {
 public:
  ProgressLine();

  /// From now on lines under each other, one every second at most, whatever stderr is: for logs, and
  /// for programs that read them.
  void printLines() { lines_ = true; }

  /// Replaces the line, a few times a second at most.
  void show(const std::string& text);
  /// A line that stays, on any stderr.
  void note(const std::string& text);
  void clear();

 private:
  bool terminal_;
  bool lines_ = false;
  std::chrono::steady_clock::time_point shown_;
};

/// What is being done and how much of it, in percent, on the line, which must outlive it.
Progress percentOn(ProgressLine& line);

}  // namespace softscope
