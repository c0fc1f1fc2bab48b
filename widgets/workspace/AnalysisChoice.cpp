#include "widgets/workspace/AnalysisChoice.h"

#include "widgets/figure/ModelOptions.h"

namespace softscope {

void AnalysisChoice::set(const AnalysisSettings& settings) {
  if (settings == settings_) return;
  settings_ = settings;
  Q_EMIT changed();
}

void AnalysisChoice::compareVectors(const QStringList& paths) {
  AnalysisSettings changed = settings_;
  TokenSettings& tokens = changed.of<TokenSettings>();
  tokens.of = TokenQuantity::Similarity;
  tokens.vectors.clear();
  tokens.compared = ComparedTokens::Fitting;
  for (const QString& path : paths) tokens.vectors.push_back(absolutePath(path.toStdString()));
  set(changed);
}

}  // namespace softscope
