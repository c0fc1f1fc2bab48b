#include "core/train/TrainingHistory.h"

#include "core/files/AtomicFile.h"
#include "core/text/Words.h"

#include <algorithm>
#include <cmath>

namespace softscope {

namespace {

constexpr const char* historyHeader = "epoch,learning_rate,loss,validation_loss,accuracy,seconds\n";

}  // namespace

std::string historyRow(const EpochResult& result) {
  const auto rounded = [](double value) { return numberText(std::round(value * 1e6) / 1e6); };
  return std::to_string(result.epoch) + "," + numberText(result.learningRate) + "," +
         rounded(result.loss) + "," + rounded(result.validationLoss) + "," +
         rounded(result.accuracy) + "," + numberText(std::round(result.seconds * 10) / 10) + "\n";
}

void writeHistory(const std::string& path, const std::string& rows) {
  writeFileAtomically(path, historyHeader + rows);
}

std::string durationText(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::lround(std::max(0.0, seconds)));
  const std::int64_t minutes = (whole + 30) / 60;
  if (whole < 100) return std::to_string(whole) + " s";
  if (minutes < 60) return std::to_string(minutes) + " min";
  return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

}  // namespace softscope
