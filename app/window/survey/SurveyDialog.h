#pragma once

#include "app/window/survey/SurveyProcess.h"
#include "widgets/figure/FigureCommandText.h"

#include <QtWidgets/QDialog>

#include <vector>

class QLabel;
class QLineEdit;
class QListWidget;
class QProgressBar;
class QPushButton;
class QSpinBox;

namespace softscope {

/// Asks what to survey: chosen models on the pictures of a folder. It is not modal, so that the
/// window can be used while pictures are measured.
class SurveyDialog : public QDialog {
  Q_OBJECT

 public:
  /// `models` lists the open models that have weights, each with its name.
  SurveyDialog(const QString& program, std::vector<FigureModel> models, QWidget* parent = nullptr);

  /// Sets the number of pictures that are processed at a time, as in ComputeSettings.
  void setThreads(int threads) { threads_ = threads; }

  /// Returns the arguments of `softscope survey` for the choices in the dialog.
  QStringList arguments() const;
  void setFolder(const QString& folder);
  void setFile(const QString& file);
  QString file() const;
  bool isRunning() const { return process_.isRunning(); }
  /// True if the last run was asked to end before everything was measured.
  bool isStopped() const { return process_.isStopped(); }
  /// Starts the survey of the choices in the dialog; does nothing while one runs.
  void start();
  /// Asks a running survey to end; what is measured stays in its file.
  void stop();

 Q_SIGNALS:
  /// A survey into `file` has begun.
  void started(const QString& file);
  /// A running survey has come further: `fraction` is the part that is measured, and `words` say
  /// it.
  void progressed(const QString& words, double fraction);
  /// The survey ended; `failure` is empty if everything is measured.
  void ended(const QString& failure);
  /// Everything is measured and can be looked at.
  void measured(const QString& file);

 protected:
  /// Hides the dialog; a running survey continues.
  void reject() override;
  /// Enter in a field ends its input, and starts nothing that has not been seen.
  void keyPressEvent(QKeyEvent* event) override;

 private:
  std::vector<FigureModel> chosenModels() const;
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
  /// Returns what is missing before the survey can start; empty if nothing is.
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
