#pragma once

#include "core/Progress.h"
#include "core/checkpoint/StateDict.h"

#include <map>
#include <string>
#include <vector>

namespace softscope {

/// Which copy of the weights to take from a file that holds several.
enum class WeightsChoice {
  Published,  ///< what the authors' own evaluation takes
  Ema,        ///< the running average; an error where there is none
  Raw,        ///< the weights as trained
};

/// A file of weights, read as data. Nothing a file names is ever imported or called.
struct Checkpoint {
  StateDict state;
  /// `ema` or `raw`, and the key the copy stood under (empty: the file is the state dict itself).
  std::string weights;
  std::string weightsKey;
  /// Prefixes taken off every name, e.g. `module.backbone.`.
  std::string prefix;
  /// Names of tensors, as the file has them, that stand beside the network that the prefix is of,
  /// and were left out.
  std::vector<std::string> beside;
  /// A .safetensors file's metadata; for .pth, plain strings and numbers that stood beside the
  /// weights (`arch`, `epoch`, and `args.model` from an argparse.Namespace).
  std::map<std::string, std::string> metadata;
  std::string path;
};

/// Reads .pth, .pt, .pth.tar, .ckpt, .bin (zip and legacy pickle stream; a state dict, or a whole
/// module as data), .pt2 and .safetensors, told apart by their bytes; shards through their index,
/// given as that or as one of them; and the checkpoint in a folder. Tensors are on the CPU,
/// contiguous, in the file's own type. Throws CheckpointError naming the file and the reason;
/// allocates no more than the file's own size warrants. Cancelled between tensors.
Checkpoint readCheckpoint(const std::string& path, WeightsChoice choice = WeightsChoice::Published,
                          const Progress& progress = {});

/// Keeps the tensors below a prefix, without it.
void takePrefixOff(const std::string& prefix, Checkpoint& checkpoint);

}  // namespace softscope
