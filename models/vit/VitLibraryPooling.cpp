#include "models/identify/ConfiguredValues.h"
#include "models/identify/ResolvedSetting.h"
#include "models/vit/VitOpenSettings.h"

#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

bool hasPooledOutput(const VitNames& names) {
  return !names.pooler.empty() || !names.poolerNorm.empty() || !names.pool.layer.empty();
}

/// Returns the inputs that a classifier behind one of Hugging Face's networks may have. Without a
/// class token, the first patch stands where others have it.
std::vector<std::string> libraryPoolings(const VitConfiguration& configuration) {
  if (configuration.pooling == VitPooling::Both) return {"both"};
  std::vector<std::string> possible{"cls", "mean"};
  const bool hasPrefix = configuration.prefixTokens() > 0;
  if (hasPrefix) possible.emplace_back("mean_patches");
  possible.emplace_back("max");
  if (hasPrefix) possible.emplace_back("max_patches");
  if (hasPooledOutput(configuration.names)) possible.emplace_back("pooler");
  return possible;
}

/// Returns true if config.json says that the library's own classifier was saved, and the head is as
/// wide as that one's.
bool isLibraryClassifier(const VitConfiguration& configuration, const ConfigurationFile* said) {
  const bool seesBoth = configuration.pooling == VitPooling::Both;
  return said != nullptr && said->modelClass.find("ForImageClassification") != std::string::npos &&
         seesBoth == (configuration.facts.libraryPooling == "both");
}

/// Returns what is known of the head's input. A pooler beside a classifier is none of the library's
/// own, and who keeps it uses it.
SettingKnowledge knownLibraryPooling(const VitConfiguration& configuration,
                                     const ConfigurationFile* said) {
  SettingKnowledge known{.option = "pooling", .usual = configuration.facts.libraryPooling};
  known.choices = libraryPoolings(configuration);
  known.isCertain = isLibraryClassifier(configuration, said);
  if (known.isCertain) {
    known.reason = "as in " + said->modelClass + ", which " + said->fileName + " says";
    return known;
  }
  known.reason =
      "the classifier may be Hugging Face's or somebody's own, and no weight tells what it takes";
  if (configuration.pooling == VitPooling::Both) {
    known.isCertain = known.usual == "both";
    if (known.isCertain) known.reason = "by the head's width";
    known.usual = "both";
  } else if (!configuration.names.pooler.empty()) {
    known.usual = "pooler";
  } else if (known.usual == "both") {
    known.usual = "cls";
  }
  return known;
}

/// Has the head see what Hugging Face's network calls its `pooler_output`.
void usePooledOutput(VitConfiguration& configuration) {
  VitNames& names = configuration.names;
  configuration.pooling = VitPooling::ClassToken;
  if (!names.pool.layer.empty()) {
    configuration.pooling = VitPooling::Attention;
  } else if (!names.poolerNorm.empty()) {
    names.norm = names.poolerNorm;
  } else {
    names.headHidden = names.pooler;
    configuration.headHidden = configuration.channels;
  }
}

}  // namespace

NetworkSetting resolveLibraryPooling(VitConfiguration& configuration, const ModelHints& hints) {
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  NetworkSetting setting = resolveSetting(knownLibraryPooling(configuration, said), hints);
  const std::string& value = setting.value;
  configuration.poolsPrefix = value == "mean" || value == "max";
  if (value == "pooler") {
    usePooledOutput(configuration);
  } else if (value == "cls") {
    configuration.pooling = VitPooling::ClassToken;
  } else if (value.starts_with("mean")) {
    configuration.pooling = VitPooling::Patches;
  } else if (value.starts_with("max")) {
    configuration.pooling = VitPooling::Largest;
  }
  return setting;
}

}  // namespace softscope
