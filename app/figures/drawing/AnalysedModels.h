#pragma once

#include "app/arguments/FigureArguments.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/image/Picture.h"
#include "core/model/InputTensor.h"
#include "core/model/Model.h"

#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// A model of a figure, and what it saw.
struct AnalysedModel {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Inspection> inspection;
  PictureRegion region;
  /// As `--name` says, or the file's name without its ending; numbered where it repeats.
  std::string name;
  /// What it was fed.
  std::shared_ptr<const InputTensor> input;
  /// Its name without a number; after its folder's where files of several folders share it.
  std::string title;
  /// Follows its mechanism in captions; see noteOn().
  std::string note;

  const ModelSummary& summary() const { return model->summary(); }
};

/// Every model of the command line, run on its picture.
struct AnalysedModels {
  std::shared_ptr<const Picture> picture;
  std::vector<AnalysedModel> models;
};

/// What all models are shown: IMAGE, or where it was left out a recording, which stands for its
/// picture.
std::string imageOf(const FigureArguments& arguments);

AnalysedModels inspectModels(const FigureArguments& arguments);

/// What is to be known of each model's arrays beside their values, a line each: the note on its
/// mechanism. Then `more`.
std::vector<std::string> notesOn(const AnalysedModels& looks,
                                 const std::vector<std::string>& more = {});

/// What an analysis is of, model by model. `--layer` names layers or patterns of every model; given
/// once for each of several models, the k-th belongs to the k-th; a single one that a model lacks
/// means its layer as deep. Without any, each model's last layer with its own mechanism.
std::vector<AnalysedLayer> analysedLayers(const FigureArguments& arguments,
                                          const AnalysedModels& looks);

/// The layers that analysedLayers() chooses; without any `--layer` every layer of each model.
std::vector<AnalysedLayer> analysedLayersOrAll(FigureArguments arguments,
                                               const AnalysedModels& looks);

/// Says on stderr, a line each, which layers are left out and why: `obstacles` has an entry for
/// each, empty where there is none. Throws InspectionError if none is left.
void checkObstacles(const std::vector<AnalysedLayer>& layers,
                    const std::vector<std::string>& obstacles);

/// Says on stderr which layers are left out of an analysis and why, by its results, each with `of`
/// and `obstacle`. Throws InspectionError if none is left.
template <typename Result>
void checkObstacles(const std::vector<Result>& results) {
  std::vector<AnalysedLayer> layers;
  for (const Result& result : results) layers.push_back(result.of);
  checkObstacles(layers, obstaclesOf(results));
}

}  // namespace softscope
