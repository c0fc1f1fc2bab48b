#pragma once

#include "core/Matrix.h"
#include "core/Progress.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/array/Npz.h"
#include "core/attention/TokenGrid.h"
#include "core/model/InputTransform.h"
#include "core/model/Model.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// The ways to say which tokens speak for a class. y is the class's logit.
enum class ClassMethod {
  All,  ///< every other one; in settings only
  /// Attention times its gradient, rolled out over all layers: r <- r + r E from the last layer to
  /// the first, where E is the mean over heads of the positive part of A ∘ ∂y/∂A, and r starts at
  /// the tokens that the answer is read from ("Generic Attention-model Explainability for
  /// Interpreting Bi-Modal and Encoder-Decoder Transformers", 2021, arXiv 2103.15679, Eqs. 5, 6).
  GradientRollout,
  /// Mean over layers, heads and queries of the positive part of ∂y_l/∂A_l, where y_l is the logit
  /// that the network's own head gives to the tokens of layer l ("LeGrad: An Explainability Method
  /// for Vision Transformers via Feature Formation Sensitivity", 2024, arXiv 2404.03214, Eqs. 5 to
  /// 9).
  LeGrad,
  /// Each token behind a block times the gradient of y with respect to it, summed over channels.
  GradientTokens,
  /// The tokens behind a block, weighted channel by channel with the mean gradient over patches;
  /// the positive part of their sum ("Grad-CAM: Visual Explanations from Deep Networks via
  /// Gradient-based Localization", 2016, arXiv 1610.02391, Eqs. 1, 2).
  GradCam,
  /// The picture's difference from its mean colour times the mean gradient of y along the straight
  /// path between both, summed over channels and each patch; its sum is the difference of y
  /// ("Axiomatic Attribution for Deep Networks", 2017, arXiv 1703.01365, Eq. 1).
  IntegratedGradients,
};

/// The entries of A ∘ ∂y/∂A that a rollout follows, and of ∂y_l/∂A_l that LeGrad sums.
enum class AttentionEntries {
  Positive,   ///< the positive part, as published: what raises the logit
  Magnitude,  ///< magnitudes: what moves the logit in either direction
  Signed,     ///< as they are: what raises the logit less what lowers it
};

struct ClassMapSettings {
  ClassMethod method = ClassMethod::All;
  AttentionEntries entries = AttentionEntries::Positive;
  /// Points of the path of integrated gradients.
  int points = 32;
  /// The class, from 0; if empty, the predicted one.
  std::optional<int> classIndex;
  /// A second class to compare with; if empty, there is none.
  std::optional<int> against;
  /// Looks at the tokens behind the chosen layer's block, and not behind the last block whose
  /// patches have a gradient.
  bool atLayer = false;

  bool operator==(const ClassMapSettings&) const = default;
};

/// Options of the maps of one class.
struct ClassMapRequest {
  /// The class, from 0; if empty, the predicted one.
  std::optional<int> classIndex;
  /// Methods, none of which is All.
  std::vector<ClassMethod> methods;
  AttentionEntries entries = AttentionEntries::Positive;
  int points = 32;
  /// The attention layer of the block whose tokens are looked at; if empty, the last one whose
  /// patches have a gradient.
  std::string layer = {};
};

/// A map of one class.
struct ClassMap {
  ClassMethod method = ClassMethod::GradientRollout;
  /// The block that the map belongs to; empty for maps of the whole network.
  std::string layer;
  TokenGrid grid;
  /// [patches] how much each speaks for the class; negative for those that speak against it.
  Vector patches;
  /// A remark on this map alone, such as `sum 3.21 of 3.24`; empty if there is none.
  std::string note;
  /// The reason why the network has no such map; empty if it has one.
  std::string obstacle;
  /// True if it could have one, given more memory.
  bool exceedsMemory = false;
};

/// The maps of one class of one network on one picture.
struct ClassMaps {
  int classIndex = 0;
  double logit = 0;
  /// The softmax over all classes; empty for the only class of a network, where it would be 1 for
  /// every picture.
  std::optional<double> probability;
  /// A map for each requested method, in that order.
  std::vector<ClassMap> maps;
};

/// The class maps of one model: those of one class, or of two and the difference of both.
struct ModelClassMaps {
  /// The name and mechanism of the model, as in AnalysedLayer.
  std::string model;
  std::string mechanismNote;
  PictureRegion region;
  std::vector<std::string> classNames;
  ClassMaps first;
  std::optional<ClassMaps> second;
};

/// Returns the methods of a setting: all of them, or the one that was chosen.
std::vector<ClassMethod> methodsOf(ClassMethod choice);

/// A function that computes the maps of one class of a network, such as measureClassMaps().
using ClassMapMeasurer = std::function<ClassMaps(const Model&, const InputTensor&,
                                                 const ClassMapRequest&, const Progress&)>;

/// Computes the maps of the classes that the settings name, for the model of a layer and its input.
/// Throws InspectionError if there is no such class, or no map of any method; may throw Cancelled.
ModelClassMaps computeClassMaps(const AnalysedLayer& of, const Model& model,
                                const InputTensor& input, const ClassMapSettings& settings,
                                const ClassMapMeasurer& measure, const Progress& progress = {});

/// Returns the method's name in files: `gradient_rollout`.
std::string methodName(ClassMethod method);

/// Returns `first` minus `second`, each divided by its own largest magnitude, so that neither class
/// counts for more because its logit is steeper. Both are maps of the same method and grid.
Vector differenceOf(const ClassMap& first, const ClassMap& second);

/// Returns the index of a class that is given by its name or its index: an exact name, or one of
/// the names of several parted by commas, in any case; or a number from 0. Throws InspectionError
/// that says what there is.
int classIndexOf(const std::string& text, const std::vector<std::string>& names, int classes);

/// Returns the name of a class; `class 12` if it has none.
std::string nameOfClass(int index, const std::vector<std::string>& names);

/// Returns `MODEL.METHOD.class_I` [height, width] for each map of each class and, for two classes,
/// `MODEL.METHOD.difference`; and `MODEL.logit.class_I` [1].
NamedArrays classMapArrays(const std::vector<ModelClassMaps>& models);

}  // namespace softscope
