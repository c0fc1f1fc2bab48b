#include "models/RecognisedModel.h"

#include "core/Error.h"
#include "core/attention/Mechanism.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/model/ClassNames.h"
#include "core/model/SettingOption.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"
#include "models/AppliedConfiguration.h"
#include "models/MatchedFile.h"
#include "models/identify/Adapters.h"
#include "models/identify/ConfigurationFile.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/Families.h"
#include "models/identify/Metadata.h"
#include "models/identify/OtherNetworks.h"
#include "models/identify/ParameterNames.h"
#include "models/identify/Quantisation.h"
#include "models/identify/Reparametrisation.h"
#include "models/identify/ResolvedSetting.h"
#include "models/identify/ShapeReader.h"
#include "models/identify/TrainerArguments.h"
#include "models/structure/TensorUnits.h"
#include "models/vit/PublishedVits.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <new>
#include <string>
#include <vector>

namespace softscope {

namespace {

/// Returns the family whose name an architecture begins with, or null: `soft_norm_tiny` belongs to
/// `soft`, `soft_pyramid_tiny` to `soft_pyramid`.
const Family* familyNamed(const std::string& architecture) {
  const Family* named = nullptr;
  for (const Family& family : families()) {
    const bool fits = architecture == family.name || startsWith(architecture, family.name + "_");
    if (fits && (named == nullptr || named->name.size() < family.name.size())) named = &family;
  }
  return named;
}

/// Writes the landmarks chosen by `--landmarks` to a summary: which they are, and whether the model
/// was trained with others. Throws ModelError if the model's mechanism has no landmarks to choose.
void resolveLandmarks(const LandmarkChoice& choice, ModelSummary& summary) {
  if (choice.isTrained()) {
    if (choice.count && summary.setting("landmarks") == nullptr) {
      throw ModelError("its weights tell its landmarks, or it has none; leave out --landmarks " +
                       std::to_string(*choice.count));
    }
    return;
  }
  if (!takesLandmarks(summary.mechanism)) {
    throw ModelError("its mechanism is " + summary.mechanism +
                     ", which has no landmarks to choose; leave out --landmarks, which is for " +
                     mechanismsWithBottleneck());
  }
  const bool pools = summary.trainedWithPooledLandmarks ||
                     mechanismNamed(summary.mechanism).bottleneck->pooledLandmarks;
  const bool asTrained = pools && choice.source == LandmarkSource::Pooled && !choice.count;
  summary.landmarks = choice;
  summary.counterfactual = summary.counterfactual || !asTrained;
  summary.reason += " Its landmarks were chosen with --landmarks.";
}

/// Returns `, 12 convolutions, 2 Linear layers`: what was seen in a file without repeated blocks.
std::string contentText(const StateDict& state) {
  if (!isReadableByStructure(state)) return {};
  std::int64_t convolutions = 0;
  std::int64_t matrices = 0;
  for (const TensorUnit& unit : tensorUnits(state)) {
    convolutions += !unit.isBare && unit.hasDimensions(4);
    matrices += !unit.isBare && unit.hasDimensions(2);
  }
  return (convolutions > 0 ? ", " + countedText(convolutions, "convolution") : "") +
         (matrices > 0 ? ", " + countedText(matrices, "Linear layer") : "");
}

const Family& recogniseFamily(const Checkpoint& checkpoint, const ModelRequest& request) {
  if (request.architecture) {
    if (const Family* named = familyNamed(*request.architecture)) return *named;
  }
  // Not every variant is named after its family; recogniseAs() compares the names.
  for (const Family& family : families()) {
    if (family.recognises(checkpoint.state)) return family;
  }
  const std::string first =
      checkpoint.state.empty() ? "" : ", first " + quotedText(checkpoint.state.entries()[0].name);
  throw ModelError(checkpoint.path + ": its tensors (" + std::to_string(checkpoint.state.size()) +
                   first + contentText(checkpoint.state) +
                   ") are of no network Softscope knows (docs/families.md), and no blocks of "
                   "matrices repeat in it, as a transformer's do; if it has attention all the "
                   "same, " +
                   recordingAdvice());
}

bool isOfNoFamily(const StateDict& state) {
  return !isOfAnyFamily(state);
}

/// Thrown, for example, if the shapes ask for more memory than there is.
ModelError cannotBeBuilt(const std::string& path) {
  return ModelError(path + ": no network can be built with such shapes; the file may be damaged");
}

/// Returns the settings that the request's options give, by their names.
std::map<std::string, std::string> settingsIn(const ModelRequest& request) {
  std::map<std::string, std::string> settings;
  for (const SettingOption& option : settingOptions()) {
    if (const auto& value = request.*option.value) settings.emplace(option.name, *value);
  }
  return settings;
}

/// Throws ModelError if an option sets something that the network's family or its weights
/// determine. `isChoosableByStructure` tells whether the file's structure alone leaves it open.
void requireChoosable(const ModelRequest& request, const std::string& path,
                      const ModelSummary& summary,
                      const std::function<bool()>& isChoosableByStructure) {
  for (const SettingOption& option : settingOptions()) {
    const std::string name = option.name;
    const bool isOfPictures = name == "mean" || name == "std";
    if (isOfPictures || !(request.*option.value) || summary.setting(name) != nullptr) continue;
    throw ModelError(path + ": is a " + summary.family + " model, whose " + name +
                     " is no choice; leave out --" + name +
                     (isChoosableByStructure() ? structureAdvice : ""));
  }
}

/// Adds a guessed mechanism to the undetermined settings.
void describeMechanism(const ModelRequest& request, ModelSummary& summary) {
  constexpr double sureEnough = 0.75;
  if (request.attention || summary.mechanismConfidence >= sureEnough) return;
  NetworkSetting setting{.option = "attention",
                         .value = summary.mechanism,
                         .source = "assumed",
                         .choices = summary.alternatives,
                         .why =
                             "these mechanisms have the same parameters, and nothing says which "
                             "was trained"};
  std::erase_if(setting.choices,
                [](const std::string& name) { return mechanismNamed(name).neverTrained; });
  if (setting.isChoosable()) summary.settings.insert(summary.settings.begin(), setting);
}

/// Throws ModelError if a checkpoint itself says that its network masks later tokens, has another
/// number of heads in some blocks, or scales products of queries and keys by another number than
/// the width of its heads tells, as no plain vision transformer does.
void requireUsualAttention(const Family& family, const ConfigurationFile& said) {
  if (!said.isWithinCheckpoint || (!family.readsStructure && !hasPlainNames(family))) return;
  if (configuredValue(&said, "is_causal") == "true") {
    throw ModelError(said.place() +
                     " says is_causal, which no weight shows and Softscope does not compute; " +
                     recordingAdvice());
  }
  if (said.heads.size() > 1) {
    throw ModelError(said.place() + " says heads " + listedNumbers(said.heads) +
                     " of its blocks, and Softscope computes one number for all of them; " +
                     recordingAdvice());
  }
  const std::string scale = configuredValue(&said, "attention_scale");
  if (scale.empty()) return;
  throw ModelError(said.place() + " scales products of queries and keys by " + scale +
                   ", which the width of its heads does not tell and Softscope does not compute; " +
                   recordingAdvice());
}

RecognisedModel recogniseAs(const Family& family, const Checkpoint& checkpoint,
                            const ModelRequest& request) {
  const std::string fileName = std::filesystem::path(checkpoint.path).filename().string();
  const ModelHints hints{request.architecture, request.attention,
                         request.heads,        fileName,
                         checkpoint.metadata,  configurationOf(checkpoint),
                         request.landmarks,    settingsIn(request),
                         request.size,         checkpoint.beside};
  RecognisedModel recognised;
  try {
    requireUsualAttention(family, hints.configuration);
    recognised.model = family.define(checkpoint.state, hints);
    // Structure shows no more than names do of what timm's networks compute without a trace.
    const bool isTimms = anyContains(checkpoint.state, "patch_embed.proj.") &&
                         anyContains(checkpoint.state, "blocks.0.");
    if (family.readsStructure && isTimms && !request.architecture) {
      refuseNamesOfOtherVits(recognised.model.summary.channels, hints);
    }
    resolveLandmarks(request.landmarks, recognised.model.summary);
  } catch (const ModelError& error) {
    throw ModelError(checkpoint.path + ": " + error.what());
  } catch (const c10::Error&) {
    throw cannotBeBuilt(checkpoint.path);
  } catch (const std::bad_alloc&) {
    throw cannotBeBuilt(checkpoint.path);
  }
  DefinedModel& model = recognised.model;
  if (request.architecture && *request.architecture != family.name &&
      *request.architecture != model.summary.variant) {
    throw ModelError(checkpoint.path + ": is " + model.summary.variant + ", not " +
                     *request.architecture + "; leave out --arch to open it as what it is");
  }
  requireChoosable(request, checkpoint.path, model.summary,
                   [&] { return readByStructure(family.name, checkpoint, request).has_value(); });
  ModelSummary& summary = recognised.model.summary;
  const ConfigurationFile* said = configurationFor(model, hints);
  if (said != nullptr) recognised.modelType = said->modelType;
  matchFile(family, checkpoint, recognised);
  summary.weights = checkpoint.weights;
  summary.weightsKey = checkpoint.weightsKey;
  summary.metadata = checkpoint.metadata;
  summary.path = checkpoint.path;
  if (said != nullptr) applyConfiguration(*said, summary);
  applyMetadata(checkpoint.metadata, summary);
  if (said != nullptr) describePreparation(*said, summary);
  describePassedOver(hints.configuration, said != nullptr, summary);
  resolvePixelNorm(hints, model);
  describeUnreadMetadata(summary);
  describeMechanism(request, summary);
  nameImageNetClasses(summary);
  if (request.classNames) nameClasses(summary, *request.classNames);
  // A user who gives --heads overrides both.
  if (request.heads || said == nullptr) return recognised;
  if (const std::vector<int> heads = otherHeads(*said, summary); !heads.empty()) {
    recognised.otherHeads = said->place() + " says heads " + listedNumbers(heads);
    summary.reason += " But " + recognised.otherHeads + ".";
  }
  return recognised;
}

/// Reads by structure a file with a known family's names but other shapes or further parts, such as
/// a ViT in timm's names for grey pictures. Returns nothing if the family lacks something, as in a
/// damaged file.
std::optional<RecognisedModel> readInstead(const RecognisedModel& recognised,
                                           const Checkpoint& checkpoint,
                                           const ModelRequest& request) {
  const bool isOther =
      !recognised.match.wrongShape.empty() || !recognised.model.summary.foreign.empty();
  if (!isOther || !recognised.match.missing.empty()) return std::nullopt;
  return readByStructure(recognised.model.summary.family, checkpoint, request);
}

/// Throws ModelError if config.json says that the network is of a type which the family does not
/// compute. A user who names the family overrides the check.
void requireModelTypeOf(const Family& family, const RecognisedModel& recognised,
                        const Checkpoint& checkpoint, const ModelRequest& request) {
  const std::string& type = recognised.modelType;
  // Hugging Face's library runs any network of timm's as one of these types.
  const bool isOfTimm = type == "timm_wrapper" || type == "timm_backbone";
  const bool isOpen = type.empty() || isOfTimm || family.modelTypes.empty() ||
                      request.architecture || request.ignoresUnexpected;
  if (isOpen || std::ranges::find(family.modelTypes, type) != family.modelTypes.end()) return;
  std::string advice;
  if (recognised.isWhole()) {
    advice = "--arch " + family.name + " opens it as that all the same; otherwise ";
  } else if (readByStructure(family.name, checkpoint, request)) {
    advice = "--arch structure opens it with what its tensors show alone; otherwise ";
  }
  throw ModelError(checkpoint.path + ": config.json beside it says model_type " + quotedText(type) +
                   ", and Softscope does not know whether that computes more than the " +
                   family.name + " model whose names it has; " + advice + recordingAdvice());
}

/// Returns that no family computes networks of the `model_type` in config.json, in front of why the
/// file cannot be read otherwise; empty if one does, or if there is no type.
std::string unknownTypeText(const std::string& type) {
  const bool isOfTimm = type == "timm_wrapper" || type == "timm_backbone";
  const bool isKnown = std::ranges::any_of(families(), [&](const Family& family) {
    return family.name == type ||
           std::ranges::find(family.modelTypes, type) != family.modelTypes.end();
  });
  if (type.empty() || isOfTimm || isKnown) return {};
  return "config.json beside it says model_type " + quotedText(type) +
         ", which none of the families computes; ";
}

/// Reads by structure a file that is read so without options, too, if its options are no choice of
/// the family that its names are of. Returns nothing for any other file. Throws ModelError for
/// options that are no choice of the structure either.
std::optional<RecognisedModel> readByItsOptions(const Family& family, const Checkpoint& checkpoint,
                                                const ModelRequest& request) {
  if (settingsIn(request).empty()) return std::nullopt;
  ModelRequest plain = request;
  for (const SettingOption& option : settingOptions()) (plain.*option.value).reset();
  try {
    if (!readInstead(recogniseAs(family, checkpoint, plain), checkpoint, plain)) {
      return std::nullopt;
    }
  } catch (const ModelError&) {
    return std::nullopt;
  }
  return recogniseAs(structureReader(), checkpoint, request);
}

RecognisedModel recogniseWithin(const Checkpoint& checkpoint, const ModelRequest& request) {
  const Family& family = recogniseFamily(checkpoint, request);
  RecognisedModel recognised;
  try {
    recognised = recogniseAs(family, checkpoint, request);
  } catch (const ModelError&) {
    auto instead = readByItsOptions(family, checkpoint, request);
    if (!instead) throw;
    return std::move(*instead);
  }
  if (auto instead = readInstead(recognised, checkpoint, request)) return std::move(*instead);
  requireModelTypeOf(family, recognised, checkpoint, request);
  ModelSummary& summary = recognised.model.summary;
  // A file that lacks names and has no others in their place is damaged.
  const bool hasOtherParts = !recognised.match.missing.empty() && !summary.foreign.empty();
  if (hasOtherParts && readByStructure(family.name, checkpoint, request)) {
    summary.reason += " --arch structure opens it with what its tensors show alone.";
  }
  return recognised;
}

/// Returns the tensors by whose names another network is known: beside a backbone that no family
/// has, also the names, without tensors, of what stands beside it in the file.
StateDict tensorsOfOther(const Checkpoint& checkpoint) {
  StateDict tensors = checkpoint.state;
  if (isOfAnyFamily(checkpoint.state)) return tensors;
  for (const std::string& name : checkpoint.beside) {
    if (!tensors.contains(name)) tensors.insert(name, torch::empty({0}));
  }
  return tensors;
}

/// Returns true if a file belongs to no family, or to that of plain vision transformers, whose
/// names many other networks have as well.
bool mayBeOfAnother(const StateDict& state) {
  const auto family =
      std::ranges::find_if(families(), [&](const Family& one) { return one.recognises(state); });
  return family == families().end() || family->readsStructure || hasPlainNames(*family);
}

}  // namespace

std::optional<RecognisedModel> readByStructure(const std::string& family,
                                               const Checkpoint& checkpoint,
                                               const ModelRequest& request) {
  if (request.architecture || request.ignoresUnexpected) return std::nullopt;
  if (family == structureReader().name) return std::nullopt;
  if (!otherNetworkText(checkpoint.state).empty()) return std::nullopt;
  if (!structureReader().recognises(checkpoint.state)) return std::nullopt;
  try {
    RecognisedModel instead = recogniseAs(structureReader(), checkpoint, request);
    // Blocks may be missing in the file.
    const NetworkSetting* layers = instead.model.summary.setting("layers");
    if (layers != nullptr && layers->isUndetermined()) return std::nullopt;
    return instead.isWhole() ? std::optional(std::move(instead)) : std::nullopt;
  } catch (const ModelError&) {
    return std::nullopt;
  }
}

RecognisedModel recogniseModel(const Checkpoint& checkpoint, const ModelRequest& request) {
  const auto refuseOther = [&](NamesOfOthers names, bool mayBe(const StateDict&)) {
    // A user who names the architecture overrides the check.
    if (request.architecture || request.ignoresUnexpected) return;
    const std::string other = otherNetworkText(tensorsOfOther(checkpoint), names);
    if (!other.empty() && mayBe(checkpoint.state)) {
      throw ModelError(checkpoint.path + ": is " + other);
    }
    if (names == NamesOfOthers::Unmistakable) return;
    std::string part = adapterText(checkpoint.state, true);
    if (part.empty()) part = partOfPeftText(checkpoint.state, checkpoint.prefix);
    if (!part.empty()) throw ModelError(checkpoint.path + ": is " + part);
  };
  const ConfigurationFile said = readConfigurationFile(checkpoint.path);
  const std::string quantised = quantisedText(checkpoint.state, said.quantisation);
  if (!quantised.empty()) throw ModelError(checkpoint.path + ": " + quantised);
  const std::string parametrised = parametrisedText(checkpoint.state);
  const bool isParametrised = !parametrised.empty() && adapterText(checkpoint.state, false).empty();
  if (isParametrised) throw ModelError(checkpoint.path + ": " + parametrised);
  const std::string configured = otherModelText(said.modelType);
  if (!configured.empty() && !request.architecture && !request.ignoresUnexpected) {
    throw ModelError(checkpoint.path + ": is " + configured);
  }
  // Windows, rotations and the like leave nothing in a file that structure would show.
  refuseOther(NamesOfOthers::Unmistakable, isOfNoFamily);
  try {
    RecognisedModel recognised = recogniseWithin(checkpoint, request);
    if (!recognised.isWhole()) refuseOther(NamesOfOthers::All, mayBeOfAnother);
    return recognised;
  } catch (const ModelError& error) {
    refuseOther(NamesOfOthers::All, mayBeOfAnother);
    const std::string unknown = unknownTypeText(said.modelType);
    const std::string why = error.what();
    const std::string start = checkpoint.path + ": ";
    const bool isTold = why.find("model_type") != std::string::npos;
    if (unknown.empty() || isTold || request.architecture || !why.starts_with(start)) throw;
    throw ModelError(start + unknown + why.substr(start.size()));
  }
}

}  // namespace softscope
