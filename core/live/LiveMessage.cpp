#include "core/live/LiveMessage.h"

#include "core/files/Malformed.h"
#include "core/json/ParsedJson.h"
#include "core/text/FileText.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace softscope {

namespace {

using nlohmann::json;

constexpr std::string_view magic = "SSL1";
constexpr std::size_t longestLine = 400;
constexpr std::size_t mostLayers = 10'000;
constexpr std::size_t mostClasses = 100'000;
constexpr int longestSide = 32'768;
constexpr std::int64_t longestLogits = 1'000'000;
constexpr int mostReached = 1 << 20;

template <typename Number>
Number littleEndian(std::string_view bytes) {
  Number number = 0;
  for (std::size_t i = sizeof(Number); i-- > 0;) {
    number = static_cast<Number>(number << 8 | static_cast<unsigned char>(bytes[i]));
  }
  return number;
}

template <typename Number>
void addLittleEndian(std::string& bytes, Number number) {
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    bytes += static_cast<char>(number & 0xff);
    number = static_cast<Number>(number >> 8);
  }
}

bool isLine(const std::string& text, std::size_t longest) {
  return text.size() <= longest && isUtf8(text) &&
         std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

/// Returns a member that is one line of text; empty if there is none.
std::string lineIn(const json& object, const char* key, std::size_t longest = longestLine) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  if (found->is_string()) {
    auto text = found->get<std::string>();
    if (isLine(text, longest)) return text;
  }
  throw Malformed(quotedText(key) + " should be one line of at most " + std::to_string(longest) +
                  " bytes");
}

std::int64_t integerIn(const json& object, const char* key, std::int64_t lowest,
                       std::int64_t highest) {
  const auto found = object.find(key);
  const bool fits =
      found != object.end() && found->is_number_integer() && *found >= lowest && *found <= highest;
  if (fits) return found->get<std::int64_t>();
  throw Malformed(quotedText(key) + " should be a whole number from " + std::to_string(lowest) +
                  " to " + std::to_string(highest));
}

bool flagIn(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return false;
  if (found->is_boolean()) return found->get<bool>();
  throw Malformed(quotedText(key) + " should be true or false");
}

std::vector<std::string> linesIn(const json& object, const char* key, std::size_t most) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  const auto isText = [](const json& item) {
    return item.is_string() && isLine(item.get_ref<const std::string&>(), longestLine);
  };
  if (found->is_array() && found->size() <= most &&
      std::all_of(found->begin(), found->end(), isText)) {
    return found->get<std::vector<std::string>>();
  }
  throw Malformed(quotedText(key) + " should be a list of at most " + std::to_string(most) +
                  " lines");
}

std::vector<LayerSummary> layersIn(const json& head) {
  const auto found = head.find("layers");
  if (found == head.end()) return {};
  if (!found->is_array() || found->size() > mostLayers) {
    throw Malformed("\"layers\" should be a list of at most " + std::to_string(mostLayers));
  }
  std::vector<LayerSummary> layers;
  for (const json& item : *found) {
    if (!item.is_object()) throw Malformed("\"layers\" should list objects");
    LayerSummary layer;
    layer.name = lineIn(item, "name", 1024);
    layer.mechanism = lineIn(item, "mechanism");
    layer.heads = static_cast<int>(integerIn(item, "heads", 1, 4096));
    if (layer.name.empty()) throw Malformed("\"layers\" has one without a name");
    layers.push_back(std::move(layer));
  }
  return layers;
}

/// Returns the picture whose pixels are the frame's payload.
LivePicture pictureIn(const json& head, std::string payload) {
  LivePicture picture;
  picture.width = static_cast<int>(integerIn(head, "width", 1, longestSide));
  picture.height = static_cast<int>(integerIn(head, "height", 1, longestSide));
  picture.name = lineIn(head, "name", 4096);
  const auto bytes =
      static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height) * 3;
  if (payload.size() != bytes) {
    throw Malformed("the picture has " + std::to_string(payload.size()) + " bytes, and " +
                    std::to_string(picture.width) + " x " + std::to_string(picture.height) +
                    " pixels of three have " + std::to_string(bytes));
  }
  picture.rgb = std::move(payload);
  return picture;
}

