#pragma once

#include "app/window/settings/WindowSettings.h"
#include "core/model/ModelRequest.h"
#include "widgets/pages/survey/SurveyPlace.h"

#include <QtCore/QObject>
#include <QtCore/QPointer>
#include <QtCore/QString>

#include <optional>

class QWidget;

namespace softscope {

class SurveyDialog;
class WindowActions;
class Workspace;

/// Surveys that come into the window, and the way from a value of one to its picture, model, layer
/// and head.
class SurveyFiles : public QObject {
  Q_OBJECT

 public:
  /// Keeps its list of recent files in `settings`.
  SurveyFiles(QWidget& window, Workspace& workspace, WindowActions& actions,
              WindowSettings& settings);

  void openDialog();
  /// Asks what to measure, and measures it beside the window; shows what came of it at its end.
  void openNewDialog();
  /// Turns to the Survey page; what is wrong with the file is said there.
  void open(const QString& path);
  /// Looks at a picture as the survey's model did, if both are there and the model is open; else
  /// says what to do, or offers it.
  void show(const SurveyPlace& place);
  /// Opens the model that was offered.
  void openOffered();

 Q_SIGNALS:
  void failed(const QString& message);
  /// `offer` is what the button says.
  void modelOffered(const QString& message, const QString& offer);

 private:
  void fillRecentMenu();
  void turnTo(const SurveyPlace& place);

  QWidget& window_;
  Workspace& workspace_;
  WindowActions& actions_;
  WindowSettings& settings_;
  std::optional<SurveyPlace> offered_;
  QPointer<SurveyDialog> dialog_;
};

/// What a survey says a model was opened with; the path as it is now.
ModelRequest surveyedRequest(const SurveyPlace& place);

}  // namespace softscope
