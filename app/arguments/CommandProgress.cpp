#include "app/arguments/CommandProgress.h"

#include "app/arguments/Note.h"
#include "core/machine/StandardStreams.h"
#include "core/text/Words.h"
#include "core/train/TrainingHistory.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <iomanip>
#include <sstream>
#include <unistd.h>

namespace softscope {

double SurveyPace::perSecond() const {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
  return static_cast<double>(done_) / std::max(passed.count(), 1e-9);
}

std::string SurveyPace::text() const {
  std::ostringstream text;
  text << done_ << " of " << countedText(pictures_, "picture");
  if (done_ > 0) {
    text << ", " << std::fixed << std::setprecision(1) << perSecond() << " a second, "
         << durationText(static_cast<double>(pictures_ - done_) / perSecond()) << " left";
  }
  return text.str();
}

namespace {

/// Returns the model's name as it stands before a step; empty without a name.
std::string beforeStep(const std::string& model) {
  return model.empty() ? std::string() : model + ": ";
}

std::atomic<Progress*> interrupted{nullptr};
static_assert(std::atomic<Progress*>::is_always_lock_free, "a signal's handler may not wait");

constexpr std::array cancelling{SIGINT, SIGTERM, SIGHUP};
/// The previous handlers of these signals.
std::array<void (*)(int), cancelling.size()> handledBefore{};

void restore(int signal) {
  for (std::size_t i = 0; i < cancelling.size(); ++i) {
    if (cancelling[i] == signal) std::signal(signal, handledBefore[i]);
  }
}

extern "C" void cancelProgress(int signal) {
  if (Progress* progress = interrupted.load()) progress->cancel();
  restore(signal);
}

constexpr const char* eraseLine = "\r\x1b[K";

}  // namespace

Interruption::Interruption(Progress& progress) {
  interrupted = &progress;
  for (std::size_t i = 0; i < cancelling.size(); ++i) {
    handledBefore[i] = std::signal(cancelling[i], cancelProgress);
    // Signals that nohup, for example, ignores stay ignored.
    if (handledBefore[i] == SIG_IGN) std::signal(cancelling[i], SIG_IGN);
  }
}

Interruption::~Interruption() {
  for (const int signal : cancelling) restore(signal);
  interrupted = nullptr;
}

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

void ProgressLine::show(const std::string& text) {
  constexpr std::chrono::milliseconds pause{200};
  constexpr std::chrono::milliseconds pauseOfLines{1000};
  if (!terminal_ && !lines_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - shown_ < (lines_ ? pauseOfLines : pause)) return;
  shown_ = now;
  if (lines_) {
    writeStandardError(printableText(text) + '\n');
  } else {
    writeStandardError(eraseLine + printableText(text));
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

Progress stepsOn(ProgressLine& line, const std::string& model) {
  return Progress([&line, before = beforeStep(model)](double, const std::string& what) {
    line.show(before + what);
  });
}

Progress percentOn(ProgressLine& line, const std::string& model) {
  return Progress([&line, before = beforeStep(model)](double fraction, const std::string& what) {
    line.show(before + what + ", " + std::to_string(static_cast<int>(100 * fraction)) + " %");
  });
}

}  // namespace softscope
