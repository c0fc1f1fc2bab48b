#pragma once

#include "core/live/LiveProcesses.h"
#include "widgets/workspace/Mailbox.h"

#include <QtCore/QByteArray>
#include <QtCore/QObject>
#include <QtCore/QString>

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace softscope {

class ModelSeries;
class StepBar;
class Workspace;

/// Brings the models of Python processes into the workspace: opens them when they connect, says
/// when they are gone, and keeps the steps that trainings send.
class PythonLink : public QObject {
  Q_OBJECT

 public:
  /// `bar` shows the steps of the current model.
  PythonLink(std::shared_ptr<LiveProcesses> processes, Workspace& workspace, StepBar& bar);
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
  void showSteps();
  void goToStep(int index);
  /// Returns the series of the current model and which of its steps that is, or null.
  std::pair<ModelSeries*, std::size_t> shownSeries() const;
  ModelSeries& seriesOf(const std::string& name);

  std::shared_ptr<LiveProcesses> processes_;
  Workspace& workspace_;
  StepBar& bar_;
  Mailbox mailbox_;
  /// Models that wait for their pictures.
  std::set<std::string> expecting_;
  std::vector<std::unique_ptr<ModelSeries>> series_;
};

}  // namespace softscope
