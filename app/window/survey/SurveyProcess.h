#pragma once

#include <QtCore/QObject>
#include <QtCore/QProcess>
#include <QtCore/QString>
#include <QtCore/QStringList>

namespace softscope {

/// `softscope survey` in a process of its own, so that the window stays as quick as it is, and
/// whatever ends the run loses no picture: the same command goes on from there.
class SurveyProcess : public QObject {
  Q_OBJECT

 public:
  /// `program` is softscope.
  explicit SurveyProcess(QString program, QObject* parent = nullptr);
  ~SurveyProcess() override;

  /// Runs it with these arguments after `survey`. One at a time.
  void start(const QStringList& arguments);
  bool isRunning() const;
  /// Asks it to end; what is measured stays in the file.
  void stop();

 Q_SIGNALS:
  /// How many pictures are done of how many, and all that it says of that.
  void progressed(int done, int pictures, const QString& words);
  /// Ended by itself; empty where all is measured, else the line that says what was wrong.
  void ended(const QString& failure);

 private:
  void readLines();
  void readLine(const QString& line);
  void finish(int exitCode, QProcess::ExitStatus status);

  QString program_;
  QProcess process_;
  QString complaint_;
};

}  // namespace softscope
