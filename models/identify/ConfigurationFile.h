#pragma once

#include "models/identify/ConfiguredTransform.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// What the files beside a checkpoint say of its network: config.json, which Hugging Face writes
/// and timm, and Hugging Face's preprocessor_config.json.
struct ConfigurationFile {
  /// One number, or one for each stage; empty where there is no such file or it says nothing.
  std::vector<int> heads;
  /// Channels of a token, likewise.
  std::vector<int> channels;
  /// timm's `architecture`, else Hugging Face's `model_type`.
  std::string architecture;
  /// How timm's network of that name was trained: `augreg_in21k_ft_in1k`.
  std::string tag;
  /// Hugging Face's `hidden_act` or timm's `act_layer`: `gelu`, `quick_gelu`, ...; timm's names of
  /// networks say it, too.
  std::string activation;
  /// What timm's head sees, `global_pool`: `token`, `avg`, ...
  std::string pooling;
  /// Hugging Face's `layer_norm_eps`.
  std::optional<double> epsilon;
  /// Of `id2label` or timm's `label_names`; empty where they are but numbers.
  std::vector<std::string> classNames;
  ConfiguredTransform transform;
  /// The file that says how pictures are prepared: `config.json`, or `preprocessor_config.json`.
  std::string transformFile;

  /// Whether the file may be of a network of so many channels in its last stage: a folder may hold
  /// several checkpoints.
  bool fits(int lastChannels) const;
  /// The heads, where the file fits.
  std::vector<int> headsOf(int lastChannels) const;
};

/// Reads both files in the folder of a checkpoint. What cannot be read counts as nothing said.
ConfigurationFile readConfigurationFile(const std::string& checkpointPath);

}  // namespace softscope
