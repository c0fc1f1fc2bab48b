#include "widgets/workspace/AnalysisChoice.h"

namespace softscope {

void AnalysisChoice::set(const AnalysisSettings& settings) {
  if (settings == settings_) return;
  settings_ = settings;
  Q_EMIT changed();
}

}  // namespace softscope