LiveGreeting greetingIn(const json& head) {
  LiveGreeting greeting;
  greeting.protocol = static_cast<int>(integerIn(head, "protocol", 0, 1'000'000));
  greeting.token = lineIn(head, "token");
  LiveDescription& description = greeting.description;
  description.name = lineIn(head, "name", 100);
  if (description.name.empty() || description.name.find('/') != std::string::npos) {
    throw Malformed("\"name\" should be a name without slashes");
  }
  description.variant = lineIn(head, "variant", 60);
  description.mechanism = lineIn(head, "mechanism", 60);
  description.layers = layersIn(head);
  description.note = lineIn(head, "note");
  description.refused = linesIn(head, "refused", mostLayers);
  description.classNames = linesIn(head, "classes", mostClasses);
  description.isSeries = flagIn(head, "series");
  description.bringsPicture = flagIn(head, "picture");
  return greeting;
}

PictureRegion regionIn(const json& head) {
  const auto found = head.find("region");
  const auto isNumber = [](const json& item) {
    return item.is_number() && std::abs(item.get<double>()) <= 2.0 * longestSide;
  };
  if (found == head.end() || !found->is_array() || found->size() != 4 ||
      !std::all_of(found->begin(), found->end(), isNumber)) {
    throw Malformed("\"region\" should be [x, y, width, height] in pixels");
  }
  const auto numbers = found->get<std::vector<double>>();
  if (!(numbers[2] > 0) || !(numbers[3] > 0)) throw Malformed("\"region\" is empty");
  return {numbers[0], numbers[1], numbers[2], numbers[3]};
}

std::vector<float> floatsIn(const char* key, const std::string& payload, std::int64_t count) {
  if (payload.size() != static_cast<std::size_t>(count) * sizeof(float)) {
    throw Malformed(quotedText(key) + " announces " + std::to_string(count) + " float32 and " +
                    std::to_string(payload.size()) + " bytes follow");
  }
  std::vector<float> values(static_cast<std::size_t>(count));
  std::memcpy(values.data(), payload.data(), payload.size());
  return values;
}

/// Reads `"reach": [TOKENS]` or `[HEIGHT, WIDTH]`, with the influences as payload.
LiveReach reachIn(const json& head, const std::string& payload) {
  const json& sizes = head.at("reach");
  const auto isSize = [](const json& item) {
    return item.is_number_integer() && item >= 1 && item <= mostReached;
  };
  if (!sizes.is_array() || sizes.empty() || sizes.size() > 2 ||
      !std::all_of(sizes.begin(), sizes.end(), isSize)) {
    throw Malformed("\"reach\" should be [tokens] or [height, width]");
  }
  LiveReach reach;
  if (sizes.size() == 2) reach.height = sizes.front().get<int>();
  reach.width = sizes.back().get<int>();
  reach.values = floatsIn("reach", payload, std::int64_t(reach.height) * reach.width);
  reach.channels = static_cast<int>(integerIn(head, "channels", 1, mostReached));
  reach.directions = static_cast<int>(integerIn(head, "directions", 1, reach.channels));
  return reach;
}

double normIn(const json& object, const char* key) {
  const auto found = object.find(key);
  const bool fits = found != object.end() && found->is_number() && found->get<double>() >= 0 &&
                    std::isfinite(found->get<double>());
  if (fits) return found->get<double>();
  throw Malformed(quotedText(key) + " should be a norm");
}

LiveAddition additionIn(const json& head) {
  const json& added = head.at("added");
  if (!added.is_object()) throw Malformed("\"added\" should be an object");
  LiveAddition addition{.attention = normIn(added, "attention"),
                        .projected = normIn(added, "projected"),
                        .residual = normIn(added, "residual"),
                        .output = normIn(added, "output"),
                        .beside = {}};
  if (added.contains("beside")) addition.beside = normIn(added, "beside");
  return addition;
}

