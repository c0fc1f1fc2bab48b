#pragma once

#include "core/survey/reading/SurveyAnalysis.h"
#include "core/survey/reading/SurveyIndex.h"

#include <QtCore/QObject>

#include <string>
#include <utility>
#include <vector>

class QCheckBox;
class QComboBox;
class QWidget;

namespace softscope {

/// The choices of the Survey page: what is shown of which measures, models, layers and heads. They
/// offer what the open file has.
class SurveyControls : public QObject {
  Q_OBJECT

 public:
  explicit SurveyControls(QObject* parent = nullptr);

  /// In the order they stand in.
  std::vector<QWidget*> widgets() const;
  /// Shows what is chosen, `index` being what there is; null before a file was read.
  void show(const SurveySettings& settings, const SurveyIndex* index);
  /// What the user has chosen, the rest as in `settings`.
  SurveySettings chosen(SurveySettings settings) const;

 Q_SIGNALS:
  void changed();

 private:
  using Entries = std::vector<std::pair<QString, QVariant>>;

  QComboBox* makeChoice(const QString& name, const QString& tip);
  void fillMeasures(const SurveySettings& settings, const SurveyIndex& index);
  void fillUnits(const SurveySettings& settings, const SurveyIndex& index);

  QComboBox* view_;
  QComboBox* measure_;
  QComboBox* against_;
  QComboBox* model_;
  QComboBox* layer_;
  QComboBox* head_;
  QCheckBox* byClass_;
};

}  // namespace softscope
