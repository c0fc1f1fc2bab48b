#pragma once

#include <cstdint>
#include <string>

namespace softscope {

/// One finished epoch.
struct EpochResult {
  std::int64_t epoch = 0;  ///< counted from 1: how many are finished
  double learningRate = 0;
  double loss = 0;  ///< mean over the epoch's batches, of distorted and mixed pictures
  double validationLoss = 0;
  double accuracy = 0;  ///< of the averaged weights, in [0, 1]
  double standardError = 0;
  double seconds = 0;  ///< of training, without the evaluation
};

/// The first line of the log.
std::string historyHeader();
/// The epoch's line of the log, with its line break.
std::string historyRow(const EpochResult& result);

/// Writes header and rows as CSV, whole or not at all.
void writeHistory(const std::string& path, const std::string& rows);

/// `1 h 12 min`, `3 min`, `40 s`.
std::string durationText(double seconds);

}  // namespace softscope
