#pragma once

#include <string>
#include <vector>

namespace softscope {

/// What the config.json beside a checkpoint says of the network's heads. Hugging Face writes one,
/// and timm.
struct ConfigurationFile {
  /// One number, or one for each stage; empty where there is no such file or it says nothing.
  std::vector<int> heads;
  /// Channels of a token, likewise.
  std::vector<int> channels;

  /// The heads of a network of so many channels in its last stage. Empty where the file describes a
  /// network of another width: a folder may hold several checkpoints.
  std::vector<int> headsOf(int lastChannels) const;
};

/// Reads `config.json` in the folder of a checkpoint: `num_attention_heads` or `num_heads` and
/// `hidden_size` or `embed_dim`, at its top or in timm's `model_args`. What cannot be read counts
/// as nothing said.
ConfigurationFile readConfigurationFile(const std::string& checkpointPath);

}  // namespace softscope
