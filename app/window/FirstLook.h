#pragma once

#include "core/query/QueryToken.h"
#include "widgets/settings/Preferences.h"

#include <QtCore/QObject>
#include <QtCore/QString>

class QWidget;

namespace softscope {

class Workspace;
class SurveyFiles;
class WorkspaceFiles;
struct WindowOptions;

/// What the window begins with: the files of the command line, what a killed process left behind,
/// or what the user likes to begin with; then the first query.
class FirstLook : public QObject {
  Q_OBJECT

 public:
  FirstLook(const WindowOptions& options, Workspace& workspace, WorkspaceFiles& files,
            SurveyFiles& surveys, Preferences::First first = Preferences::First::Samples,
            QObject* parent = nullptr);

  void open();
  /// Opens as soon as `window` was painted for the first time.
  void openOncePainted(QWidget& window);
  bool hasOpened() const { return hasOpened_; }
  /// Asks the first query, once, as soon as a model has seen the picture.
  void ask();

 Q_SIGNALS:
  /// What there is to open is on its way.
  void opened();
  void said(const QString& message);
  void failed(const QString& message);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void openWhatThereIs();
  bool recover();
  /// Whether there is such a beginning apart from the bundled files, and that it was made.
  bool beginAsPreferred();
  void openFiles();
  void openModels();
  void askPatch(const Patch& patch);
  bool showsBundled() const;

  const WindowOptions& options_;
  Workspace& workspace_;
  WorkspaceFiles& files_;
  SurveyFiles& surveys_;
  Preferences::First first_;
  bool asked_ = false;
  bool hasOpened_ = false;
};

}  // namespace softscope
