#pragma once

#include "core/survey/reading/SurveyAnalysis.h"
#include "core/survey/reading/SurveyIndex.h"

#include <QtCore/QObject>

#include <utility>
#include <vector>

class QCheckBox;
class QComboBox;
class QWidget;

namespace softscope {

/// The choices of the Survey page: the view, and which measures, models, layers and heads it shows.
/// They offer what the open file contains.
class SurveyControls : public QObject {
  Q_OBJECT

 public:
  explicit SurveyControls(QObject* parent = nullptr);

  /// Returns the controls in the order in which they are placed.
  std::vector<QWidget*> widgets() const;
  /// Shows what is chosen; `index` is the file's contents, or null before a file has been read.
  void show(const SurveySettings& settings, const SurveyIndex* index);
  /// Returns `settings` with everything that the user has chosen.
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
