#pragma once

#include "core/engine/Engine.h"
#include "core/files/FileVersion.h"
#include "core/image/PreparedPicture.h"
#include "core/model/InputSize.h"
#include "widgets/workspace/ModelMarks.h"

#include <QtCore/QString>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// An open model: how it was requested, and its latest inspection of the picture.
struct OpenedModel {
  /// Identifies the model while others come, go and move; never reused.
  int id = 0;
  ModelRequest request;
  std::shared_ptr<const Model> model;
  /// Size of the input in the inspection or, without one, in the next run.
  InputSize inputSize;
  /// Size of the next run, if it differs from that of the inspection.
  std::optional<InputSize> nextSize;
  /// The inspection; null until the model has seen the picture.
  std::shared_ptr<const Inspection> inspection;
  /// The inspection with the mean over channels in every layer, whatever channel `inspection`
  /// shows.
  std::shared_ptr<const Inspection> ofAllChannels;
  /// The logit whose gradient was asked for last; empty if none was.
  std::optional<LogitRequest> logit;
  /// The part of the picture that the model saw.
  PictureRegion region;
  /// Note that follows the mechanism wherever it is named; see noteOn().
  std::string note;
  std::string layer;
  /// Why there is a picture but no inspection; empty if none has been tried.
  QString failure;
  /// Fingerprint of the checkpoint's file; see fileFingerprint(). Empty if the file was replaced
  /// while it was read.
  QString fingerprint;
  /// The checkpoint's files as they were found when it was opened, and their stampOf() then. A file
  /// that a folder gets later is none of them.
  std::vector<std::string> files;
  std::string stamp;
  /// The file of its classes' names, if it was opened with one.
  FileVersion names;
  /// The name its user gave it; if empty, it is named after its file.
  QString givenName;
  ModelMarks marks;

  const ModelSummary& summary() const { return model->summary(); }
  /// Takes the inspection of a picture.
  void setInspection(std::shared_ptr<const Inspection> seen);
  /// Shows the matrices of one channel in layers that have such; without one, the mean.
  void showChannel(std::optional<int> channel);
  /// Returns the size requested last.
  const InputSize& wantedSize() const { return nextSize ? *nextSize : inputSize; }
  /// Returns the chosen layer, or null before an inspection.
  const LayerInspection* shownLayer() const;
  /// Returns the chosen layer and those of collected heads, without repetition; empty before an
  /// inspection.
  std::vector<const LayerInspection*> shownLayers() const;
  /// True if the model has a layer of that name.
  bool hasLayer(const std::string& name) const;
  /// Returns the name its user gave it, or the file's name without its extension.
  QString name() const;
};

/// Returns the names of models shown side by side, each in one line; see modelNames().
std::vector<QString> namesBeside(const std::vector<const OpenedModel*>& models);

/// Returns the files that a model was opened from, as they were then; none for a model in a Python
/// process.
std::vector<FileVersion> versionsOf(const OpenedModel& opened);

/// Returns `opened` after an inspection of the picture at the size wanted; runs on the worker.
OpenedModel inspected(const OpenedModel& opened, const Picture& picture,
                      const ModelInspector& inspect, const InspectionOptions& options,
                      const Progress& progress);

/// Returns a function that prepares the input of a model that has seen the picture; it runs on the
/// worker.
std::function<InputTensor()> inputOf(const OpenedModel& opened,
                                     std::shared_ptr<const Picture> picture);

}  // namespace softscope
