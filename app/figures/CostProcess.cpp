#include "app/figures/CostProcess.h"

#include "core/Error.h"

#include <QtCore/QProcess>
#include <QtCore/QString>
#include <QtCore/QStringList>

#include <nlohmann/json.hpp>

#include <string>

namespace softscope {
namespace {

/// How often it is looked whether it was cancelled, in milliseconds.
constexpr int patience = 50;

QStringList measureCommand(const CostRequest& request) {
  return {QStringLiteral("measure-cost"),
          QStringLiteral("--scope"),
          QString::fromStdString(scopeName(request.scope)),
          QStringLiteral("--mechanism"),
          QString::fromStdString(request.mechanism),
          QStringLiteral("--tokens"),
          QString::number(request.tokens),
          QStringLiteral("--channels"),
          QString::number(request.channels),
          QStringLiteral("--heads"),
          QString::number(request.heads),
          QStringLiteral("--threads"),
          QString::number(request.threads),
          QStringLiteral("--pass"),
          QString::fromStdString(passName(request.pass)),
          QStringLiteral("--device"),
          QString::fromStdString(request.device)};
}

/// Waits until it ends; a process that is no longer wanted is killed.
void waitFor(QProcess& child, const Progress& progress) {
  try {
    while (child.state() != QProcess::NotRunning) {
      progress.throwIfCancelled();
      child.waitForFinished(patience);
    }
  } catch (...) {
    child.kill();
    child.waitForFinished();
    throw;
  }
}

}  // namespace

CostPoint measureInChildProcess(const CostRequest& request, const Progress& progress) {
  QProcess child;
  child.setProcessChannelMode(QProcess::MergedChannels);
  child.start(QStringLiteral("/proc/self/exe"), measureCommand(request));
  if (!child.waitForStarted()) {
    throw InspectionError("no process can be started to measure in: " +
                          child.errorString().toStdString());
  }
  waitFor(child, progress);
  const std::string text = child.readAll().toStdString();
  const std::string what = "measuring " + request.mechanism + " at " +
                           std::to_string(request.tokens) + " tokens failed: ";
  // The system ends processes that take more memory than there is.
  if (text.empty() && child.exitStatus() != QProcess::NormalExit) {
    throw MemoryError(what + "the process was ended, perhaps for want of memory; try fewer tokens");
  }
  if (child.exitStatus() != QProcess::NormalExit || child.exitCode() != 0) {
    throw InspectionError(what + text.substr(0, text.find('\n')));
  }
  const nlohmann::json numbers = nlohmann::json::parse(text, nullptr, false);
  if (numbers.is_object() && numbers.contains("out_of_memory")) {
    throw MemoryError(what + "there is not enough memory; try fewer tokens");
  }
  if (!numbers.is_object() || !numbers.contains("milliseconds") || !numbers.contains("bytes") ||
      !numbers.contains("peak_bytes")) {
    throw InspectionError("measuring " + request.mechanism + " gave no numbers: " + text);
  }
  return {request, numbers["milliseconds"].get<double>(), numbers["bytes"].get<std::int64_t>(),
          numbers["peak_bytes"].get<std::int64_t>()};
}

}  // namespace softscope
