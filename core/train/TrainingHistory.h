#pragma once

#include <cstdint>
#include <string>

namespace softscope {

/// One finished epoch.
struct EpochResult {
  std::int64_t epoch = 0;  ///< number of the epoch, counted from 1
  double learningRate = 0;
  double loss = 0;  ///< mean over the epoch's batches, of distorted and mixed pictures
  double validationLoss = 0;
  double accuracy = 0;  ///< accuracy of the averaged weights, in [0, 1]
  double standardError = 0;
  double seconds = 0;  ///< training time, without the evaluation
};

/// Returns the epoch's line of the log, with its line break.
std::string historyRow(const EpochResult& result);

/// Writes header and rows as CSV, completely or not at all.
void writeHistory(const std::string& path, const std::string& rows);

/// Returns `1 h 12 min`, `3 min` or `40 s`.
std::string durationText(double seconds);

}  // namespace softscope
