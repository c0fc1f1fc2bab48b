#pragma once

#include "app/window/survey/SurveyProcess.h"
#include "widgets/figure/ModelOptions.h"

#include <QtWidgets/QDialog>

#include <vector>

class QLabel;
class QLineEdit;
class QListWidget;
class QListWidgetItem;
class QProgressBar;
class QPushButton;
class QSpinBox;

namespace softscope {

/// What is surveyed: chosen models on the pictures of a folder. Stands beside the window, which can
/// be used while pictures are measured.
class SurveyDialog : public QDialog {
  Q_OBJECT

 public:
  /// `models` are those that are open and have weights, each with its name.
  SurveyDialog(const QString& program, std::vector<FigureModel> models, QWidget* parent = nullptr);

  /// As ComputeSettings has them: so many pictures are worked on at a time.
  void setThreads(int threads) { threads_ = threads; }

  /// What follows `softscope survey` for what is chosen.
  QStringList arguments() const;
  void setFolder(const QString& folder);
  void setFile(const QString& file);
  bool isRunning() const { return process_.isRunning(); }

 Q_SIGNALS:
  /// All is measured, and can be looked at.
  void measured(const QString& file);

 protected:
  /// Closing does not stop what runs: it goes on behind the window.
  void reject() override;

 private:
  void addPlaces();
  void addModels();
  void addMeasures();
  void addProgress();
  void chooseFolder();
  void chooseFile();
  void startOrStop();
  void showRunning(bool running);
  void showProgress(int done, int pictures, const QString& words);
  void finish(const QString& failure);
  /// What is missing before it can begin; empty if nothing is.
  QString obstacle() const;
  void showObstacle();

  SurveyProcess process_;
  std::vector<FigureModel> models_;
  int threads_ = 0;
  QLineEdit* folder_;
  QLineEdit* file_;
  QSpinBox* limit_;
  QListWidget* modelList_;
  QListWidget* measureList_;
  QWidget* choices_;
  QProgressBar* bar_;
  QLabel* words_;
  QPushButton* run_;
};

}  // namespace softscope
