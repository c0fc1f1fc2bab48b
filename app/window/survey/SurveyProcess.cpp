#include "app/window/survey/SurveyProcess.h"

#include <QtCore/QRegularExpression>

#include <utility>

namespace softscope {
namespace {

constexpr int stoppingMilliseconds = 5000;
const QLatin1String complaintBegins("softscope: ");
/// Words of the note that tells of pictures without values. Files that are no pictures by their
/// names are passed over as well, as they should be.
const QLatin1String passingBegins("passed over ");
const QLatin1String passingReason("cannot be read");

}  // namespace

SurveyProcess::SurveyProcess(QString program, QObject* parent)
    : QObject(parent), program_(std::move(program)) {
  process_.setStandardOutputFile(QProcess::nullDevice());
  process_.setReadChannel(QProcess::StandardError);
  connect(&process_, &QProcess::readyReadStandardError, this, &SurveyProcess::readLines);
  connect(&process_, &QProcess::finished, this, &SurveyProcess::finish);
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) Q_EMIT ended(process_.errorString());
  });
}

SurveyProcess::~SurveyProcess() {
  process_.disconnect(this);
  if (!isRunning()) return;
  process_.terminate();
  if (!process_.waitForFinished(stoppingMilliseconds)) process_.kill();
}

void SurveyProcess::start(const QStringList& arguments) {
  complaint_.clear();
  passedOver_.clear();
  isStopped_ = false;
  process_.start(program_,
                 QStringList{QStringLiteral("survey"), QStringLiteral("--progress")} + arguments);
}

bool SurveyProcess::isRunning() const {
  return process_.state() != QProcess::NotRunning;
}

void SurveyProcess::stop() {
  isStopped_ = true;
  process_.terminate();
}

void SurveyProcess::readLines() {
  while (process_.canReadLine()) {
    readLine(QString::fromUtf8(process_.readLine()).trimmed());
  }
}

void SurveyProcess::readLine(const QString& line) {
  static const QRegularExpression progress(QStringLiteral("^(\\d+) of (\\d+) pictures?"));
  const QRegularExpressionMatch match = progress.match(line);
  if (match.hasMatch()) {
    // A message that progress follows was a note, and not the reason why the process ends.
    complaint_.clear();
    Q_EMIT progressed(match.captured(1).toInt(), match.captured(2).toInt(), line);
  } else if (line.startsWith(complaintBegins)) {
    complaint_ = line.mid(complaintBegins.size());
    if (complaint_.startsWith(passingBegins) && complaint_.contains(passingReason)) {
      passedOver_ += complaint_;
    }
  }
}

void SurveyProcess::finish(int exitCode, QProcess::ExitStatus status) {
  readLines();
  if (status == QProcess::NormalExit && exitCode == 0) {
    Q_EMIT ended({});
  } else if (isStopped_) {
    Q_EMIT ended(tr("The survey was stopped; start it again to continue"));
  } else if (status == QProcess::CrashExit) {
    Q_EMIT ended(
        tr("The survey was killed, perhaps because memory ran out; start it again to continue"));
  } else {
    Q_EMIT ended(complaint_.isEmpty() ? tr("The survey stopped early; start it again to continue")
                                      : complaint_);
  }
}

}  // namespace softscope
