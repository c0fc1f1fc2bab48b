#pragma once

#include "models/identify/ConfiguredTransform.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// The network's properties according to the files beside a checkpoint: config.json, which Hugging
/// Face and timm write, OpenCLIP's open_clip_config.json, and Hugging Face's processor_config.json
/// or preprocessor_config.json. Of a larger network, the part that is for pictures counts.
struct ConfigurationFile {
  /// Number of heads, or one number for each stage; empty if the file is missing or does not say.
  std::vector<int> heads;
  /// Channels of a token: one number, or one for each stage; empty if unknown.
  std::vector<int> channels;
  /// timm's `architecture`, or else Hugging Face's `model_type`.
  std::string architecture;
  /// Hugging Face's `model_type`, also of a part: `clip_vision_model`.
  std::string modelType;
  /// Hugging Face's `architectures`: the class that was saved, `ViTForImageClassification`.
  std::string modelClass;
  /// How timm's network of that name was trained: `augreg_in21k_ft_in1k`.
  std::string tag;
  /// Hugging Face's `hidden_act` or timm's `act_layer`: `gelu`, `quick_gelu`, ...; may also follow
  /// from timm's name of the network.
  std::string activation;
  /// The input of timm's head, `global_pool`: `token`, `avg`, ...
  std::string pooling;
  /// The epsilon of layer norms: Hugging Face's `layer_norm_eps`, or OpenCLIP's `norm_kwargs.eps`.
  std::optional<double> epsilon;
  /// The base of DINOv3's rotary periods, `rope_theta`.
  std::optional<double> rotaryBase;
  /// Class names from `id2label` or timm's `label_names`; empty if they are only numbers.
  std::vector<std::string> classNames;
  /// Every plain value at the top level, or one level below, as text; lists of numbers as `28,42`.
  /// Lists with lists among them are JSON, `[[6,6],[6,6]]`.
  /// The base of rotary periods is under `rope_theta` wherever it stands in the file.
  /// OpenCLIP's `act_kwargs` and `norm_kwargs`, without those that other members hold, are under
  /// keys such as `norm_kwargs.bias`.
  std::map<std::string, std::string> values;
  /// The list under `network`, as JSON: the program of a convolutional network with non-local
  /// blocks. Empty if there is none.
  std::string network;
  ConfiguredTransform transform;
  /// The file that describes the network: `config.json`, or `open_clip_config.json`; `args` within
  /// a checkpoint.
  std::string fileName = "config.json";
  /// The file that describes the preparation of pictures: `config.json`, `processor_config.json` or
  /// `preprocessor_config.json`.
  std::string transformFile;
  /// Files that are there and cannot be read, each with the reason: `config.json is no JSON object
  /// in UTF-8`.
  std::vector<std::string> unread;
  /// Keys that are there and whose value is of no use, each with the reason: `config.json says
  /// num_attention_heads "8", which is no whole number above 0`.
  std::vector<std::string> notUnderstood;
  /// How the weights are quantised, Hugging Face's `quantization_config.quant_method`; empty if the
  /// file does not say.
  std::string quantisation;

  /// True if the values stand in the checkpoint itself, as timm's training script stores them.
  bool isWithinCheckpoint = false;

  /// Returns `config.json beside the file`, or another place, for sentences.
  std::string place() const {
    return fileName + (isWithinCheckpoint ? " in the file" : " beside the file");
  }
  /// Returns `preprocessor_config.json beside the file`, or another place, for sentences.
  std::string transformPlace() const {
    return transformFile == fileName ? place() : transformFile + " beside the file";
  }
  /// Returns true if the file is OpenCLIP's, whose words differ from timm's and Hugging Face's.
  bool isOpenClips() const { return fileName == "open_clip_config.json"; }
  /// Returns true if the file can describe a network with `lastChannels` channels in its last
  /// stage; a folder may hold several checkpoints. A file that gives a single number may also mean
  /// one of `otherWidths`, such as the channels of the first stage.
  bool fits(int lastChannels, const std::vector<int>& otherWidths = {}) const;
  /// Returns the heads if the file fits; otherwise empty.
  std::vector<int> headsOf(int lastChannels) const;
};

/// Returns the activation that timm's name of a network tells, as in `--activation`; empty if it
/// tells none.
std::string activationOfTimmsName(const std::string& architecture);

/// Reads these files in the folder of a checkpoint. Says only in `unread` that one cannot be read.
ConfigurationFile readConfigurationFile(const std::string& checkpointPath);

}  // namespace softscope
