#pragma once

#include "core/checkpoint/StateDict.h"
#include "core/model/ModelRequest.h"
#include "core/model/ModelSummary.h"
#include "core/network/NetworkModule.h"
#include "models/identify/ConfigurationFile.h"
#include "models/identify/TrainableArchitecture.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Information besides the weights that is available when a network is defined.
struct ModelHints {
  std::optional<std::string> architecture;  ///< `--arch`
  std::optional<std::string> attention;     ///< `--attention`
  std::optional<HeadCounts> heads;          ///< `--heads`
  std::string fileName;
  std::map<std::string, std::string> metadata;
  ConfigurationFile configuration;  ///< the config.json beside the file
  LandmarkChoice landmarks = {};    ///< `--landmarks` and its related options
  /// Values of options for settings that weights do not determine, by name: `activation`,
  /// `epsilon`, ...
  std::map<std::string, std::string> settings = {};
  std::optional<std::string> size = {};  ///< `--size`
  /// Names in the file of what stands beside the network, such as a training's projection.
  std::vector<std::string> beside = {};
};

/// A network that fits the names and shapes in a state dict; its parameters are not filled in yet.
struct DefinedModel {
  /// The summary without weights, parameters, missing and unexpected names.
  ModelSummary summary;
  std::shared_ptr<NetworkModule> network;
  /// Names of pixelNorms() that networks of this layout were published with, if they differ;
  /// otherwise a published variant has the norm of its transform.
  std::vector<std::string> pixelNorms = {};
  /// Why pictures are not normed before the network sees them, if it norms pixels itself: `as the
  /// network norms pixels with 'mean' and 'std'`.
  std::string normsPixelsItself = {};
  /// A published network with these sizes, regardless of the user's other choices. If empty, the
  /// summary's variant says whether there is one.
  std::string publishedAs = {};
  /// Further patterns like the family's `harmless`, for this file.
  std::vector<std::string> harmless = {};
  /// Further numbers of channels by which a configuration may describe the network, besides that of
  /// its last stage: Hugging Face's older files of Swin give that of the first.
  std::vector<int> otherWidths = {};
  /// If not empty, the path of the network for pictures within a larger one, `vision_tower.`:
  /// parameters elsewhere are of other parts, which do not take part in its computation.
  std::string part = {};
};

/// One architecture of the papers. Each has a folder in models/; Families.cpp lists them.
struct Family {
  /// Name in the output of `inspect --json`.
  std::string name;
  /// Names of the family's networks, separated by commas, and a few words on their attention, as
  /// the README lists them.
  std::string networks;
  std::string attention;
  /// Returns true if the names in a state dict belong to this family, even if some are missing.
  std::function<bool(const StateDict&)> recognises;
  /// Infers the configuration from names and shapes. Throws ModelError if they are not sufficient.
  std::function<DefinedModel(const StateDict&, const ModelHints&)> define;
  /// Returns the family's architectures that can be trained from scratch; empty if there are none.
  std::function<std::vector<TrainableArchitecture>()> trainable;
  /// Patterns (as in matchesPattern()) for parameters in the family's files that its networks do
  /// not use, such as the decoder of a pretraining. A file with any other parameter that its
  /// network lacks belongs to another network.
  std::vector<std::string> harmless = {};
  /// True for the reader of networks by structure, whatever their tensors are called. It is asked
  /// last, and finds the network under any prefix by itself.
  bool readsStructure = false;
  /// Hugging Face's `model_type` of every network that the family computes. Networks of other types
  /// may have the same tensors and do more with them: rotate queries, or attend within windows.
  /// Empty if no network of that library has the family's names.
  std::vector<std::string> modelTypes = {};
};

}  // namespace softscope
