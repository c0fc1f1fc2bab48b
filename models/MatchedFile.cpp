#include "models/MatchedFile.h"

#include "core/checkpoint/Checkpoint.h"
#include "core/text/Words.h"
#include "models/identify/Families.h"
#include "models/identify/ParameterNames.h"
#include "models/structure/TensorUnits.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

namespace {

/// Lists what is not below `part`, the path of the network for pictures, as beside the network.
void listOtherParts(const std::string& part, ModelSummary& summary) {
  const auto elsewhere =
      std::stable_partition(summary.foreign.begin(), summary.foreign.end(),
                            [&](const std::string& name) { return name.starts_with(part); });
  std::erase_if(summary.unexpected, [&](const std::string& name) {
    return std::find(elsewhere, summary.foreign.end(), name) != summary.foreign.end();
  });
  summary.beside.insert(summary.beside.end(), elsewhere, summary.foreign.end());
  summary.foreign.erase(elsewhere, summary.foreign.end());
}

/// Returns true if foreign parameters that are not below `part` hold fewer numbers than the file
/// has below it, as a classifier does that users put behind a network. Larger parts may be of a
/// network that computes more with this one.
bool holdsLessBeside(const std::string& part, const std::vector<std::string>& foreign,
                     const StateDict& state) {
  std::int64_t beside = 0;
  for (const std::string& name : foreign) {
    if (!name.starts_with(part)) beside += state.find(name)->numel();
  }
  std::int64_t below = 0;
  for (const StateDict::Entry& entry : state.entries()) {
    if (entry.name.starts_with(part)) below += entry.tensor.numel();
  }
  return beside < below;
}

/// Takes the buffers that state_dict() would leave out from the foreign parameters of a family,
/// whose code makes them anew. Some say what a network computes that merely has a plain vision
/// transformer's names, or that is read by structure: a mask, or rotations.
void leaveOutTemporaries(const Family& family, const Checkpoint& checkpoint,
                         ModelSummary& summary) {
  if (checkpoint.temporary.empty() || family.readsStructure) return;
  const bool isPlain = hasPlainNames(family);
  std::erase_if(summary.foreign, [&](const std::string& name) {
    if (!checkpoint.temporary.contains(checkpoint.prefix + name)) return false;
    const std::string word = lowerCase(name.substr(name.rfind('.') + 1));
    const bool saysMore = mentions(word, {"mask", "causal", "rope", "rotary", "freq", "sin", "cos",
                                          "slope", "alibi", "bias", "scale"});
    return !(isPlain && saysMore);
  });
}

/// Returns true if foreign parameters that are not below `part` may change what the network sees:
/// prompts among its tokens, or layers in front of it.
bool hasInputsBeside(const std::string& part, const std::vector<std::string>& foreign) {
  return std::ranges::any_of(foreign, [&](const std::string& name) {
    return !name.starts_with(part) && mentions(lowerCase(name), {"prompt", "adapter", "stem"});
  });
}

/// Returns true if nothing beside `model.part`, which is not empty, takes part in what the network
/// computes: the model_type in config.json is one of the family's, or what is beside it is small.
bool standsAlone(const Family& family, const Checkpoint& checkpoint,
                 const RecognisedModel& recognised) {
  // LLaVA's projector tells it without a type, and so do the norms of what a backbone gives away.
  if (anyContains(checkpoint.state, "multi_modal_projector.") ||
      anyContains(checkpoint.state, "hidden_states_norms.")) {
    return true;
  }
  const std::string& part = recognised.model.part;
  const std::vector<std::string>& foreign = recognised.model.summary.foreign;
  const bool hasInputs = hasInputsBeside(part, foreign);
  if (recognised.modelType.empty()) {
    return !hasInputs && holdsLessBeside(part, foreign, checkpoint.state);
  }
  const bool isOfFamily =
      std::ranges::find(family.modelTypes, recognised.modelType) != family.modelTypes.end();
  // Prompts of CLIP and SigLIP may be of the network for texts.
  return isOfFamily && !(hasInputs && hasPlainNames(family));
}

}  // namespace

void matchFile(const Family& family, const Checkpoint& checkpoint, RecognisedModel& recognised) {
  const DefinedModel& model = recognised.model;
  recognised.match = matchParameters(*model.network, checkpoint.state);
  ModelSummary& summary = recognised.model.summary;
  summary.parameters = countParameters(*model.network);
  summary.missing = recognised.match.missing;
  summary.wrongShape = recognised.match.wrongShape;
  summary.unexpected = recognised.match.unexpected;
  std::vector<std::string> harmless = family.harmless;
  harmless.insert(harmless.end(), model.harmless.begin(), model.harmless.end());
  summary.foreign = foreignParameters(summary.unexpected, harmless, checkpoint.state);
  leaveOutTemporaries(family, checkpoint, summary);
  summary.beside = foreignParameters(checkpoint.beside, {}, checkpoint.state);
  if (!model.part.empty() && standsAlone(family, checkpoint, recognised)) {
    listOtherParts(model.part, summary);
  }
  describeBeside(summary);
  describeForeign(summary);
}

}  // namespace softscope
