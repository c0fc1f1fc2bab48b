#include "widgets/workspace/SweepPlan.h"

#include "core/Error.h"
#include "core/attention/Mechanism.h"
#include "core/query/QueryPath.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Workspace.h"
#include "widgets/workspace/WorkspaceFigures.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QFileInfo>

#include <algorithm>
#include <utility>

namespace softscope {
namespace {

/// The part of the work that running the network takes, if it must run for each frame.
constexpr double runningPart = 0.8;

QString words(const char* text) {
  return QCoreApplication::translate("Sweep", text);
}

const AttentionDescription& attentionOf(const HeadsSubject& subject) {
  return subject.layers.front().attention->description();
}

std::vector<PictureQuery> queriesOf(const SweepPlan& plan) {
  const HeadsSubject& shown = plan.shown;
  return sweptPlaces(plan.corners, plan.settings.frames, attentionOf(shown),
                     extentOf(shown.picture.get(), shown.region), shown.direction);
}

std::vector<HeadsSubject> alongPath(const SweepPlan& plan) {
  std::vector<HeadsSubject> moments;
  for (const PictureQuery& query : queriesOf(plan)) {
    moments.push_back(plan.shown);
    moments.back().queries = markedQueries({query});
  }
  return moments;
}

std::vector<HeadsSubject> overLayers(const SweepPlan& plan) {
  std::vector<HeadsSubject> moments;
  for (const LayerInspection& layer : plan.layers) {
    moments.push_back(plan.shown);
    moments.back().layers = {layer};
  }
  return moments;
}

/// Returns the moments of a sweep that needs no run of a network.
std::vector<HeadsSubject> momentsAtHand(const SweepPlan& plan) {
  return plan.settings.over == SweepOver::Query ? alongPath(plan) : overLayers(plan);
}

/// Opens the model as `request` says and returns the answers of its layer.
HeadsSubject ranAgain(const SweepPlan& plan, const ModelRequest& request,
                      const Progress& progress) {
  OpenedModel opened = plan.model;
  opened.request = request;
  opened.model = plan.engine.openModel(request, progress);
  opened = inspected(opened, *plan.shown.picture, plan.engine.inspect, {.logit = opened.logit},
                     progress);
  opened.showChannel(plan.channel);
  const std::string& layer = plan.shown.layers.front().name;
  const LayerInspection* found = opened.inspection->find(layer);
  if (!found) throw InspectionError(request.path + " has no layer " + layer);
  HeadsSubject subject = plan.shown;
  subject.region = opened.region;
  subject.mechanismNote = opened.note;
  subject.layers = {*found};
  return subject;
}

Progress runOf(const Progress& progress, std::size_t index, std::size_t count,
               const std::string& what) {
  const auto at = [&](std::size_t i) {
    return runningPart * static_cast<double>(i) / static_cast<double>(count);
  };
  return progress.part(at(index), at(index + 1), what);
}

std::vector<HeadsSubject> overSteps(const SweepPlan& plan, const Progress& progress) {
  std::vector<HeadsSubject> moments;
  for (const std::string& step : plan.steps) {
    ModelRequest request = plan.model.request;
    request.path = step;
    const std::string name =
        QFileInfo(QString::fromStdString(step)).completeBaseName().toStdString();
    moments.push_back(
        ranAgain(plan, request, runOf(progress, moments.size(), plan.steps.size(), name)));
    moments.back().modelName = name;
  }
  return moments;
}

std::vector<HeadsSubject> overLandmarks(const SweepPlan& plan, QStringList& leftOut,
                                        const Progress& progress) {
  const std::vector<LandmarkChoice> choices = plan.landmarks();
  std::vector<HeadsSubject> moments;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    ModelRequest request = plan.model.request;
    request.landmarks = choices[i];
    try {
      moments.push_back(
          ranAgain(plan, request, runOf(progress, i, choices.size(), choices[i].text())));
    } catch (const InspectionError& error) {
      leftOut +=
          words("%1 are left out: %2")
              .arg(QString::fromStdString(choices[i].text()), QString::fromUtf8(error.what()));
    }
  }
  if (moments.size() < 2 && !leftOut.isEmpty()) {
    throw InspectionError(leftOut.front().toStdString());
  }
  return moments;
}

/// True if a layer answers at once: the columns of a softmax are added up first, on the worker.
bool answersAtOnce(const HeadsSubject& subject, const LayerInspection& layer) {
  return subject.direction == Direction::Rows || mapOf(layer, subject.map)->columnsReady();
}

bool canPreviewAll(const SweepPlan& plan) {
  if (plan.settings.over == SweepOver::Query) return true;
  return plan.settings.over == SweepOver::Layers &&
         std::ranges::all_of(plan.layers, [&](const LayerInspection& layer) {
           return answersAtOnce(plan.shown, layer);
         });
}

/// Finds out, once for each layer, how alike the answers of its heads are.
void addLikeness(std::vector<HeadsSubject>& moments, const Progress& progress) {
  if (moments.front().direction != Direction::Rows) return;
  std::vector<SharedLikeness> last;
  const AttentionMap* of = nullptr;
  for (HeadsSubject& moment : moments) {
    const AttentionMap* attention = moment.layers.front().attention.get();
    progress.throwIfCancelled();
    if (attention != of) last = layerLikeness(moment.layers, moment.map);
    of = attention;
    moment.likeness = last;
  }
}

}  // namespace

