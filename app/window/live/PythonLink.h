#pragma once

#include "core/live/LiveProcesses.h"
#include "widgets/workspace/Mailbox.h"

#include <QtCore/QByteArray>
#include <QtCore/QObject>
#include <QtCore/QString>

#include <memory>
#include <set>
#include <string>

namespace softscope {

class OpenSeries;
class Workspace;

/// Brings the models of Python processes into the workspace: opens them when they connect, says
/// when they are gone, and hands on the steps that trainings send.
class PythonLink : public QObject {
  Q_OBJECT

 public:
  PythonLink(std::shared_ptr<LiveProcesses> processes, Workspace& workspace, OpenSeries& series);
  ~PythonLink() override;

  /// Begins to take connections, once what the window starts with is being opened.
  void begin();

 Q_SIGNALS:
  /// A model has connected, after which messages about its absence are out of date.
  void connected();
  /// `said` is a message to read in passing; `failed` reports an error.
  void said(const QString& message);
  void failed(const QString& message);

 private:
  void takeModel(const LiveDescription& description);
  void takePicture(const std::string& name, const QByteArray& bytes, const QString& title);
  void takeStep(const std::string& name, const LiveStep& step);
  void takeEnd(const std::string& name, const std::string& reason);
  void openModel(const std::string& name);

  std::shared_ptr<LiveProcesses> processes_;
  Workspace& workspace_;
  OpenSeries& series_;
  Mailbox mailbox_;
  /// Models that wait for their pictures.
  std::set<std::string> expecting_;
};

}  // namespace softscope
