#include "models/identify/ResolvedHeads.h"

#include "core/Error.h"
#include "core/text/Words.h"
#include "models/identify/Metadata.h"

#include <algorithm>
#include <cmath>

namespace softscope {

namespace {

constexpr int narrowestHead = 4;
constexpr int publishedHead = 64;
constexpr double guessedHeads = 0.5;

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

/// A number of heads that someone gave, and its source.
struct ToldHeads {
  HeadCounts counts;
  std::string place;   ///< text in front of the number in a sentence
  std::string source;  ///< text after the number
};

/// Returns true if every number fits the channels of its stage, or a single number those of the
/// last stage.
bool fitStages(const std::vector<int>& channels, const HeadCounts& heads) {
  if (heads.isOneNumber()) return areDivisible(channels.back(), heads.last());
  const std::vector<int>& counts = heads.counts();
  return std::equal(channels.begin(), channels.end(), counts.begin(), counts.end(), areDivisible);
}

std::optional<ToldHeads> toldHeads(const std::vector<int>& channels, const ModelHints& hints) {
  std::optional<HeadCounts> kept = headsInMetadata(hints.metadata);
  // For a single stage, only one number is meant, even if the file lists several stages.
  if (kept && channels.size() == 1) kept = HeadCounts(kept->last());
  if (kept && fitStages(channels, *kept)) {
    return ToldHeads{*kept, "the file's metadata says ", "from the file's metadata"};
  }
  const std::vector<int> said = hints.configuration.headsOf(channels.back());
  if (said.empty()) return std::nullopt;
  // A single number in a configuration is that of every stage, as timm takes it.
  HeadCounts configured(said.size() == 1 ? std::vector<int>(channels.size(), said[0]) : said);
  if (!fitStages(channels, configured)) configured = HeadCounts(configured.last());
  if (!fitStages(channels, configured)) return std::nullopt;
  return ToldHeads{configured, hints.configuration.place() + " says ",
                   "from " + hints.configuration.fileName};
}

/// Throws ModelError if `--heads` does not fit the stages.
void requireHeadsFor(const std::vector<int>& channels, const HeadCounts& asked) {
  if (!asked.isOneNumber() && asked.counts().size() != channels.size()) {
    const std::string stages = std::to_string(channels.size());
    throw ModelError("--heads " + asked.text() + " has " + std::to_string(asked.counts().size()) +
                     " numbers; this network takes one" +
                     (channels.size() > 1 ? ", of its last stage, or " + stages : ""));
  }
  if (asked.isOneNumber()) return requireDivisibleHeads(channels.back(), asked.last());
  for (std::size_t i = 0; i < channels.size(); ++i) {
    requireDivisibleHeads(channels[i], asked.counts()[i]);
  }
}

std::string headsSentence(const HeadCounts& heads) {
  return heads.isOneNumber() ? countedText(heads.last(), "head") : "heads " + heads.text();
}

std::vector<std::string> textsOf(const std::vector<int>& numbers) {
  std::vector<std::string> texts;
  for (const int number : numbers) texts.push_back(std::to_string(number));
  return texts;
}

/// Returns `so 4 heads are assumed`.
std::string assumedText(int heads) {
  return "so " + countedText(heads, "head") + (heads == 1 ? " is" : " are") + " assumed";
}

}  // namespace

ResolvedHeads resolveHeads(int channels, const DefaultHeads& usual, const ModelHints& hints) {
  return resolveStageHeads({channels}, usual, hints);
}

ResolvedHeads resolveStageHeads(const std::vector<int>& channels, const DefaultHeads& usual,
                                const ModelHints& hints) {
  ResolvedHeads decision;
  NetworkSetting& setting = decision.setting;
  HeadCounts chosen(usual.heads);
  const auto told = toldHeads(channels, hints);
  if (told) {
    chosen = told->counts;
    setting.source = told->source;
    decision.reason = told->place + headsSentence(chosen);
  } else if (usual.isCertain) {
    setting.source = usual.reason;
    decision.confidence = usual.confidence;
    if (usual.confidence < 1) decision.reason = usual.reason;
  } else if (!hints.heads) {
    setting.source = "assumed";
    setting.why = decision.reason = usual.reason;
    decision.confidence = guessedHeads;
  }
  if (hints.heads) {
    decision.confidence = 1;
    requireHeadsFor(channels, *hints.heads);
    const bool isKnown = told || usual.isCertain;
    setting.isCounterfactual =
        isKnown && (hints.heads->isOneNumber() ? chosen.last() != hints.heads->last()
                                               : chosen != *hints.heads);
    chosen = *hints.heads;
    setting.source = "chosen with --heads";
    decision.reason = "the heads were chosen with --heads";
  }
  requireDivisibleHeads(channels.back(), chosen.last());
  decision.heads = chosen.last();
  if (!chosen.isOneNumber()) decision.ofStages = chosen.counts();
  if (usual.possible.size() > 1) decision.alternatives = ordered(usual.possible, decision.heads);
  setting.option = "heads";
  setting.value = chosen.text();
  setting.choices = textsOf(decision.alternatives);
  if (!setting.choices.empty()) setting.choices.front() = setting.value;
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
  if (!hints.heads || hints.heads->last() == told) return;
  throw ModelError(source + " say " + countedText(told, "head") + "; leave out --heads");
}

void requireWholeHeads(const std::string& network, int channels, int heads, std::size_t stage) {
  if (!areDivisible(channels, heads)) {
    throw ModelError("this looks like " + network + ", but " + indivisibleText(channels, heads) +
                     " in stage " + std::to_string(stage) + "; the file may be damaged");
  }
}

int headsOfWidth(const std::string& network, int channels, int headWidth) {
  if (headWidth > 0 && channels % headWidth == 0) return channels / headWidth;
  throw ModelError("this looks like " + network + ", but its " + std::to_string(channels) +
                   " channels make no whole number of heads of " + std::to_string(headWidth) +
                   "; the file may be damaged");
}

void requireHeadsOfWeights(const std::string& network, int heads, const ModelHints& hints) {
  if (!hints.heads || hints.heads->last() == heads) return;
  throw ModelError("the weights of " + network + " say " + countedText(heads, "head") +
                   "; leave out --heads");
}

std::vector<int> possibleHeads(int channels) {
  std::vector<int> possible{1};
  for (int heads = 2; heads * narrowestHead <= channels; ++heads) {
    if (channels % heads == 0) possible.push_back(heads);
  }
  return possible;
}

DefaultHeads assumedHeads(int channels, const std::string& network) {
  DefaultHeads assumed{.heads = 1, .reason = {}, .possible = possibleHeads(channels)};
  const auto distance = [&](int heads) {
    return std::abs(std::log(double(channels) / heads / publishedHead));
  };
  assumed.heads = *std::min_element(assumed.possible.begin(), assumed.possible.end(),
                                    [&](int a, int b) { return distance(a) < distance(b); });
  assumed.reason = "no published model of " + network + " with " + std::to_string(channels) +
                   " channels has these sizes, and no weight tells the heads";
  return assumed;
}

DefaultHeads certainHeads(int heads, const std::string& reason) {
  return {.heads = heads, .isCertain = true, .reason = reason, .possible = {heads}};
}

void describeHeads(const ResolvedHeads& decision, ModelSummary& summary) {
  summary.headsConfidence = decision.confidence;
  summary.headsAlternatives = decision.alternatives;
  summary.counterfactual = summary.counterfactual || decision.setting.isCounterfactual;
  summary.settings.insert(summary.settings.begin(), decision.setting);
  if (decision.reason.empty()) return;
  if (summary.reason.ends_with('.')) summary.reason.pop_back();
  summary.reason += "; " + decision.reason;
  if (decision.setting.isUndetermined()) summary.reason += ", " + assumedText(decision.heads);
  summary.reason += '.';
}

}  // namespace softscope
