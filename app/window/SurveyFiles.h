#pragma once

#include "app/window/settings/WindowSettings.h"
#include "core/model/ModelRequest.h"
#include "widgets/pages/survey/SurveyPlace.h"

#include <QtCore/QObject>
#include <QtCore/QPointer>
#include <QtCore/QString>

#include <map>
#include <optional>
#include <string>

class QWidget;

namespace softscope {

struct OpenedModel;
class SurveyDialog;
class WindowActions;
class Workspace;

/// Opens surveys in the window, and leads from a value of a survey to its picture, model, layer and
/// head.
class SurveyFiles : public QObject {
  Q_OBJECT

 public:
  /// Keeps its list of recent files in `settings`.
  SurveyFiles(QWidget& window, Workspace& workspace, WindowActions& actions,
              WindowSettings& settings);

  void openDialog();
  /// Asks what to measure, measures it in the background, where it is listed among the window's
  /// measurements, and shows the result at the end.
  void openNewDialog();
  /// Turns to the Survey page, which reports any error in the file.
  void open(const QString& path);
  /// Shows a picture as the survey's model saw it, read in the same way and at the same size, if
  /// both exist and the model is open; otherwise tells the user what to do, or offers to do it.
  /// Says if the model's file or its crop is not as measured.
  void show(const SurveyPlace& place);
  /// Opens the model that was offered.
  void openOffered();

 Q_SIGNALS:
  void failed(const QString& message);
  /// `offer` is the text of the button.
  void modelOffered(const QString& message, const QString& offer);

 private:
  void fillRecentMenu();
  /// Lists the survey that the dialog runs among the measurements of the window.
  void listRunning();
  /// Compares a model with what was measured once it has been opened for that.
  void compareOpened();
  /// Says how an open model differs from the one that was measured: at once in the crop, and in its
  /// file when the worker has read it.
  void compare(const SurveyPlace& place, const OpenedModel& model);
  void tellDifference(const SurveyPlace& place, const std::string& fingerprint);
  void turnTo(const SurveyPlace& place);

  QWidget& window_;
  Workspace& workspace_;
  WindowActions& actions_;
  WindowSettings& settings_;
  std::optional<SurveyPlace> offered_;
  /// The place whose model is being opened.
  std::optional<SurveyPlace> opening_;
  /// The fingerprints of files that the worker has read, each under the file's fileStamp().
  std::map<std::string, std::string> fingerprints_;
  QPointer<SurveyDialog> dialog_;
  /// The running survey's entry in the list of measurements; 0 if there is none.
  int listed_ = 0;
};

/// Returns the request with which a survey says a model was opened, with the model's present path.
ModelRequest surveyedRequest(const SurveyPlace& place);

}  // namespace softscope
