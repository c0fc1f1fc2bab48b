#include "app/arguments/CommandProgress.h"
#include "app/arguments/FilesRead.h"
#include "app/arguments/LayerChoice.h"
#include "app/arguments/Note.h"
#include "app/arguments/UsageError.h"
#include "app/figures/FigureCommands.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "app/figures/drawing/FigureDrawings.h"
#include "core/Error.h"
#include "core/analysis/cka/CkaAnalysis.h"
#include "core/files/Overwriting.h"
#include "core/inspect/TokenInspection.h"
#include "core/network/Device.h"
#include "core/survey/PictureList.h"
#include "core/text/Names.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

namespace {

bool isComparedLayer(const std::vector<std::string>& asked, const std::string& layer) {
  return asked.empty() || std::ranges::any_of(asked, [&](const std::string& text) {
           return selectsLayer(text, layer);
         });
}

/// Returns what stands for a picture behind a block.
Eigen::VectorXf featuresOf(const LayerTokens& layer, CkaTokens of) {
  if (of == CkaTokens::All) return layer.tokens.reshaped<Eigen::RowMajor>();
  return layer.tokens.bottomRows(layer.grid.count()).colwise().mean().transpose();
}

/// The features of one network's layers on the pictures of a batch.
class BatchFeatures {
 public:
  BatchFeatures(const FigureArguments& arguments, std::size_t model, const std::string& image)
      : arguments_(arguments),
        index_(model),
        model_(openFigureModel(arguments, model, image)),
        settings_(arguments.analysis.of<CkaSettings>()) {}

  const std::vector<std::string>& layers() const { return layers_; }

  /// Runs the network on a picture of the batch. Throws InspectionError if its layers are of
  /// another size than on earlier pictures.
  void add(const std::string& path, int picture, int pictures) {
    const Input input = readInput(path, model_->summary(), arguments_.input(index_));
    const auto tokens = inspectTokens(*model_, input.tensor);
    if (layers_.empty()) nameLayers(*tokens);
    std::size_t next = 0;
    for (const LayerTokens& layer : tokens->layers) {
      if (!isComparedLayer(arguments_.layers, layer.layer)) continue;
      const Eigen::VectorXf features = featuresOf(layer, settings_.of);
      Matrix& batch = batch_.at(next++);
      if (picture == 0) batch.resize(pictures, features.size());
      if (batch.cols() != features.size()) {
        throw InspectionError("the pictures reach " + layer.layer +
                              " in different sizes; give --size HxW, or --tokens-as mean");
      }
      batch.row(picture) = features.transpose();
    }
  }

  /// Returns the Gram matrix of each layer.
  std::vector<Eigen::MatrixXd> grams() const {
    std::vector<Eigen::MatrixXd> grams;
    for (const Matrix& features : batch_) grams.push_back(gramMatrix(features));
    return grams;
  }

 private:
  void nameLayers(const TokenInspection& tokens) {
    for (const LayerTokens& layer : tokens.layers) {
      if (isComparedLayer(arguments_.layers, layer.layer)) layers_.push_back(layer.layer);
    }
    if (layers_.empty()) {
      throw InspectionError("no layer with tokens is called " + arguments_.layers.front() +
                            "; softscope inspect lists them");
    }
    batch_.resize(layers_.size());
  }

  const FigureArguments& arguments_;
  std::size_t index_;
  std::shared_ptr<const Model> model_;
  CkaSettings settings_;
  std::vector<std::string> layers_;
  std::vector<Matrix> batch_;
};

ModelCka compareLayers(const FigureArguments& arguments, const PictureList& pictures,
                       std::vector<BatchFeatures>& models, const Progress& progress) {
  const auto count = static_cast<int>(pictures.entries.size());
  const std::vector<int> begins = batchBegins(count, arguments.analysis.of<CkaSettings>().batch);
  std::optional<CkaSum> sum;
  for (std::size_t batch = 0; batch + 1 < begins.size(); ++batch) {
    for (int i = begins[batch]; i < begins[batch + 1]; ++i) {
      const std::string path = pictures.pathOf(pictures.entries[static_cast<std::size_t>(i)]);
      progress.throwIfCancelled();
      progress.report(static_cast<double>(i) / count,
                      "Picture " + std::to_string(i + 1) + " of " + std::to_string(count));
      for (BatchFeatures& model : models) {
        model.add(path, i - begins[batch], begins[batch + 1] - begins[batch]);
      }
    }
    const std::vector<Eigen::MatrixXd> first = models.front().grams();
    const std::vector<Eigen::MatrixXd> second = models.size() > 1 ? models.back().grams() : first;
    if (!sum) sum.emplace(static_cast<int>(first.size()), static_cast<int>(second.size()));
    sum->add(first, second);
  }
  ModelCka cka;
  cka.firstLayers = models.front().layers();
  cka.secondLayers = models.back().layers();
  cka.pictures = count;
  cka.batches = static_cast<int>(begins.size()) - 1;
  cka.values = sum->values();
  return cka;
}

}  // namespace

int writeCkaFigure(const FigureArguments& arguments) {
  checkFiles(arguments, FigureNumbers::Table);
  const std::size_t count = arguments.model.checkpoints.size();
  if (count > 2) throw UsageError("figure cka compares two models; give -m at most twice");
  const int limit = arguments.analysis.of<CkaSettings>().limit;
  const PictureList pictures = namedPictures(
      arguments.images, limit > 0 ? std::optional<std::int64_t>(limit) : std::nullopt);
  checkOutputs({arguments.output, arguments.data}, filesRead(pictures));
  if (pictures.entries.size() < leastCkaPictures) {
    throw InspectionError("CKA needs 4 pictures or more, and there are " +
                          std::to_string(pictures.entries.size()) +
                          "; give a folder, or more pictures");
  }
  setComputeThreads(arguments.model.threads);
  ProgressLine line;
  Progress progress = stepsOn(line);
  const Interruption interruption(progress);
  std::vector<BatchFeatures> models;
  for (std::size_t i = 0; i < count; ++i) models.emplace_back(arguments, i, arguments.image);
  ModelCka cka = compareLayers(arguments, pictures, models, progress);
  line.clear();
  const std::vector<std::string> names = uniqueNames(arguments.model.modelNames());
  cka.first = names.front();
  cka.second = names.back();
  const std::string undefined = undefinedText(cka);
  if (!cka.values.array().isFinite().any()) {
    throw InspectionError(undefined + "; give pictures that differ");
  }
  if (!undefined.empty()) noteOnResult(undefined);
  if constexpr (drawsFigures) drawCka(arguments, cka);
  writeNumbers(arguments, ckaTable(cka));
  return 0;
}

}  // namespace softscope
