#include "core/Error.h"
#include "core/model/PixelNorm.h"
#include "core/text/Names.h"
#include "core/text/Words.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/GivenNames.h"
#include "models/identify/ResolvedSetting.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace softscope {

namespace {

using Channels = std::array<float, 3>;

struct NamedNorm {
  /// For timm's `architecture.tag`, in lower case, or for `architecture` if it has no dot; the
  /// first match counts.
  const char* pattern;
  const char* norm;
};

/// The norms of timm's pretrained networks, by name and tag, and of files that authors publish
/// under their own names.
constexpr NamedNorm namedNorms[] = {
    {"*_tipsv2.*", "none"},
    {"vit_*_miil.*", "none"},
    {"vit_large_patch14_clip_*.laion2b*", "half"},
    {"vit_*_clip_*", "clip"},
    {"eva_large_*", "clip"},
    {"vit_*.bamboo", "clip"},
    {"vit_*_radio_*", "clip"},
    {"vit_*_dinov2.*", "imagenet"},
    {"vit_*.dino", "imagenet"},
    {"vit_*.mae", "imagenet"},
    {"vit_*.*ijepa", "imagenet"},
    {"vit_intern300m_*", "imagenet"},
    {"deit_tiny_*patch16_224", "imagenet"},
    {"deit_small_*patch16_224", "imagenet"},
    {"deit_base_*patch16_224", "imagenet"},
    {"deit_base_*patch16_384", "imagenet"},
    {"deit3_*_patch1[46]_[23][28]4", "imagenet"},
    {"dino_deitsmall*_pretrain", "imagenet"},
    {"dino_deitsmall*_pretrain_full_checkpoint", "imagenet"},
    {"dino_vitsmall*_pretrain", "imagenet"},
    {"dino_vitsmall*_pretrain_full_checkpoint", "imagenet"},
    {"dino_vitbase*_pretrain", "imagenet"},
    {"dino_vitbase*_pretrain_full_checkpoint", "imagenet"},
    {"dino_xcit_*_pretrain", "imagenet"},
    {"dino_xcit_*_pretrain_full_checkpoint", "imagenet"},
    {"dino_vit[sb]16", "imagenet"},
    {"dino_vit[sb]8", "imagenet"},
    {"mae_pretrain_vit_base", "imagenet"},
    {"mae_pretrain_vit_base_full", "imagenet"},
    {"mae_finetuned_vit_base", "imagenet"},
    {"mae_visualize_vit_base*", "imagenet"},
    {"mae_pretrain_vit_large", "imagenet"},
    {"mae_pretrain_vit_large_full", "imagenet"},
    {"mae_finetuned_vit_large", "imagenet"},
    {"mae_visualize_vit_large*", "imagenet"},
    {"mae_pretrain_vit_huge", "imagenet"},
    {"mae_pretrain_vit_huge_full", "imagenet"},
    {"mae_finetuned_vit_huge", "imagenet"},
    {"mae_visualize_vit_huge*", "imagenet"},
    {"vit_*.augreg*", "half"},
    {"vit_*.orig_*", "half"},
    {"vit_*.sam_*", "half"},
    {"vit_*.sw_*", "half"},
    {"vit_*.sbb*", "half"},
    {"vit_*.webli*", "half"},
    {"vit_*.v2_webli*", "half"},
    {"vit_*.pali*", "half"},
    {"flexivit_*", "half"},
    {"test_vit*.r160_in1k", "half"},
};

/// Values and their source.
struct SaidChannels {
  Channels channels;
  std::string source;
};

/// Returns a name without the hash that authors put behind those of their files:
/// `deit_tiny_patch16_224-a1311bcf`.
std::string withoutHash(const std::string& name) {
  const std::size_t dash = name.rfind('-');
  const bool hasHash =
      dash != std::string::npos && isShortHash(std::string_view(name).substr(dash + 1));
  return hasHash ? name.substr(0, dash) : name;
}

/// Returns the norm that a network's names imply; nothing if they imply none.
std::optional<std::pair<const PixelNorm*, std::string>> normOfNames(const ModelHints& hints) {
  for (const GivenName& given : givenNames(hints)) {
    const TimmName name = timmNameIn(given.name);
    const std::string architecture = withoutHash(name.architecture);
    const std::string full = architecture + (name.tag.empty() ? "" : "." + name.tag);
    for (const NamedNorm& known : namedNorms) {
      const bool hasTag = std::string_view(known.pattern).find('.') != std::string_view::npos;
      if (!matchesPattern(hasTag ? full : architecture, known.pattern)) continue;
      return std::pair(findPixelNorm(known.norm),
                       "as " + full + " is evaluated, since " + given.place + given.name);
    }
  }
  return std::nullopt;
}

std::optional<SaidChannels> askedChannels(const ModelHints& hints, const std::string& option,
                                          const char* other,
                                          std::optional<Channels> (*parse)(const std::string&)) {
  for (const std::string& key : {option, std::string(other)}) {
    const auto asked = hints.settings.find(key);
    // A norm's name gives both mean and deviation.
    const bool counts =
        asked != hints.settings.end() && (key == option || findPixelNorm(asked->second) != nullptr);
    if (!counts) continue;
    if (const auto channels = parse(asked->second)) {
      return SaidChannels{*channels, "chosen with --" + key};
    }
    throw ModelError("--" + key + " is imagenet, half, clip, none or numbers from 0 to 1, not \"" +
                     asked->second + "\"");
  }
  const auto kept = hints.metadata.find(option);
  if (kept == hints.metadata.end()) return std::nullopt;
  const auto channels = parse(kept->second);
  if (!channels) return std::nullopt;
  return SaidChannels{*channels, "from the file's metadata"};
}

/// Explains why no published network determines the norm.
std::string reasonOf(const std::string& published, const std::vector<std::string>& norms) {
  if (published.empty()) return "nobody published a network of these sizes, and no weight tells it";
  std::vector<std::string> titles;
  for (const std::string& name : norms) titles.push_back(findPixelNorm(name)->title);
  return "networks of these sizes were trained with different ones: " + listText(titles);
}

std::vector<std::string> normChoices(const std::vector<std::string>& likely,
                                     const std::string& value) {
  std::vector<std::string> choices{value};
  const auto add = [&](const std::string& name) {
    if (std::find(choices.begin(), choices.end(), name) == choices.end()) choices.push_back(name);
  };
  for (const std::string& name : likely) add(name);
  for (const PixelNorm& norm : pixelNorms()) add(norm.name);
  return choices;
}

/// The values in the transform, and why, if neither options nor metadata give any.
struct UsualNorm {
  Channels mean;
  Channels deviation;
  std::string source;
  std::string why;  ///< empty if they are known
};

UsualNorm usualNorm(const ModelHints& hints, const DefinedModel& model) {
  const ModelSummary& summary = model.summary;
  const InputTransform& transform = summary.transform;
  UsualNorm usual{transform.mean, transform.deviation, {}, {}};
  if (!model.normsPixelsItself.empty()) {
    return {{0, 0, 0}, {1, 1, 1}, model.normsPixelsItself, {}};
  }
  const ConfigurationFile* said = configurationFor(model, hints);
  if (said != nullptr && said->transform.mean && said->transform.deviation) {
    usual.source = "from " + said->transformFile;
    return usual;
  }
  if (const auto named = normOfNames(hints)) {
    usual.mean = named->first->mean;
    usual.deviation = named->first->deviation;
    usual.source = named->second;
    return usual;
  }
  const std::vector<std::string>& norms = model.pixelNorms;
  if (!norms.empty()) {
    usual.mean = findPixelNorm(norms.front())->mean;
    usual.deviation = findPixelNorm(norms.front())->deviation;
  }
  std::string published = model.publishedAs;
  if (published.empty() && summary.isPublished()) published = summary.variant;
  if (!published.empty() && norms.size() < 2) {
    usual.source = "as " + published + " was evaluated";
  } else {
    usual.source = "assumed";
    usual.why = reasonOf(published, norms);
  }
  return usual;
}

NetworkSetting settingOf(const std::string& option, const std::optional<SaidChannels>& said,
                         const UsualNorm& usual, const std::string& value,
                         const std::vector<std::string>& likely) {
  NetworkSetting setting{.option = option, .value = value};
  setting.source = said ? said->source : usual.source;
  if (!said) setting.why = usual.why;
  setting.choices = normChoices(likely, value);
  return setting;
}

}  // namespace

void resolvePixelNorm(const ModelHints& hints, DefinedModel& model) {
  const UsualNorm usual = usualNorm(hints, model);
  const auto mean = askedChannels(hints, "mean", "std", parsePixelMean);
  const auto deviation = askedChannels(hints, "std", "mean", parsePixelDeviation);
  InputTransform& transform = model.summary.transform;
  transform.mean = mean ? mean->channels : usual.mean;
  transform.deviation = deviation ? deviation->channels : usual.deviation;
  model.summary.settings.push_back(
      settingOf("mean", mean, usual, pixelMeanText(transform.mean), model.pixelNorms));
  model.summary.settings.push_back(settingOf(
      "std", deviation, usual, pixelDeviationText(transform.deviation), model.pixelNorms));
}

}  // namespace softscope
