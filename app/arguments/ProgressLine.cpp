#include "app/arguments/ProgressLine.h"

#include "app/arguments/Note.h"
#include "core/machine/StandardStreams.h"

#include <unistd.h>

namespace softscope {

namespace {

constexpr const char* eraseLine = "\r\x1b[K";

}  // namespace

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

void ProgressLine::show(const std::string& text) {
  constexpr std::chrono::milliseconds pause{200};
  constexpr std::chrono::milliseconds pauseOfLines{1000};
  if (!terminal_ && !lines_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - shown_ < (lines_ ? pauseOfLines : pause)) return;
  shown_ = now;
  if (lines_) {
    writeStandardError(text + '\n');
  } else {
    writeStandardError(eraseLine + text);
  }
}

void ProgressLine::note(const std::string& text) {
  if (!terminal_ && !lines_) {
    noteOnResult(text);
    return;
  }
  clear();
  softscope::note(text);
}

void ProgressLine::clear() {
  if (terminal_ && !lines_) writeStandardError(eraseLine);
}

Progress percentOn(ProgressLine& line) {
  return Progress([&line](double fraction, const std::string& what) {
    line.show(what + ", " + std::to_string(static_cast<int>(100 * fraction)) + " %");
  });
}

}  // namespace softscope
