#pragma once

#include "models/identify/Family.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Heads that are taken where nobody tells them.
struct DefaultHeads {
  int heads = 1;
  /// Every known network of these sizes has as many.
  bool isCertain = false;
  /// Who tells it where it is certain, to stand behind the number; else why nothing does.
  std::string reason;
  /// Numbers of heads that networks of these sizes may have; `heads` alone where they are certain.
  std::vector<int> possible;
  /// How certain it is: below 1 where a file's name tells it.
  double confidence = 1;
};

/// How many heads a network runs with, and who said so.
struct ResolvedHeads {
  /// Of the last stage.
  int heads = 1;
  /// Of each stage, where somebody said that; else empty.
  std::vector<int> ofStages;
  double confidence = 1;
  /// Who decided, to stand in a sentence; empty where it needs no words.
  std::string reason;
  /// The possible ones, the chosen one first; empty where nothing is open.
  std::vector<int> alternatives;
  NetworkSetting setting;
};

/// `--heads` decides; then the file's metadata, then the config.json beside it; else the usual
/// number is assumed. Throws ModelError where `channels` do not divide among the heads that were
/// asked for, or where these are several numbers.
ResolvedHeads resolveHeads(int channels, const DefaultHeads& usual, const ModelHints& hints);

/// Likewise of a network with several stages of so many channels; `usual` and one number that
/// somebody says are of the last stage.
ResolvedHeads resolveStageHeads(const std::vector<int>& channels, const DefaultHeads& usual,
                                const ModelHints& hints);

/// What the config.json beside the file says of a last stage of `channels`; nothing where they do
/// not divide among so many heads.
std::optional<int> configuredHeads(int channels, const ModelHints& hints);

/// Throws ModelError unless `channels` divide among `heads`.
void requireDivisibleHeads(int channels, int heads);

/// Throws ModelError where `--heads` asks for another number in the last stage than the `told` one;
/// `source` is what tells: `XCiT's temperatures`.
void requireToldHeads(const std::string& source, int told, const ModelHints& hints);

/// Throws ModelError unless the `channels` of a stage (from 1) of a network divide among the heads
/// that its weights tell.
void requireWholeHeads(const std::string& network, int channels, int heads, std::size_t stage);

/// The heads of `channels` that weights cut into runs of `headWidth`. Throws ModelError unless they
/// divide, naming the network.
int headsOfWidth(const std::string& network, int channels, int headWidth);

/// Throws ModelError where `--heads` asks for others than those that a network's weights tell.
void requireHeadsOfWeights(const std::string& network, int heads, const ModelHints& hints);

/// Numbers of heads of at least 4 channels that `channels` divide among, and 1; ascending.
std::vector<int> possibleHeads(int channels);
/// `so 4 heads are assumed`
std::string assumedText(int heads);
/// For sizes that no published model of `network` has: heads of 64 channels, as published ones
/// have, or the possible number whose heads are nearest to that.
DefaultHeads assumedHeads(int channels, const std::string& network);
/// Heads that all published networks of these sizes have; `reason` says which: `as in vit_tiny`.
DefaultHeads certainHeads(int heads, const std::string& reason);

/// Writes what was decided into a summary: confidence, alternatives, the setting, and whether it is
/// counterfactual; and the reason after what the summary's says already.
void describeHeads(const ResolvedHeads& decision, ModelSummary& summary);

}  // namespace softscope
