#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace softscope {

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
