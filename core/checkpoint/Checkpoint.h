#pragma once

#include "core/Progress.h"
#include "core/checkpoint/StateDict.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace softscope {

/// The copy of the weights to take from a file that holds several.
enum class WeightsChoice {
  Published,  ///< the copy that the authors' own evaluation uses
  Ema,        ///< the running average; an error if there is none
  Raw,        ///< the weights as trained
};

/// A file of weights, read as data. Nothing that a file names is ever imported or called.
struct Checkpoint {
  StateDict state;
  /// `ema` or `raw`, and the key that held this copy (empty if the file is the state dict itself).
  std::string weights;
  std::string weightsKey;
  /// Prefix removed from every name, e.g. `module.backbone.`.
  std::string prefix;
  /// Names, as in the file, of the tensors that were left out because they lie outside the
  /// network's prefix, or under another key than the weights, but for those of training and of
  /// other copies; of many, the first.
  std::vector<std::string> beside;
  /// Names, as in the file, of the buffers that a whole module's state_dict() would leave out.
  std::set<std::string> temporary;
  /// Metadata of a .safetensors file. For .pth, the plain strings and numbers stored beside the
  /// weights (`arch`, `epoch`, and `args.model` from an argparse.Namespace), and what a whole
  /// module's attributes say (`module.num_heads`).
  std::map<std::string, std::string> metadata;
  std::string path;
};

/// Reads .pth, .pt, .pth.tar, .ckpt, .bin (zip and legacy pickle stream; a state dict, or a whole
/// module as data), .pt2 and .safetensors, told apart by their bytes. Also reads shards, given by
/// their index or by any one of them, which must be complete and listed in the index, and the
/// checkpoint in a folder. Tensors are on the CPU, contiguous, and of the type that the file
/// stores. Throws a CheckpointError that names the file and the reason; allocates no more than the
/// file's own size warrants. Can be cancelled between tensors.
Checkpoint readCheckpoint(const std::string& path, WeightsChoice choice = WeightsChoice::Published,
                          const Progress& progress = {});

/// Keeps only the tensors whose names start with `prefix`, and removes it from their names.
void takePrefixOff(const std::string& prefix, Checkpoint& checkpoint);

}  // namespace softscope
