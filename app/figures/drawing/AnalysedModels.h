#pragma once

#include "app/arguments/FigureArguments.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/image/Picture.h"
#include "core/model/InputTransform.h"
#include "core/model/Model.h"

#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// A model of a figure, and its input.
struct AnalysedModel {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Inspection> inspection;
  PictureRegion region;
  /// The name from `--name`, or the file's name without its extension; numbered if it repeats.
  std::string name;
  /// The model's input.
  std::shared_ptr<const InputTensor> input;
  /// The name without a number, after the name of its folder if files of several folders share it.
  std::string title;
  /// Appended to the mechanism in captions; see noteOn().
  std::string note;

  const ModelSummary& summary() const { return model->summary(); }
};

/// Every model of the command line, run on its picture.
struct AnalysedModels {
  std::shared_ptr<const Picture> picture;
  std::vector<AnalysedModel> models;
};

/// Returns the path of the picture that all models run on: IMAGE or, if that is left out, a
/// recording, which stands for its picture.
std::string imageOf(const FigureArguments& arguments);

/// Opens the model at `index` of the command line, and reports on stderr what its file does not
/// tell of how `image` is seen.
std::shared_ptr<const Model> openFigureModel(const FigureArguments& arguments, std::size_t index,
                                             const std::string& image);

/// Opens the models and runs each on the picture. If `opened` is given, the same models on another
/// picture, they are not opened again.
AnalysedModels inspectModels(const FigureArguments& arguments,
                             const AnalysedModels* opened = nullptr);

/// Returns notes on the arrays of each model, one per line: the note on its mechanism, then `more`.
std::vector<std::string> notesOn(const AnalysedModels& analysed,
                                 const std::vector<std::string>& more = {});

/// Returns the layers to analyse, model by model. `--layer` gives layer names or patterns for every
/// model; given once for each of several models, the k-th belongs to the k-th model. A single layer
/// that a model lacks selects that model's layer at the same depth. Without `--layer`, it is each
/// model's last layer with its own mechanism.
std::vector<AnalysedLayer> analysedLayers(const FigureArguments& arguments,
                                          const AnalysedModels& analysed);

/// Returns the layers that analysedLayers() chooses; without any `--layer`, every layer of each
/// model.
std::vector<AnalysedLayer> analysedLayersOrAll(FigureArguments arguments,
                                               const AnalysedModels& analysed);

/// Returns those of the layers that are of one model.
std::vector<AnalysedLayer> layersOf(const std::vector<AnalysedLayer>& layers,
                                    const AnalysedModel& model);

/// Throws InspectionError, naming the model if there are several, if one lacks something; `lacking`
/// is what ModelSummary::obstacleTo() takes.
void checkLacking(const AnalysedModels& analysed, const std::string& lacking);

/// Reports on stderr, one per line, the layers that are left out and why. `obstacles` has an entry
/// for each layer, empty if it is not left out. Throws InspectionError if no layer remains.
void checkObstacles(const std::vector<AnalysedLayer>& layers,
                    const std::vector<std::string>& obstacles);

/// Reports on stderr the layers that are left out of an analysis and why. Each result has `of` and
/// `obstacle`. Throws InspectionError if no layer remains.
template <typename Result>
void checkObstacles(const std::vector<Result>& results) {
  std::vector<AnalysedLayer> layers;
  for (const Result& result : results) layers.push_back(result.of);
  checkObstacles(layers, obstaclesOf(results));
}

}  // namespace softscope
