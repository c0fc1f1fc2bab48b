#pragma once

#include "core/query/QueryToken.h"
#include "widgets/settings/Preferences.h"
#include "widgets/workspace/ModelQueue.h"

#include <QtCore/QObject>
#include <QtCore/QString>

class QWidget;

namespace softscope {

class Workspace;
class OpenSeries;
class SurveyFiles;
class WorkspaceFiles;
struct WindowOptions;

/// Opens what the window starts with: the files of the command line, a workspace that a killed
/// process left behind, or what the user prefers; then asks the first query.
class InitialContent : public QObject {
  Q_OBJECT

 public:
  InitialContent(const WindowOptions& options, Workspace& workspace, WorkspaceFiles& files,
                 SurveyFiles& surveys, OpenSeries& series,
                 Preferences::First first = Preferences::First::Samples, QObject* parent = nullptr);

  void open();
  /// Opens as soon as `window` has been painted for the first time.
  void openOncePainted(QWidget& window);
  bool hasOpened() const { return hasOpened_; }
  /// Asks the first query, once, as soon as a model has run on the picture.
  void ask();

 Q_SIGNALS:
  /// Everything to be opened is being loaded.
  void opened();
  void said(const QString& message);
  void failed(const QString& message);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void openWhatThereIs();
  bool recover();
  /// Opens what the user prefers; false if there is no such preference other than the bundled
  /// files.
  bool beginAsPreferred();
  void openFiles();
  /// True if the picture that was given is a recording, and no model is to be run on its picture:
  /// then it is opened as the model.
  bool opensRecording() const;
  void openModels();
  void openModel(ModelRequest request, const BesideOptions& how);
  void askPatch(const Patch& patch);
  bool showsBundled() const;

  const WindowOptions& options_;
  Workspace& workspace_;
  WorkspaceFiles& files_;
  SurveyFiles& surveys_;
  OpenSeries& series_;
  Preferences::First first_;
  bool asked_ = false;
  bool hasOpened_ = false;
};

}  // namespace softscope
