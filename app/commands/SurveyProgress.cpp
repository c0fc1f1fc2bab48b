#include "app/commands/SurveyProgress.h"

#include "core/text/Words.h"
#include "core/train/TrainingHistory.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

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

}  // namespace softscope
