#include "core/model/ModelRequest.h"

#include "core/attention/Mechanism.h"
#include "core/json/ParsedJson.h"
#include "core/model/SettingOption.h"
#include "core/text/Words.h"

#include <nlohmann/json.hpp>

#include <charconv>

namespace softscope {

std::string HeadCounts::text() const {
  return listText(counts_, ",");
}

std::optional<HeadCounts> parseHeadCounts(const std::string& text) {
  constexpr int mostHeads = 1024;
  std::vector<int> counts;
  const char* at = text.data();
  const char* end = at + text.size();
  while (true) {
    int count = 0;
    const auto [stop, error] = std::from_chars(at, end, count);
    if (error != std::errc() || count < 1 || count > mostHeads) return std::nullopt;
    counts.push_back(count);
    if (stop == end) return HeadCounts(std::move(counts));
    if (*stop != ',') return std::nullopt;
    at = stop + 1;
  }
}

namespace {

using RequestValues = nlohmann::ordered_json;

/// Returns `4`, or `[1, 3, 4]`.
RequestValues headsJson(const HeadCounts& heads) {
  return heads.isOneNumber() ? RequestValues(heads.last()) : RequestValues(heads.counts());
}

std::optional<HeadCounts> headsAt(const RequestValues& json) {
  if (const auto one = memberInteger(json, "heads")) return HeadCounts(*one);
  const auto found = json.find("heads");
  if (found == json.end() || !found->is_array() || found->empty()) return std::nullopt;
  std::vector<int> counts;
  for (const RequestValues& count : *found) {
    if (!count.is_number_integer()) return std::nullopt;
    counts.push_back(count.get<int>());
  }
  return HeadCounts(std::move(counts));
}

}  // namespace

std::string requestJson(const ModelRequest& request) {
  RequestValues json = RequestValues::object();
  if (request.attention) json["attention"] = *request.attention;
  if (request.architecture) json["arch"] = *request.architecture;
  if (request.heads) json["heads"] = headsJson(*request.heads);
  if (request.landmarks != LandmarkChoice()) {
    json["landmarks"] = nameOf(request.landmarks.source);
    if (request.landmarks.count) json["landmark-count"] = *request.landmarks.count;
    if (request.landmarks.source == LandmarkSource::Random) {
      json["landmark-seed"] = request.landmarks.seed;
    }
  }
  for (const SettingOption& option : settingOptions()) {
    if (const auto& value = request.*option.value) json[option.name] = *value;
  }
  if (request.weights) json["weights"] = *request.weights;
  if (request.classNames) json["class-names"] = *request.classNames;
  json["device"] = request.device;
  if (request.ignoresUnexpected) json["ignore-unexpected"] = true;
  return json.dump();
}

ModelRequest requestOfJson(const std::string& text) {
  ModelRequest request;
  const RequestValues json = parsedOrderedJson(text);
  if (!json.is_object()) return request;
  request.attention = memberText(json, "attention");
  request.architecture = memberText(json, "arch");
  request.heads = headsAt(json);
  request.landmarks.source = landmarkSourceNamed(memberText(json, "landmarks").value_or(""))
                                 .value_or(LandmarkSource::Trained);
  request.landmarks.count = memberInteger(json, "landmark-count");
  request.landmarks.seed = memberInteger(json, "landmark-seed").value_or(0);
  for (const SettingOption& option : settingOptions()) {
    request.*option.value = memberText(json, option.name);
  }
  request.weights = memberText(json, "weights");
  request.classNames = memberText(json, "class-names");
  request.device = memberText(json, "device").value_or(request.device);
  request.ignoresUnexpected = json.value("ignore-unexpected", RequestValues()) == true;
  return request;
}

ModelRequest withAttention(ModelRequest request, const std::string& mechanism) {
  request.attention = mechanism;
  if (!takesLandmarks(mechanism)) request.landmarks = {};
  return request;
}

}  // namespace softscope
