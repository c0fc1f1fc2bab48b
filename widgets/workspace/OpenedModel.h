#pragma once

#include "core/analysis/ModelFunctions.h"
#include "core/image/PreparedPicture.h"
#include "core/model/InputSize.h"

#include <QtCore/QString>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// A model, what it was asked for, and its latest look at the picture.
struct OpenedModel {
  /// Tells rows apart while they come, go and move; never used twice.
  int id = 0;
  ModelRequest request;
  std::shared_ptr<const Model> model;
  /// Of the inspection, or else of the one to come.
  InputSize inputSize;
  /// What it is to run at instead of the size of its inspection, as soon as it is its turn.
  std::optional<InputSize> nextSize;
  /// Null until the model has seen the picture.
  std::shared_ptr<const Inspection> inspection;
  /// The part of the picture that it saw.
  PictureRegion region;
  /// Follows the mechanism wherever it is named; see noteOn().
  std::string note;
  std::string layer;
  /// Why there is no inspection though there is a picture; empty while none has been tried.
  QString failure;
  /// Of the checkpoint's bytes; see fileFingerprint().
  QString fingerprint;
  /// What its user calls it; empty: by its file.
  QString givenName;

  const ModelSummary& summary() const { return model->summary(); }
  /// What was asked for last.
  const InputSize& wantedSize() const { return nextSize ? *nextSize : inputSize; }
  /// The chosen layer, or null before an inspection.
  const LayerInspection* shownLayer() const;
  /// Whether the model has a layer of that name.
  bool hasLayer(const std::string& name) const;
  /// As its user calls it, or the file's name without its ending.
  QString name() const;
};

/// What models are called beside each other; see modelNames().
std::vector<QString> namesBeside(const std::vector<const OpenedModel*>& models);

/// What `opened` is after a look at the picture at the size that is wanted of it; for the worker.
OpenedModel inspected(const OpenedModel& opened, const Picture& picture,
                      const ModelInspector& inspector, const Progress& progress);

/// Prepares what a model that has seen the picture was fed; for the worker.
std::function<InputTensor()> inputOf(const OpenedModel& opened,
                                     std::shared_ptr<const Picture> picture);

}  // namespace softscope
