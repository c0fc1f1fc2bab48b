#pragma once

#include "core/attention/LandmarkChoice.h"
#include "core/model/InputTransform.h"
#include "core/model/ModelRequest.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// A setting that changes what a network computes and that its weights do not determine: its heads,
/// its activation, the epsilon of its norms, ...
struct NetworkSetting {
  /// The command-line option that chooses it, without dashes: `heads`. The metadata of converted
  /// files use the same name.
  std::string option;
  /// The value that the network is opened with, in the form that the option takes: `4`, `gelu`,
  /// `1e-06`.
  std::string value;
  /// The source of the value, to be shown after it: `from config.json`, `assumed`.
  std::string source;
  /// Values that the same weights allow, the current one first; fewer than two if there is no
  /// choice.
  std::vector<std::string> choices;
  /// Why the value is unknown, as part of a sentence; empty if it is known.
  std::string why;
  /// True if the network is known to have been trained with another value.
  bool isCounterfactual = false;
  /// Height and width of the pictures to which an assumed value makes no difference; 0 if there are
  /// none.
  int idleHeight = 0;
  int idleWidth = 0;

  bool isUndetermined() const { return !why.empty(); }
  bool isChoosable() const { return choices.size() > 1; }
  /// Returns true if the value is assumed for pictures of this size, and of no effect at its own.
  bool isAssumedAt(int height, int width) const {
    return idleHeight > 0 && (height != idleHeight || width != idleWidth);
  }
};

/// One attention layer, as known before any picture is seen.
struct LayerSummary {
  std::string name;
  std::string mechanism;
  /// Stage of a pyramid, counted from 1; 1 throughout in a model with a single resolution.
  int stage = 1;
  int heads = 0;
};

/// The identity of a checkpoint, and how it was determined.
struct ModelSummary {
  /// `soft`, `sima`, `xcit`, ...; `recording` if there are no weights.
  std::string family;
  /// The published name (`soft_tiny`, `soft_norm_tiny`), or `custom`.
  std::string variant;
  bool isPublished() const { return variant != "custom"; }
  std::string mechanism;
  /// Mechanisms that the same parameters allow, the chosen one first; the window offers them.
  std::vector<std::string> alternatives;
  /// Confidence in [0, 1] in the mechanism and in the heads: 1 if the weights allow nothing else,
  /// less if something outside them had to decide.
  double mechanismConfidence = 0;
  double headsConfidence = 1;
  /// Sets the mechanism to the only one that the parameters allow, with full confidence.
  void setOnlyMechanism(const std::string& only);
  /// Confidence in both; at most 0.5 if anything is undetermined, or pictures are prepared
  /// otherwise than a file says.
  double confidence() const;
  /// The evidence that decided, in words for the user.
  std::string reason;
  /// The landmarks of the layers that have them.
  LandmarkChoice landmarks;
  /// True if the network was trained with means of queries as landmarks, unlike published networks
  /// of its mechanism.
  bool trainedWithPooledLandmarks = false;
  /// Returns the choice of landmarks to name to the user: `landmarks`, except for a network that
  /// runs with the pooled landmarks that it was trained with. These are named, because published
  /// networks of its mechanism were trained without pooling.
  LandmarkChoice namedLandmarks() const;
  /// The picture of a recording, the only one that it can show; null for a network, which has
  /// weights.
  std::shared_ptr<const RecordedPicture> recorded;
  /// True if the network runs in a Python process, which answers with attention, logits
  /// and what reaches a token.
  bool isLive = false;
  /// Replaces the note that would follow from landmarks and activation.
  std::string recordedNote;
  /// Layers that are not in a recording, each with its reason: `NAME: REASON`.
  std::vector<std::string> notRecorded;
  /// Explains why a recording or a live model cannot do `what` ("share of heads"); empty for a
  /// network whose weights are here.
  std::string obstacleTo(const std::string& what) const;
  /// True if the mechanism (or the heads, landmarks or activation) is not the one that the weights
  /// were trained with, as far as known.
  bool counterfactual = false;
  /// Returns the note shown after the mechanism wherever it is named: `random landmarks, not what
  /// was trained`, `with ReLU, not what was trained`. Empty for a network used as it was trained
  /// and published; `pooled landmarks` if it was trained with these.
  std::string mechanismNote() const;
  /// Number of trainable parameters.
  std::int64_t parameters = 0;
  /// Channels of a token in the last stage.
  int channels = 0;
  /// Number of heads in each stage.
  std::vector<int> heads;
  /// The numbers of heads in the last stage that the same parameters allow, the chosen number
  /// first; empty if the weights or their family determine the number.
  std::vector<int> headsAlternatives;
  /// Settings that change the network's output and that its weights do not determine, each with its
  /// source. In the order of the command line's options, without those that the family's own code
  /// fixes.
  std::vector<NetworkSetting> settings;
  /// Returns the setting of an option; null if the weights do not leave it open.
  const NetworkSetting* setting(const std::string& option) const;
  /// Returns the settings that were guessed, because nothing determines them.
  std::vector<NetworkSetting> undetermined() const;
  /// Lists what was taken for granted because it leaves nothing in a file, as a sentence without a
  /// capital letter or a full stop; empty unless the network was read by its structure.
  std::string takenForGranted;
  /// Number of classes; 0 for a backbone without a head.
  int classes = 0;
  /// Names of the classes; empty if unknown.
  std::vector<std::string> classNames;
  /// How the picture is prepared unless the user chooses otherwise.
  InputTransform transform;
  /// The copy of the weights that was used, `ema` or `raw`, and where in the file it was.
  std::string weights;
  std::string weightsKey;
  std::vector<LayerSummary> layers;
  /// Names that the architecture expects and the file lacks, and names in the file that have no
  /// place in the architecture.
  std::vector<std::string> missing;
  std::vector<std::string> unexpected;
  /// Unexpected names that the file's own network may compute with; if there are any, the network
  /// is not of this family.
  std::vector<std::string> foreign;
  /// Names in the file that lie outside the network's own names, such as a classifier that was
  /// added behind it, or its training state. They are left out.
  std::vector<std::string> beside;
  /// Tensors of the wrong shape: "name is [3, 4], expected [5, 4]".
  std::vector<std::string> wrongShape;
  /// Files beside the checkpoint that describe a network and were passed over, each with the
  /// reason: `config.json is no JSON object in UTF-8`.
  std::vector<std::string> passedOver;
  /// The steps that a file beside the checkpoint takes with pictures and `transform` does not; for
  /// a network read by its structure, the resizing that no file tells. Each is a sentence without
  /// its full stop.
  std::vector<std::string> preparationDoubts;
  /// The file's own metadata.
  std::map<std::string, std::string> metadata;
  std::string path;
};

/// Returns a request whose model opens as it did with the size that it may have. The stride that
/// this size told, or that was assumed, is given in its place.
ModelRequest withTakenStride(ModelRequest request, const ModelSummary& summary);

}  // namespace softscope
