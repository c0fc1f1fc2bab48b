#pragma once

#include "models/identify/Family.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Numbers of heads to assume if nothing determines them.
struct DefaultHeads {
  int heads = 1;
  /// True if every known network of these sizes has this number.
  bool isCertain = false;
  /// If certain, the source, to be shown after the number; otherwise why nothing determines it.
  std::string reason;
  /// Numbers of heads that networks of these sizes may have; only `heads` if that is certain.
  std::vector<int> possible;
  /// Confidence in [0, 1]; below 1 if it relies on a file's name.
  double confidence = 1;
};

/// The number of heads that a network runs with, and its source.
struct ResolvedHeads {
  /// Number of heads in the last stage.
  int heads = 1;
  /// Number of heads in each stage, if it was given; otherwise empty.
  std::vector<int> ofStages;
  double confidence = 1;
  /// The evidence that decided, as part of a sentence; empty if it needs no explanation.
  std::string reason;
  /// Possible numbers of heads, the chosen one first; empty if there is no choice.
  std::vector<int> alternatives;
  NetworkSetting setting;
};

/// Determines the heads: from `--heads`; then from the file's metadata; then from the config.json
/// beside it; otherwise the usual number is assumed. Throws ModelError if `channels` is not
/// divisible by the requested number of heads, or if several numbers were requested.
ResolvedHeads resolveHeads(int channels, const DefaultHeads& usual, const ModelHints& hints);

/// Determines the heads like resolveHeads(), for a network whose stages have the given numbers of
/// channels. `usual`, and a single number, apply to the last stage; a single number in config.json
/// applies to every stage if it divides the channels of all.
ResolvedHeads resolveStageHeads(const std::vector<int>& channels, const DefaultHeads& usual,
                                const ModelHints& hints);

/// Returns the number of heads in the config.json beside the file for a last stage of `channels`;
/// nothing if `channels` is not divisible by it.
std::optional<int> configuredHeads(int channels, const ModelHints& hints);

/// Throws ModelError unless `channels` is divisible by `heads`.
void requireDivisibleHeads(int channels, int heads);

/// Throws ModelError if `--heads` asks for another number in the last stage than `told`; `source`
/// says what determines it: `XCiT's temperatures`.
void requireToldHeads(const std::string& source, int told, const ModelHints& hints);

/// Throws ModelError unless the `channels` of a network's stage (from 1) are divisible by the
/// number of heads that its weights give.
void requireWholeHeads(const std::string& network, int channels, int heads, std::size_t stage);

/// Returns the number of heads if weights divide `channels` into runs of `headWidth`. Throws a
/// ModelError that names the network unless they are divisible.
int headsOfWidth(const std::string& network, int channels, int headWidth);

/// Throws ModelError if `--heads` asks for another number than `heads`, which the network's weights
/// determine.
void requireHeadsOfWeights(const std::string& network, int heads, const ModelHints& hints);

/// Returns 1 and the numbers of heads with at least 4 channels that divide `channels`; ascending.
std::vector<int> possibleHeads(int channels);
/// Returns the heads to assume for sizes that no published model of `network` has: heads of 64
/// channels, like published ones, or the possible number whose heads are nearest to that.
DefaultHeads assumedHeads(int channels, const std::string& network);
/// Returns the heads that all published networks of these sizes have; `reason` says which: `as in
/// vit_tiny`.
DefaultHeads certainHeads(int heads, const std::string& reason);

/// Writes the decision to a summary: confidence, alternatives, the setting, whether it is
/// counterfactual, and the reason, which is appended to the summary's.
void describeHeads(const ResolvedHeads& decision, ModelSummary& summary);

}  // namespace softscope