LiveReply replyIn(const json& head, std::string payload) {
  LiveReply reply;
  reply.id = integerIn(head, "id", 0, std::numeric_limits<std::int64_t>::max());
  if (head.contains("error")) {
    reply.error = lineIn(head, "error", 2000);
    if (reply.error.empty()) reply.error = "it gave no reason";
    return reply;
  }
  if (head.contains("logits")) {
    reply.answer.logits = floatsIn("logits", payload, integerIn(head, "logits", 1, longestLogits));
    if (head.contains("added")) reply.answer.added = additionIn(head);
    return reply;
  }
  if (head.contains("reach")) {
    reply.answer.reach = reachIn(head, payload);
    return reply;
  }
  reply.answer.region = regionIn(head);
  reply.answer.recording = std::move(payload);
  return reply;
}

LiveStep stepIn(const json& head, std::string payload) {
  constexpr std::int64_t furthest = std::int64_t(1) << 53;
  return {integerIn(head, "step", 0, furthest), std::move(payload)};
}

LiveFrame frameOf(const json& head, std::string payload = {}) {
  return {head.dump(-1, ' ', false, json::error_handler_t::replace), std::move(payload)};
}

}  // namespace

LiveFrameSizes frameSizes(std::string_view head, std::uint64_t largestPayload) {
  if (head.size() != liveFrameHead || head.substr(0, magic.size()) != magic) {
    throw Malformed("it does not speak Softscope's protocol");
  }
  const LiveFrameSizes sizes{littleEndian<std::uint32_t>(head.substr(4, 4)),
                             littleEndian<std::uint64_t>(head.substr(8, 8))};
  if (sizes.json > longestLiveJson || sizes.payload > largestPayload) {
    throw Malformed("it announced a message of " + std::to_string(sizes.json) + " + " +
                    std::to_string(sizes.payload) + " bytes, and at most " +
                    std::to_string(longestLiveJson) + " + " + std::to_string(largestPayload) +
                    " are taken");
  }
  return sizes;
}

std::string frameHead(const LiveFrame& frame) {
  std::string head(magic);
  addLittleEndian(head, static_cast<std::uint32_t>(frame.json.size()));
  addLittleEndian(head, static_cast<std::uint64_t>(frame.payload.size()));
  return head;
}

LiveMessage readLiveMessage(LiveFrame frame) {
  const json head = parsedJson(frame.json);
  if (!head.is_object()) throw Malformed("a message is not a JSON object");
  const std::string type = lineIn(head, "type");
  if (type == "hello") return greetingIn(head);
  if (type == "picture") return pictureIn(head, std::move(frame.payload));
  if (type == "answer") return replyIn(head, std::move(frame.payload));
  if (type == "step") return stepIn(head, std::move(frame.payload));
  throw Malformed("a message is of type " + quotedText(type) +
                  ", and hello, picture, answer and step are known");
}

LiveFrame welcomeFrame(const std::string& program) {
  return frameOf({{"type", "welcome"}, {"protocol", liveProtocol}, {"program", program}});
}

LiveFrame refusalFrame(const std::string& reason) {
  return frameOf({{"type", "refused"}, {"reason", reason}});
}

LiveFrame questionFrame(std::int64_t id, const LiveQuestion& question) {
  json head = {{"type", "run"},
               {"id", id},
               {"width", question.picture.width},
               {"height", question.picture.height}};
  if (!question.silenced.empty()) head["silenced"] = question.silenced;
  if (question.reach) {
    const LiveReachQuestion& reach = *question.reach;
    head["reach"] = {{"layer", reach.layer},
                     {"token", reach.token},
                     {"from", reach.fromPixels ? "pixels" : "tokens"},
                     {"behind", reach.behindAttention ? "attention" : "block"},
                     {"gradient", reach.isPositive ? "positive" : "jacobian"},
                     {"directions", reach.directions}};
  }
  return frameOf(head, question.picture.rgb);
}

}  // namespace softscope
