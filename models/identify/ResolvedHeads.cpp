#include "models/identify/ResolvedHeads.h"

#include "core/CountedText.h"
#include "core/Error.h"
#include "models/identify/Metadata.h"

#include <algorithm>
#include <cmath>

namespace softscope {

namespace {

constexpr int narrowestHead = 16;
constexpr int widestHead = 128;
constexpr int publishedHead = 64;

bool areDivisible(int channels, int heads) {
  return heads > 0 && channels % heads == 0;
}

std::string indivisibleText(int channels, int heads) {
  return std::to_string(channels) + " channels do not divide among " + std::to_string(heads) +
         " heads";
}

std::vector<int> ordered(std::vector<int> possible, int chosen) {
  if (possible.empty()) return {};
  possible.erase(std::remove(possible.begin(), possible.end(), chosen), possible.end());
  possible.insert(possible.begin(), chosen);
  return possible;
}

}  // namespace

ResolvedHeads resolveHeads(int channels, const DefaultHeads& usual, const ModelHints& hints) {
  ResolvedHeads decision{usual.heads, usual.confidence, usual.reason};
  std::string source = "the file's metadata says ";
  auto trained = headsInMetadata(hints.metadata);
  if (trained && channels % *trained != 0) trained.reset();
  if (!trained) {
    source = "config.json beside the file says ";
    trained = configuredHeads(channels, hints);
  }
  if (trained) decision = {*trained, 1, source + countedText(*trained, "head")};
  if (hints.heads) decision = {*hints.heads, 1, "the heads were chosen with --heads"};
  requireDivisibleHeads(channels, decision.heads);
  decision.alternatives = ordered(usual.possible, decision.heads);
  decision.counterfactual = trained && *trained != decision.heads;
  return decision;
}

std::optional<int> configuredHeads(int channels, const ModelHints& hints) {
  const std::vector<int> heads = hints.configuration.headsOf(channels);
  if (heads.empty() || channels % heads.back() != 0) return std::nullopt;
  return heads.back();
}

void requireDivisibleHeads(int channels, int heads) {
  if (!areDivisible(channels, heads)) {
    throw ModelError(indivisibleText(channels, heads) + "; choose another --heads");
  }
}

void requireToldHeads(const std::string& source, int told, const ModelHints& hints) {
  if (!hints.heads || *hints.heads == told) return;
  throw ModelError(source + " say " + countedText(told, "head") + "; leave out --heads");
}

void requireWholeHeads(const std::string& network, int channels, int heads, std::size_t stage) {
  if (!areDivisible(channels, heads)) {
    throw ModelError("this looks like " + network + ", but " + indivisibleText(channels, heads) +
                     " in stage " + std::to_string(stage));
  }
}

int headsOfWidth(const std::string& network, int channels, int headWidth) {
  if (headWidth > 0 && channels % headWidth == 0) return channels / headWidth;
  throw ModelError("this looks like " + network + ", but its " + std::to_string(channels) +
                   " channels make no whole number of heads of " + std::to_string(headWidth) +
                   "; the file may be damaged");
}

void requireHeadsOfWeights(const std::string& network, int heads, const ModelHints& hints) {
  if (!hints.heads || *hints.heads == heads) return;
  throw ModelError("the weights of " + network + " say " + countedText(heads, "head") +
                   "; leave out --heads");
}

std::vector<int> possibleHeads(int channels) {
  std::vector<int> possible{1};
  for (int heads = 2; heads * narrowestHead <= channels; ++heads) {
    if (channels % heads == 0 && channels / heads <= widestHead) possible.push_back(heads);
  }
  return possible;
}

std::string assumedText(int heads) {
  return "so " + countedText(heads, "head") + (heads == 1 ? " is" : " are") + " assumed";
}

DefaultHeads assumedHeads(int channels, const std::string& network) {
  DefaultHeads assumed{.confidence = 0.5, .possible = possibleHeads(channels)};
  const auto distance = [&](int heads) {
    return std::abs(std::log(double(channels) / heads / publishedHead));
  };
  assumed.heads = *std::min_element(assumed.possible.begin(), assumed.possible.end(),
                                    [&](int a, int b) { return distance(a) < distance(b); });
  assumed.reason = "its " + std::to_string(channels) + " channels make no heads of " +
                   std::to_string(publishedHead) + ", as published models of " + network +
                   " have, " + assumedText(assumed.heads);
  return assumed;
}

void describeHeads(const ResolvedHeads& decision, ModelSummary& summary) {
  summary.headsConfidence = decision.confidence;
  summary.headsAlternatives = decision.alternatives;
  summary.counterfactual = summary.counterfactual || decision.counterfactual;
  if (decision.reason.empty()) return;
  if (summary.reason.ends_with('.')) summary.reason.pop_back();
  summary.reason += "; " + decision.reason + ".";
}

}  // namespace softscope
