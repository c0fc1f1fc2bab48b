#pragma once

#include "core/attention/LandmarkChoice.h"
#include "core/model/InputTransform.h"
#include "core/model/NetworkSetting.h"
#include "core/model/RecordedPicture.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// One attention layer, known before any picture is seen.
struct LayerSummary {
  std::string name;
  std::string mechanism;
  /// 1-based stage of a pyramid; 1 throughout in a model of one resolution.
  int stage = 1;
  int heads = 0;
};

/// What a checkpoint turned out to be, and how that was decided.
struct ModelSummary {
  /// `soft`, `sima`, `xcit`, ...; `recording` where there are no weights.
  std::string family;
  /// The published name (`soft_tiny`, `soft_norm_tiny`), or `custom`.
  std::string variant;
  std::string mechanism;
  /// Mechanisms that the same parameters allow, the chosen one first; the window offers them.
  std::vector<std::string> alternatives;
  /// 1 where the weights can mean only this; less where something outside them had to decide: of
  /// the mechanism, of the heads, and of both.
  double mechanismConfidence = 0;
  double headsConfidence = 1;
  /// At most 0.5 where something is undetermined.
  double confidence() const;
  /// What decided, in words a user reads.
  std::string reason;
  /// The landmarks of layers that have some.
  LandmarkChoice landmarks;
  /// It was trained with means of queries as landmarks, unlike published networks of its mechanism.
  bool trainedWithPooledLandmarks = false;
  /// As they are called: `landmarks`, or pooled where these are what was trained unlike usual.
  LandmarkChoice namedLandmarks() const;
  /// The picture of a recording, which is all there is to run on: null for a network, which has
  /// weights.
  std::shared_ptr<const RecordedPicture> recorded;
  /// Takes the place of the note that would follow from landmarks and activation.
  std::string recordedNote;
  /// Layers that are not in a recording, each with its reason: `NAME: REASON`.
  std::vector<std::string> notRecorded;
  /// Why a recording cannot do `what` ("the share of heads"); empty for a network.
  std::string obstacleTo(const std::string& what) const;
  /// True where the mechanism shown (or heads, landmarks, or activation) is not the one the weights
  /// were trained with, as far as known.
  bool counterfactual = false;
  /// Follows the mechanism wherever it is named: `random landmarks, not what was trained`, `with
  /// ReLU, not what was trained`; empty for what was trained as it was published, `pooled
  /// landmarks` for what was trained with these.
  std::string mechanismNote() const;
  /// Trainable parameters.
  std::int64_t parameters = 0;
  /// Channels of a token, in the last stage.
  int channels = 0;
  /// Heads of each stage.
  std::vector<int> heads;
  /// Numbers of heads that the same parameters allow (of the last stage), the chosen one first;
  /// empty where the weights or their family tell.
  std::vector<int> headsAlternatives;
  /// What changes the network's output and its weights do not tell, and who said it; in the order
  /// of the command line's options, and nothing that the family's own code settles.
  std::vector<NetworkSetting> settings;
  /// Null where it is nothing that weights leave open.
  const NetworkSetting* setting(const std::string& option) const;
  /// Those of the settings that were guessed, because nobody tells them.
  std::vector<NetworkSetting> undetermined() const;
  /// 0 for a backbone without a head.
  int classes = 0;
  /// Names of the classes, empty where nothing says.
  std::vector<std::string> classNames;
  /// How the picture is prepared unless the user says otherwise.
  InputTransform transform;
  /// Which copy of the weights was taken: `ema` or `raw`; and where in the file it stood.
  std::string weights;
  std::string weightsKey;
  std::vector<LayerSummary> layers;
  /// Names the architecture expects and the file lacks; names in the file that have no place.
  std::vector<std::string> missing;
  std::vector<std::string> unexpected;
  /// Those of the unexpected that the file's own network may compute with, so that it is not of
  /// this family.
  std::vector<std::string> foreign;
  /// Names of the file that stand beside the network, below no name of its own: a classifier that
  /// somebody put behind it, what it was trained with. They are left out.
  std::vector<std::string> beside;
  /// "name is [3, 4], expected [5, 4]"
  std::vector<std::string> wrongShape;
  /// What the file says about itself.
  std::map<std::string, std::string> metadata;
  std::string path;
};

}  // namespace softscope