QString SweepPlan::obstacle(SweepOver over) const {
  const ModelSummary& summary = model.summary();
  switch (over) {
    case SweepOver::Layers:
      return layers.size() > 1 ? QString() : words("the model has one layer to show");
    case SweepOver::Checkpoints:
      return steps.size() > 1 ? QString() : words("the model is no step of a training");
    case SweepOver::Landmarks:
      if (const std::string obstacle = summary.obstacleTo("choice of landmarks");
          !obstacle.empty()) {
        return QString::fromStdString(obstacle);
      }
      return attentionOf(shown).landmarks && takesLandmarks(summary.mechanism)
                 ? QString()
                 : words("this layer has no landmarks");
    case SweepOver::Query:
      break;
  }
  return chosenGrid(attentionOf(shown), shown.direction)
             ? QString()
             : words("this layer's tokens are not patches");
}

QString SweepPlan::about() const {
  switch (settings.over) {
    case SweepOver::Layers:
      return words("Every layer answers the query.");
    case SweepOver::Checkpoints:
      return words("Every checkpoint of the training answers the query in this layer.");
    case SweepOver::Landmarks:
      return words("The network runs with more and more landmarks, up to as many as it has now.");
    case SweepOver::Query:
      break;
  }
  if (corners.size() < 2) {
    return words(
        "From left to right, at the query's height. Pins make another path: Shift+click on the "
        "picture.");
  }
  return words("Through the pins in the order of their letters; from a single pin to the query.");
}

std::vector<LandmarkChoice> SweepPlan::landmarks() const {
  return sweptLandmarks(model.request.landmarks, {}, attentionOf(shown).landmarks.value_or(0));
}

std::size_t SweepPlan::count() const {
  switch (settings.over) {
    case SweepOver::Layers:
      return layers.size();
    case SweepOver::Checkpoints:
      return steps.size();
    case SweepOver::Landmarks:
      return landmarks().size();
    case SweepOver::Query:
      break;
  }
  return queriesOf(*this).size();
}

SweepPlan sweepPlan(const Workspace& workspace, const SweepSettings& settings,
                    std::vector<std::string> steps) {
  SweepPlan plan;
  plan.settings = settings;
  plan.shown = headsSubject(workspace);
  if (plan.shown.layers.empty()) {
    throw InspectionError("no layer is shown that could be swept; wait until the model has run");
  }
  plan.model = *workspace.models().current();
  plan.channel = workspace.view().channel().chosen();
  plan.steps = std::move(steps);
  plan.engine = workspace.engine();
  std::vector<PictureQuery> corners = workspace.queries().pins();
  if (corners.size() < 2) corners.push_back(workspace.queries().query());
  for (PictureQuery& corner : corners) corner.prefixToken.reset();
  plan.corners = std::move(corners);
  for (const LayerInspection& layer : plan.model.inspection->layers) {
    if (hasMap(layer, plan.shown.map)) plan.layers.push_back(layer);
  }
  return plan;
}

SweepFrames previewedFrames(const SweepPlan& plan) {
  if (!answersAtOnce(plan.shown, plan.shown.layers.front())) {
    throw InspectionError("the columns of this layer are being added up; try again in a moment");
  }
  const bool all = canPreviewAll(plan);
  std::vector<HeadsSubject> moments =
      all ? momentsAtHand(plan) : std::vector<HeadsSubject>{plan.shown};
  // Likeness may take seconds, and only adds notes to captions.
  for (HeadsSubject& moment : moments) moment.likeness = {nullptr};
  if (all) return sweepFrames(moments);
  return {headsFigure(moments.front())};
}

MadeSweep makeSweep(const SweepPlan& plan, const Progress& progress) {
  MadeSweep made;
  std::vector<HeadsSubject> moments;
  switch (plan.settings.over) {
    case SweepOver::Checkpoints:
      moments = overSteps(plan, progress);
      break;
    case SweepOver::Landmarks:
      moments = overLandmarks(plan, made.leftOut, progress);
      break;
    case SweepOver::Query:
    case SweepOver::Layers:
      moments = momentsAtHand(plan);
      break;
  }
  if (moments.empty()) return made;
  addLikeness(moments, progress);
  made.frames = sweepFrames(moments, progress);
  return made;
}

}  // namespace softscope
