#include "widgets/workspace/ComparisonChoice.h"

namespace softscope {

void ComparisonChoice::set(const Comparison& settings) {
  if (settings == settings_) return;
  const bool links = settings.linkedLayers && !settings_.linkedLayers;
  settings_ = settings;
  Q_EMIT changed();
  if (links) Q_EMIT layersLinked();
}

}  // namespace softscope
