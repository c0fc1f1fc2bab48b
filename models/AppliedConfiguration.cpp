#include "models/AppliedConfiguration.h"

#include "models/identify/Metadata.h"

#include <cstddef>
#include <string>

namespace softscope {

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
  summary.preparationDoubts = told.doubts(said.transformPlace(), summary.transform);
  for (const std::string& doubt : summary.preparationDoubts) {
    summary.reason += " But " + doubt + ".";
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

std::vector<int> otherHeads(const ConfigurationFile& said, const ModelSummary& summary) {
  if (summary.heads.empty() || said.heads.empty()) return {};
  const bool agrees = said.heads.size() == 1 ? said.heads.back() == summary.heads.back()
                                             : said.heads == summary.heads;
  return agrees ? std::vector<int>{} : said.heads;
}

}  // namespace softscope
