#include "models/AppliedConfiguration.h"

#include "core/text/FileText.h"
#include "models/identify/Metadata.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace softscope {

namespace {

/// Returns the notes on values in metadata that are there and not understood, each with the reason.
std::vector<std::string> unreadMetadata(const ModelSummary& summary) {
  std::vector<std::string> notes;
  const auto note = [&](const std::string& key, const std::string& value,
                        const std::string& expected) {
    notes.push_back("the file's metadata says " + key + " " + quotedText(value) + ", which is no" +
                    expected);
  };
  const std::map<std::string, std::string>& metadata = summary.metadata;
  for (const char* key : {"input_size", "crop", "filter"}) {
    const auto found = metadata.find(key);
    if (found == metadata.end()) continue;
    const std::string expected = unreadableEntry(key, found->second);
    if (!expected.empty()) note(key, found->second, "t " + expected);
  }
  const auto classes = metadata.find("classes");
  // A trainer may store how many there are under that name.
  if (classes != metadata.end() && classes->second.starts_with("[")) {
    const auto names = namesInMetadata(metadata);
    if (!names || names->size() != static_cast<std::size_t>(summary.classes)) {
      note("classes", classes->second, " list of " + std::to_string(summary.classes) + " names");
    }
  }
  const auto heads = metadata.find("heads");
  if (heads != metadata.end() && !headsInMetadata(metadata)) {
    note("heads", heads->second, " whole number from 1 to 1024");
  }
  for (const NetworkSetting& setting : summary.settings) {
    const auto found = metadata.find(setting.option);
    const bool isMeant = !isGenericName(setting.option) || isWrittenBySoftscope(metadata);
    if (found == metadata.end() || setting.source != "assumed" || !isMeant) continue;
    if (setting.option != "heads") note(setting.option, found->second, " value of the network's");
  }
  return notes;
}

}  // namespace

void applyConfiguration(const ConfigurationFile& said, ModelSummary& summary) {
  const InputTransform own = summary.transform;
  said.transform.applyTo(summary.transform);
  // Positions for a single grid fix the size.
  if (summary.setting("img_size") != nullptr) {
    summary.transform.height = own.height;
    summary.transform.width = own.width;
  }
  if (said.classNames.size() == static_cast<std::size_t>(summary.classes)) {
    summary.classNames = said.classNames;
  }
}

void describePreparation(const ConfigurationFile& said, ModelSummary& summary) {
  ConfiguredTransform told = said.transform;
  if (givesFilter(summary.metadata)) told.otherFilter.clear();
  const bool isBlueFirst = takesBlueFirst(summary.family);
  if (told.flipsChannels.value_or(isBlueFirst) != isBlueFirst) {
    told.notComputed.push_back(
        std::string("feeds the network ") +
        (isBlueFirst ? "red first, and Softscope blue" : "blue first, and Softscope red") +
        " first (do_flip_channel_order)");
  }
  for (const std::string& doubt : told.doubts(said.transformPlace(), summary.transform)) {
    summary.reason += " But " + doubt + ".";
    summary.preparationDoubts.push_back(doubt);
  }
}

void describePassedOver(const ConfigurationFile& said, bool fits, ModelSummary& summary) {
  summary.passedOver = said.unread;
  if (fits) {
    summary.passedOver.insert(summary.passedOver.end(), said.notUnderstood.begin(),
                              said.notUnderstood.end());
  } else if (!said.isWithinCheckpoint) {
    summary.passedOver.push_back(said.fileName + " is of a network of " +
                                 listedNumbers(said.channels) + " channels, and this one has " +
                                 std::to_string(summary.channels));
  }
  for (const std::string& file : summary.passedOver) {
    summary.reason += " But " + file + ", so that it was passed over.";
  }
}

void describeUnreadMetadata(ModelSummary& summary) {
  for (const std::string& note : unreadMetadata(summary)) {
    summary.passedOver.push_back(note);
    summary.reason += " But " + note + ", so that it was passed over.";
  }
}

std::vector<int> otherHeads(const ConfigurationFile& said, const ModelSummary& summary) {
  if (summary.heads.empty() || said.heads.empty()) return {};
  // The numbers that a pickled module has in its parts may come from more parts than the stages.
  const bool isOfStages = said.heads.size() == 1 || said.heads.size() == summary.heads.size();
  if (said.isWithinCheckpoint && !isOfStages) return {};
  const bool agrees = said.heads.size() == 1 ? said.heads.back() == summary.heads.back()
                                             : said.heads == summary.heads;
  return agrees ? std::vector<int>{} : said.heads;
}

}  // namespace softscope
