#pragma once

#include "core/Progress.h"

#include <chrono>
#include <cstddef>
#include <string>

namespace softscope {

/// While an object of this class exists, Ctrl+C, SIGTERM and SIGHUP cancel a progress instead of
/// ending the program; a second Ctrl+C ends it. Only one may exist at a time.
class Interruption {
 public:
  explicit Interruption(Progress& progress);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
};

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

/// Returns a progress that shows the current step on the line, which must outlive it; after the
/// name of a model, unless that is empty.
Progress stepsOn(ProgressLine& line, const std::string& model = {});

/// Returns stepsOn() with the percentage behind the step: `deit: removing patches, 42 %`.
Progress percentOn(ProgressLine& line, const std::string& model = {});

/// Counts the pictures that a survey has measured, and tells their number per second and the time
/// that the remaining pictures will take.
class SurveyPace {
 public:
  explicit SurveyPace(std::size_t pictures) : pictures_(pictures) {}

  void addPicture() { ++done_; }
  std::size_t done() const { return done_; }
  double perSecond() const;
  /// Returns `120 of 577 pictures, 14.2 a second, 32 s left`.
  std::string text() const;

 private:
  std::size_t pictures_;
  std::size_t done_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace softscope
