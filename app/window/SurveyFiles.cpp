#include "app/window/SurveyFiles.h"

#include "app/window/RecentMenu.h"
#include "app/window/WindowActions.h"
#include "app/window/survey/SurveyDialog.h"
#include "core/Error.h"
#include "core/files/FileVersion.h"
#include "core/files/Overwriting.h"
#include "core/model/ModelRequest.h"
#include "core/survey/SurveyPlan.h"
#include "core/survey/TransformJson.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/Jobs.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"
#include "widgets/workspace/WorkspaceState.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QFileInfo>
#include <QtGui/QAction>
#include <QtWidgets/QFileDialog>

#include <cmath>
#include <utility>

namespace softscope {
namespace {

QString fileName(const std::string& path) {
  return QFileInfo(QString::fromStdString(path)).fileName();
}

/// Returns the index of the open model that the survey measured, at whatever size, or -1. Requests
/// are compared without their device.
int openModelOf(const SurveyPlace& place, const OpenModels& models) {
  ModelRequest wanted = surveyedRequest(place);
  const auto names = wanted.classNames;
  const bool areGone = names && !QFileInfo::exists(QString::fromStdString(*names));
  for (std::size_t i = 0; i < models.all().size(); ++i) {
    const ModelRequest& open = models.all()[i].request;
    if (!isSameFile(open.path, wanted.path)) continue;
    wanted.path = open.path;
    wanted.device = open.device;
    wanted.classNames = names;
    if (names && open.classNames) {
      const bool areSame =
          *open.classNames == *names || (!areGone && isSameFile(*open.classNames, *names));
      if (areSame) wanted.classNames = open.classNames;
    } else if (areGone) {
      // A model whose class names are gone is opened without them.
      wanted.classNames.reset();
    }
    // A survey at a chosen size says which stride it took.
    const bool isWanted =
        open == wanted || withTakenStride(open, models.all()[i].summary()) == wanted;
    if (isWanted) return static_cast<int>(i);
  }
  return -1;
}

/// Returns the size at which an open model sees pictures as the survey's did: the model's present
/// size if it does so already.
InputSize sizeAsMeasured(const SurveyPlace& place, const OpenedModel& model) {
  const std::optional<InputSize> measured = surveyedInput(place.transform).size;
  const auto isMeasured = [&](const InputSize& size) {
    return !measured || inputSizeOf(withInputSize(model.summary().transform, size)) == measured;
  };
  if (isMeasured(model.wantedSize())) return model.wantedSize();
  return isMeasured(InputSize()) ? InputSize() : *measured;
}

/// Returns how the crop of a model's pictures differs from the measured one; empty if it does not.
/// The window's sizes keep the model's own crop.
QString cropDifference(const SurveyPlace& place, const OpenedModel& model) {
  const std::optional<double> measured = surveyedInput(place.transform).crop;
  const InputTransform shown = withInputSize(model.summary().transform, model.wantedSize());
  constexpr double roundedOff = 1e-6;
  if (!measured || !shown.crops() || std::abs(*measured - shown.cropFraction) < roundedOff) {
    return {};
  }
  return SurveyFiles::tr(
             "The survey was measured with a crop of %1, and the window shows the model's own, %2, "
             "so these maps are not those of the point; measure again without --crop to compare "
             "them")
      .arg(*measured)
      .arg(shown.cropFraction);
}

/// Returns the models that can run on other pictures.
std::vector<FigureModel> surveyableModels(const OpenModels& models) {
  std::vector<FigureModel> surveyable;
  for (const OpenedModel& opened : models.all()) {
    if (opened.summary().recorded) continue;
    const bool isOwnSize = opened.inputSize.kind == InputSize::Kind::Published;
    surveyable.push_back(
        {isOwnSize ? opened.request : withTakenStride(opened.request, opened.summary()),
         opened.inputSize, opened.name().toStdString(), versionsOf(opened)});
  }
  return surveyable;
}

}  // namespace

ModelRequest surveyedRequest(const SurveyPlace& place) {
  ModelRequest request = requestOfJson(place.request);
  request.path = place.modelPath;
  request.device = ModelRequest().device;
  return request;
}

SurveyFiles::SurveyFiles(QWidget& window, Workspace& workspace, WindowActions& actions,
                         WindowSettings& settings)
    : window_(window), workspace_(workspace), actions_(actions), settings_(settings) {
  connect(actions_.openSurvey, &QAction::triggered, this, &SurveyFiles::openDialog);
  connect(actions_.newSurvey, &QAction::triggered, this, &SurveyFiles::openNewDialog);
  connect(&workspace_.models(), &OpenModels::changed, this, &SurveyFiles::compareOpened);
  fillRecentMenu();
}

void SurveyFiles::openDialog() {
  const QString path =
      QFileDialog::getOpenFileName(&window_, tr("Open a survey"), folderOf(settings_.recentSurveys),
                                   tr("Surveys (*.survey);;All files (*)"));
  if (!path.isEmpty()) open(path);
}

void SurveyFiles::openNewDialog() {
  if (!dialog_ || !dialog_->isRunning()) {
    delete dialog_;
    dialog_ = new SurveyDialog(QCoreApplication::applicationFilePath(),
                               surveyableModels(workspace_.models()), &window_);
    dialog_->setThreads(workspace_.compute().threads);
    connect(dialog_, &SurveyDialog::measured, this, &SurveyFiles::open);
    listRunning();
  }
  dialog_->show();
  dialog_->raise();
  dialog_->activateWindow();
}

void SurveyFiles::listRunning() {
  Jobs* const jobs = &workspace_.jobs();
  connect(dialog_, &SurveyDialog::started, this, [this, jobs](const QString& file) {
    const JobText text{QStringLiteral("survey"), tr("Survey"), QFileInfo(file).fileName(), false};
    listed_ = jobs->addProcess(text, [dialog = dialog_] {
      if (dialog) dialog->stop();
    });
  });
  connect(dialog_, &SurveyDialog::progressed, this,
          [this, jobs](const QString& words, double fraction) {
            jobs->noteProcess(listed_, words, fraction);
          });
  connect(dialog_, &SurveyDialog::ended, this, [this, jobs](const QString& failure) {
    const bool isStopped = !failure.isEmpty() && dialog_ && dialog_->isStopped();
    const Jobs::State state = failure.isEmpty() ? Jobs::State::Done
                              : isStopped       ? Jobs::State::Stopped
                                                : Jobs::State::Failed;
    jobs->endProcess(std::exchange(listed_, 0), state, isStopped ? QString() : failure);
  });
}

void SurveyFiles::open(const QString& path) {
  AnalysisSettings analysis = workspace_.analysis().settings();
  const int reading = analysis.of<SurveySettings>().reading;
  analysis.of<SurveySettings>() = {};
  analysis.of<SurveySettings>().file = QFileInfo(path).absoluteFilePath().toStdString();
  analysis.of<SurveySettings>().reading = reading + 1;
  workspace_.analysis().set(analysis);
  workspace_.setPage(QStringLiteral("survey"));
  if (!QFileInfo::exists(path)) return;
  rememberPath(settings_.recentSurveys, QFileInfo(path).absoluteFilePath());
  fillRecentMenu();
}

void SurveyFiles::fillRecentMenu() {
  softscope::fillRecentMenu(*actions_.recentSurveys, settings_.recentSurveys,
                            [this](const QString& path) { open(path); });
}

void SurveyFiles::show(const SurveyPlace& place) {
  offered_.reset();
  opening_.reset();
  if (!QFileInfo::exists(QString::fromStdString(place.picture))) {
    Q_EMIT failed(tr("The picture %1 is no longer there; put the survey's pictures back to where "
                     "they were measured")
                      .arg(QString::fromStdString(place.picture)));
    return;
  }
  const OpenModels& models = workspace_.models();
  const int model = openModelOf(place, models);
  if (model >= 0) {
    workspace_.models().setCurrent(model);
    if (!place.layer.empty()) workspace_.layers().choose(place.layer);
    turnTo(place);
    workspace_.queue().setInputSize(sizeAsMeasured(place, *workspace_.models().current()));
    compare(place, *workspace_.models().current());
    return;
  }
  const QString name = QString::fromStdString(place.model);
  if (!QFileInfo::exists(QString::fromStdString(place.modelPath))) {
    Q_EMIT failed(tr("The model %1 is not open, and %2 is no longer there; put the file back, then "
                     "click the point again")
                      .arg(name, QString::fromStdString(place.modelPath)));
    return;
  }
  offered_ = place;
  Q_EMIT modelOffered(
      tr("The model %1 is not open; open it as it was measured to look at %2 with it")
          .arg(name, fileName(place.picture)),
      tr("Open %1").arg(name));
}

void SurveyFiles::openOffered() {
  if (!offered_) return;
  const SurveyPlace place = *offered_;
  offered_.reset();
  ModelState model;
  model.request = surveyedRequest(place);
  const OpenedModel* current = workspace_.models().current();
  model.request.device = current ? current->request.device : workspace_.compute().device;
  model.inputSize = surveyedInput(place.transform).size.value_or(InputSize());
  model.layer = place.layer;
  opening_ = place;
  workspace_.queue().openMeasured(model);
  turnTo(place);
}

void SurveyFiles::compareOpened() {
  const OpenModels& models = workspace_.models();
  const int model = opening_ ? openModelOf(*opening_, models) : -1;
  if (model < 0) return;
  const SurveyPlace place = *std::exchange(opening_, std::nullopt);
  compare(place, models.all()[static_cast<std::size_t>(model)]);
}

void SurveyFiles::compare(const SurveyPlace& place, const OpenedModel& model) {
  const QString crop = cropDifference(place, model);
  if (!crop.isEmpty()) Q_EMIT failed(crop);
  if (place.fingerprint.empty() || model.summary().isLive) return;
  const std::string path = model.request.path;
  const auto known = fingerprints_.find(model.stamp);
  if (known != fingerprints_.end()) return tellDifference(place, known->second);
  workspace_.worker().submit(
      Worker::Kind::Checksum, tr("Comparing %1 with the survey").arg(fileName(path)),
      [this, place, path, stamp = model.stamp](const Progress& progress) -> Worker::Delivery {
        std::string fingerprint;
        // A file that was replaced since the model was read tells nothing of that model.
        if (fileStamp(path) != stamp) return {};
        try {
          fingerprint = modelFingerprint(path, progress);
        } catch (const FileError&) {
          return {};
        }
        if (fileStamp(path) != stamp) return {};
        return [this, place, stamp, fingerprint] {
          fingerprints_[stamp] = fingerprint;
          tellDifference(place, fingerprint);
        };
      });
}

void SurveyFiles::tellDifference(const SurveyPlace& place, const std::string& fingerprint) {
  if (place.fingerprint == fingerprint) return;
  Q_EMIT failed(
      tr("%1 is not the file that the survey measured: it has other content now, so these "
         "maps are not those of the point; measure again into a new survey")
          .arg(QString::fromStdString(place.modelPath)));
}

void SurveyFiles::turnTo(const SurveyPlace& place) {
  const PictureReading reading = surveyedInput(place.transform).reading;
  const std::optional<PictureRequest> shown = workspace_.picture().request();
  const bool isOpen = shown && shown->bytes.isEmpty() && shown->reading == reading &&
                      isSameFile(shown->path.toStdString(), place.picture);
  if (!isOpen) workspace_.picture().open(QString::fromStdString(place.picture), reading);
  workspace_.view().setOnlyHead(place.head < 0 ? std::nullopt : std::optional(place.head));
  workspace_.setPage(QStringLiteral("heads"));
}

}  // namespace softscope
