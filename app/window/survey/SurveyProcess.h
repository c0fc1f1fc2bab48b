#pragma once

#include <QtCore/QObject>
#include <QtCore/QProcess>
#include <QtCore/QString>
#include <QtCore/QStringList>

namespace softscope {

/// Runs `softscope survey` in a process of its own, so that the window stays responsive and an
/// aborted run loses no picture: the same command continues where it stopped.
class SurveyProcess : public QObject {
  Q_OBJECT

 public:
  /// `program` is the path of softscope.
  explicit SurveyProcess(QString program, QObject* parent = nullptr);
  ~SurveyProcess() override;

  /// Runs `softscope survey` with these arguments. Only one run at a time.
  void start(const QStringList& arguments);
  bool isRunning() const;
  /// Returns what the last run said of pictures that it passed over, one line each; empty if it
  /// passed over none.
  const QStringList& passedOver() const { return passedOver_; }
  /// True if the last run was asked to end.
  bool isStopped() const { return isStopped_; }
  /// Asks the process to end; the results so far stay in the file.
  void stop();

 Q_SIGNALS:
  /// `done` of `pictures` are measured; `words` is the process's whole progress message.
  void progressed(int done, int pictures, const QString& words);
  /// The process ended; `failure` is empty if everything is measured, otherwise it says why not.
  void ended(const QString& failure);

 private:
  void readLines();
  void readLine(const QString& line);
  void finish(int exitCode, QProcess::ExitStatus status);

  QString program_;
  QProcess process_;
  /// The last message that was no progress since.
  QString complaint_;
  QStringList passedOver_;
  bool isStopped_ = false;
};

}  // namespace softscope
