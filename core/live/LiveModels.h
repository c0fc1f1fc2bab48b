#pragma once

#include "core/model/InputTransform.h"
#include "core/model/ModelSummary.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace softscope {

/// An 8-bit RGB picture, row-major, as it travels between the window and a Python process.
struct LivePicture {
  int width = 0;
  int height = 0;
  std::string rgb;
  /// The path or name that the Python process knows it by; may be empty.
  std::string name;
};

/// A model in a Python process, as the process describes it when it connects.
struct LiveDescription {
  /// The name that tells it from other live models: one line without slashes, at most 100 bytes.
  std::string name;
  std::string variant;
  std::string mechanism;
  std::vector<LayerSummary> layers;
  /// Layers whose attention is not shown, each with its reason: `NAME: REASON`.
  std::vector<std::string> refused;
  std::vector<std::string> classNames;
  /// A remark that titles show behind the name of the mechanism; may be empty.
  std::string note = {};
  /// True if the process sends a recording now and then while it trains, and answers nothing.
  bool isSeries = false;
  /// True if a picture follows, which the model is to be shown on.
  bool bringsPicture = false;
};

/// Asks what reaches a token behind the block of an attention layer.
struct LiveReachQuestion {
  std::string layer;
  /// The query of the layer whose token it is, counted with those before the patches.
  int token = 0;
  /// True to ask for the pixels of the network's input, false for the tokens before the block.
  bool fromPixels = false;
  /// True for what the attention module returns, false for the whole block.
  bool behindAttention = false;
  /// True for the positive part of the gradient of the token's positive channels, false for the
  /// squared norm of the token's Jacobian.
  bool isPositive = false;
  /// Directions at random by which the norm is estimated.
  int directions = 12;
};

/// The influence of every token before a block, [1, tokens], or of every pixel of the network's
/// input, [height, width], on one token behind the block.
struct LiveReach {
  int height = 1;
  int width = 0;
  std::vector<float> values;
  /// Channels of the token that is reached, and directions that were followed.
  int channels = 0;
  int directions = 0;
};

/// How much silenced heads add: Frobenius norms over tokens and channels.
struct LiveAddition {
  double attention = 0;  ///< attention times values, where it was silenced
  double projected = 0;  ///< what the attention module returns less without the heads
  double residual = 0;   ///< the tokens before the block
  double output = 0;     ///< what the attention module returns
  /// Norm of the term beside attention times values, such as a convolution; empty if the module
  /// adds nothing, or the process does not know.
  std::optional<double> beside;
};

/// A request to run a model.
struct LiveQuestion {
  LivePicture picture;
  /// Heads whose attention times values is to be zero, by the names of layers. If there are any,
  /// only the logits are asked for.
  std::map<std::string, std::vector<int>> silenced = {};
  /// Asks for this in place of a recording.
  std::optional<LiveReachQuestion> reach = std::nullopt;
};

struct LiveAnswer {
  /// A recording, as the bytes of a .safetensors file (docs/recordings.md); empty if only the
  /// logits were asked for.
  std::string recording;
  /// The part of the picture that the network saw, in the picture's pixels.
  PictureRegion region;
  /// Logits, [classes]; empty with a recording, which holds them itself.
  std::vector<float> logits = {};
  /// How much the silenced heads add to the tokens; empty if the process does not know.
  std::optional<LiveAddition> added = std::nullopt;
  /// Present if it was asked for.
  std::optional<LiveReach> reach = std::nullopt;
};

/// The models in Python processes that are connected, by name. The window implements it and gives
/// it to whatever opens models.
class LiveModels {
 public:
  virtual ~LiveModels() = default;

  /// Throws ModelError if no model of that name is connected.
  virtual LiveDescription describe(const std::string& name) const = 0;
  /// Runs a model on a picture and waits for its answer. `throwIfCancelled` is called while it
  /// waits. Throws InspectionError if the process ends, refuses or sends something else.
  virtual LiveAnswer ask(const std::string& name, const LiveQuestion& question,
                         const std::function<void()>& throwIfCancelled) = 0;
};

/// Returns the path that stands for a live model in a ModelRequest: `live:NAME`.
std::string livePath(const std::string& name);
/// Returns the name in a path that livePath() made; empty for any other path.
std::string_view liveName(std::string_view path);

}  // namespace softscope
