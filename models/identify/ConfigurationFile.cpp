#include "models/identify/ConfigurationFile.h"

#include "core/checkpoint/PickledMetadata.h"
#include "core/json/ParsedJson.h"
#include "models/identify/Metadata.h"
#include "models/identify/TransformValues.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <system_error>

namespace softscope {

namespace {

using nlohmann::json;

/// No configuration comes close to this size.
constexpr std::uintmax_t mostBytes = 1 << 20;
constexpr std::int64_t largestConfigured = 1 << 20;

/// Returns a number or a list of numbers; empty for anything else.
std::vector<int> numbersIn(const json& value) {
  std::vector<int> numbers;
  for (const json& number : value.is_array() ? value : json::array({value})) {
    if (!number.is_number_integer()) return {};
    const auto integer = number.get<std::int64_t>();
    if (integer < 1 || integer > largestConfigured) return {};
    numbers.push_back(static_cast<int>(integer));
  }
  return numbers;
}

/// Returns the description of the network for pictures within that of a larger network, whose own
/// values are of its other parts or are defaults that mean nothing; null if there is none.
const json* partOfPictures(const json& root) {
  const auto vision = root.find("vision_config");
  if (vision != root.end() && vision->is_object()) return &*vision;
  // A hybrid's backbone is the convolutional network in front of the transformer.
  if (root.contains("is_hybrid") && root.at("is_hybrid") == true) return nullptr;
  // Others use these words, too; Hugging Face's library writes each with its type.
  for (const char* key : {"image_config", "backbone_config", "encoder"}) {
    const auto part = root.find(key);
    const bool isNetwork = part != root.end() && part->is_object() &&
                           part->contains("model_type") && part->at("model_type").is_string();
    // A convolutional network in front of the transformer is no backbone to look at.
    const bool isInFront =
        isNetwork && (part->at("model_type") == "bit" || part->at("model_type") == "resnet");
    if (isNetwork && !isInFront) return &*part;
  }
  return nullptr;
}

/// Returns where to look for a key: in the part of the pictures if a file has one; otherwise on the
/// top level and in timm's `model_args`.
std::vector<const json*> placesIn(const json& root) {
  if (const json* part = partOfPictures(root)) return {part};
  const auto arguments = root.find("model_args");
  if (arguments == root.end()) return {&root};
  return {&root, &*arguments};
}

/// Notes that a key has a value that is nothing of the kind that `kind` names. `null` is none.
void noteNotUnderstood(const char* key, const json& value, const char* kind,
                       ConfigurationFile& said) {
  if (value.is_null()) return;
  said.notUnderstood.push_back(said.fileName + " says " + key + " " + shortenedJson(value) +
                               ", which is " + kind);
}

/// Returns the numbers under the first of the keys that has any.
std::vector<int> firstNumbers(const json& root, std::initializer_list<const char*> keys,
                              ConfigurationFile& said) {
  for (const json* object : placesIn(root)) {
    for (const char* key : keys) {
      if (!object->is_object() || !object->contains(key)) continue;
      std::vector<int> numbers = numbersIn(object->at(key));
      if (!numbers.empty()) return numbers;
      noteNotUnderstood(key, object->at(key), "no whole number above 0", said);
    }
  }
  return {};
}

/// Reads a JSON file from a checkpoint's folder; null if there is none. Adds to `unread` why a file
/// that is there cannot be read.
json objectBeside(const std::string& checkpointPath, const char* name,
                  std::vector<std::string>& unread) {
  const auto path = std::filesystem::path(checkpointPath).parent_path() / name;
  std::error_code failed;
  const auto refuse = [&](const char* why) {
    unread.push_back(std::string(name) + why);
    return json();
  };
  if (!std::filesystem::exists(path, failed)) return {};
  if (!std::filesystem::is_regular_file(path, failed)) return refuse(" is no file");
  const std::uintmax_t bytes = std::filesystem::file_size(path, failed);
  std::ifstream file(path, std::ios::binary);
  if (failed || !file) return refuse(" cannot be read");
  if (bytes > mostBytes) return refuse(" is longer than a megabyte");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  json root = parsedJson(text);
  return root.is_object() ? root : refuse(" is no JSON object in UTF-8");
}

std::string textIn(const json& root, const char* key) {
  return root.contains(key) && root.at(key).is_string() ? root.at(key).get<std::string>() : "";
}

/// Returns the text under the first of the keys that has any.
std::string firstText(const json& root, std::initializer_list<const char*> keys,
                      ConfigurationFile& said) {
  for (const json* object : placesIn(root)) {
    for (const char* key : keys) {
      if (!object->is_object() || !object->contains(key)) continue;
      std::string text = textIn(*object, key);
      if (!text.empty()) return text;
      if (!object->at(key).is_string()) noteNotUnderstood(key, object->at(key), "no text", said);
    }
  }
  return {};
}

/// Recognises the names by number, `LABEL_7`, that Hugging Face gives to unnamed classes.
bool isNumbered(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != "LABEL_" + std::to_string(i)) return false;
  }
  return true;
}

std::vector<std::string> classNamesIn(const json& root) {
  std::vector<std::string> names;
  if (root.contains("id2label") && root.at("id2label").is_object()) {
    const json& labels = root.at("id2label");
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const std::string name = textIn(labels, std::to_string(i).c_str());
      if (name.empty()) return {};
      names.push_back(name);
    }
    return isNumbered(names) ? std::vector<std::string>{} : names;
  }
  if (!root.contains("label_names") || !root.at("label_names").is_array()) return {};
  for (const json& name : root.at("label_names")) {
    if (!name.is_string()) return {};
    names.push_back(name.get<std::string>());
  }
  return names;
}

/// Returns the first of Hugging Face's `architectures`; empty if there is none.
std::string modelClassIn(const json& root) {
  const auto classes = root.find("architectures");
  const bool isList = classes != root.end() && classes->is_array() && !classes->empty();
  return isList && classes->front().is_string() ? classes->front().get<std::string>() : "";
}

std::optional<double> numberIn(const json& object, const char* key) {
  if (!object.is_object() || !object.contains(key) || !object.at(key).is_number()) return {};
  return object.at(key).get<double>();
}

std::optional<double> epsilonIn(const json& root, ConfigurationFile& said) {
  constexpr const char* key = "layer_norm_eps";
  const json& place = *placesIn(root).front();
  const auto epsilon = numberIn(place, key);
  if (epsilon && *epsilon >= 0 && *epsilon < 1) return epsilon;
  if (place.contains(key)) {
    noteNotUnderstood(key, place.at(key), "no number from 0 to below 1", said);
  }
  return {};
}

std::optional<double> rotaryBaseIn(const json& root, ConfigurationFile& said) {
  constexpr const char* key = "rope_theta";
  constexpr const char* holder = "rope_parameters";
  const json& place = *placesIn(root).front();
  const bool isInside = !place.contains(key) && place.contains(holder) &&
                        place.at(holder).is_object() && place.at(holder).contains(key);
  const json& object = isInside ? place.at(holder) : place;
  const auto base = numberIn(object, key);
  if (base && *base > 0 && *base < 1e9) return base;
  if (object.contains(key)) noteNotUnderstood(key, object.at(key), "no number above 0", said);
  return {};
}

/// Notes that the size of pictures, which families read among the plain values, is no size.
void checkImageSize(const json& root, ConfigurationFile& said) {
  for (const json* object : placesIn(root)) {
    for (const char* key : {"image_size", "img_size"}) {
      if (!object->is_object() || !object->contains(key)) continue;
      const json& value = object->at(key);
      if (value.is_object() || !numbersIn(value).empty()) continue;
      noteNotUnderstood(key, value, "no whole number above 0", said);
    }
  }
}

/// Values that Hugging Face leaves out of a `vision_config` because they are the usual ones.
struct UsualVision {
  const char* modelType;  ///< beginning of the `model_type`
  const char* activation;
  double epsilon;
};

constexpr UsualVision usualVisions[] = {{"clip", "quick_gelu", 1e-5},
                                        {"siglip", "gelu_pytorch_tanh", 1e-6}};

/// Fills in what a `vision_config` leaves out: 768 channels, 12 heads, activation and epsilon.
void fillUsualVision(const json& root, ConfigurationFile& said) {
  const json* part = partOfPictures(root);
  if (part == nullptr) return;
  const std::string whole = textIn(root, "model_type");
  const std::string type = textIn(*part, "model_type");
  for (const UsualVision& usual : usualVisions) {
    if (!(type.empty() ? whole : type).starts_with(usual.modelType)) continue;
    if (said.channels.empty()) said.channels = {768};
    if (said.heads.empty()) said.heads = {12};
    if (said.activation.empty()) said.activation = usual.activation;
    if (!said.epsilon) said.epsilon = usual.epsilon;
  }
}

/// Returns OpenCLIP's description of how pictures are prepared, in timm's words.
json timmWordsOf(const json& preparation, const json& vision) {
  json words = preparation;
  const std::string mode = textIn(preparation, "resize_mode");
  words["crop_mode"] = mode == "longest" ? "border" : mode == "squash" ? "squash" : "center";
  words["crop_pct"] = 1;
  const std::vector<int> side =
      vision.contains("image_size") ? numbersIn(vision.at("image_size")) : std::vector<int>{};
  if (!side.empty()) words["input_size"] = json::array({3, side.front(), side.back()});
  return words;
}

/// Reads the arguments that OpenCLIP passes to its activation and its norms. What is not understood
/// is left among the values.
void readOpenClipArguments(const json& vision, ConfigurationFile& said) {
  for (const char* arguments : {"act_kwargs", "norm_kwargs"}) {
    if (!vision.contains(arguments) || !vision.at(arguments).is_object()) continue;
    for (const auto& [key, value] : vision.at(arguments).items()) {
      const std::string whole = std::string(arguments) + "." + key;
      if (key == "inplace") continue;  // Where a result is kept, not what it is.
      if (whole == "norm_kwargs.eps" && value.is_number() && value.get<double>() >= 0 &&
          value.get<double>() < 1) {
        said.epsilon = value.get<double>();
      } else if (whole == "act_kwargs.approximate" && value == "tanh" &&
                 said.activation == "gelu") {
        said.activation = "gelu_tanh";
      } else if (whole != "act_kwargs.approximate" || value != "none") {
        said.values.emplace(whole, value.is_string() ? value.get<std::string>() : value.dump());
      }
    }
  }
}

std::optional<bool> openClipFlag(const json& object, const char* key, ConfigurationFile& said) {
  if (!object.contains(key)) return std::nullopt;
  const auto truth = truthIn(object.at(key));
  if (!truth) noteNotUnderstood(key, object.at(key), "neither true nor false", said);
  return truth;
}

/// Reads OpenCLIP's description of the network for pictures.
void readOpenClip(const json& root, ConfigurationFile& said) {
  if (!root.is_object() || !root.contains("model_cfg")) return;
  const json& model = root.at("model_cfg");
  if (!model.is_object() || !model.contains("vision_cfg")) return;
  const json& vision = model.at("vision_cfg");
  const std::vector<int> width = vision.is_object() && vision.contains("width")
                                     ? numbersIn(vision.at("width"))
                                     : std::vector<int>{};
  if (width.size() != 1) return;
  constexpr int usualHeadWidth = 64;
  const std::vector<int> headWidth = vision.contains("head_width")
                                         ? numbersIn(vision.at("head_width"))
                                         : std::vector<int>{usualHeadWidth};
  if (headWidth.size() != 1) return;
  said.fileName = "open_clip_config.json";
  said.channels = width;
  if (width.front() % headWidth.front() == 0) said.heads = {width.front() / headWidth.front()};
  const bool isQuick = openClipFlag(model, "quick_gelu", said).value_or(false);
  said.activation = isQuick ? "quick_gelu" : "gelu";
  readOpenClipArguments(vision, said);
  said.pooling = textIn(vision, "pool_type");
  for (const char* key : {"final_ln_after_pool", "no_ln_pre"}) {
    const auto flag = openClipFlag(vision, key, said);
    if (flag) said.values.emplace(key, *flag ? "true" : "false");
  }
  if (!root.contains("preprocess_cfg") || !root.at("preprocess_cfg").is_object()) return;
  said.transform = transformOfTimm(timmWordsOf(root.at("preprocess_cfg"), vision));
  said.transformFile = said.fileName;
}

/// Returns a plain value as text, a list of numbers as `28,42`, one that has lists among them as
/// JSON, `[[6,6],[6,6]]`, and nothing for anything else.
std::optional<std::string> plainText(const json& value) {
  constexpr std::size_t mostNumbers = 64;
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean() || value.is_number()) return value.dump();
  if (!value.is_array() || value.empty() || value.size() > mostNumbers) return std::nullopt;
  std::string list;
  bool isNested = false;
  for (const json& number : value) {
    if (!number.is_number() && !number.is_array()) return std::nullopt;
    isNested = isNested || number.is_array();
    if (number.is_number()) list += (list.empty() ? "" : ",") + number.dump();
  }
  // A reader of plain lists refuses such a text, and does not take the key for absent.
  return isNested ? value.dump(-1, ' ', true) : list;
}

/// Adds the plain values of an object, but for those that `isLeftOut` names.
void addPlainValues(const json& object, std::map<std::string, std::string>& values,
                    bool (*isLeftOut)(const std::string&) = nullptr) {
  constexpr std::size_t mostValues = 1000;
  for (const auto& [key, value] : object.items()) {
    if (values.size() >= mostValues) return;
    if (isLeftOut != nullptr && isLeftOut(key)) continue;
    if (const auto text = plainText(value)) values.emplace(key, *text);
  }
}

/// Returns the plain values that describe the network for pictures. Other objects in a
/// configuration, such as those of an optimiser or of the network for texts, use the same names.
std::map<std::string, std::string> plainValuesOf(const json& root) {
  constexpr const char* networks[] = {
      "model",    "model_args",  "model_config",    "model_cfg",     "network",
      "net",      "vit",         "vision_model",    "vision_cfg",    "encoder",
      "backbone", "transformer", "backbone_config", "pretrained_cfg"};
  std::map<std::string, std::string> values;
  if (const json* part = partOfPictures(root)) {
    addPlainValues(*part, values);
    return values;
  }
  addPlainValues(root, values);
  for (const char* key : networks) {
    const auto network = root.find(key);
    if (network != root.end() && network->is_object()) addPlainValues(*network, values);
  }
  // These are of the network and of the training together.
  for (const char* key : trainersDictionaries) {
    const auto training = root.find(key);
    if (training == root.end() || !training->is_object()) continue;
    addPlainValues(*training, values, isGenericName);
  }
  return values;
}

/// Reads how pictures are prepared, as the library does: from what processor_config.json says of
/// pictures, or else from preprocessor_config.json.
void readPreprocessor(const std::string& checkpointPath, const std::string& modelType,
                      ConfigurationFile& said) {
  constexpr const char* part = "image_processor";
  said.transformFile = "processor_config.json";
  json root = objectBeside(checkpointPath, said.transformFile.c_str(), said.unread);
  if (root.is_object() && root.contains(part) && root.at(part).is_object()) {
    root = json(root.at(part));
  } else {
    if (root.is_object() && root.contains(part) && !root.at(part).is_null()) {
      said.unread.push_back(said.transformFile + " has an " + part + " that is no object");
    }
    said.transformFile = "preprocessor_config.json";
    root = objectBeside(checkpointPath, said.transformFile.c_str(), said.unread);
  }
  said.transform = transformOfPreprocessor(root, modelType);
}

/// Returns how weights are quantised, as the file says of the network or of the whole that it is a
/// part of.
std::string quantisationIn(const json& root) {
  for (const json* object : {&root, placesIn(root).front()}) {
    const auto quantisation = object->find("quantization_config");
    if (quantisation == object->end() || !quantisation->is_object()) continue;
    return textIn(*quantisation, "quant_method");
  }
  return {};
}

}  // namespace

bool ConfigurationFile::fits(int lastChannels, const std::vector<int>& otherWidths) const {
  if (channels.empty() || channels.back() == lastChannels) return true;
  return channels.size() == 1 && std::ranges::count(otherWidths, channels.front()) > 0;
}

std::vector<int> ConfigurationFile::headsOf(int lastChannels) const {
  return fits(lastChannels) ? heads : std::vector<int>{};
}

std::string activationOfTimmsName(const std::string& architecture) {
  // timm names its networks for OpenAI's CLIP weights in this way.
  return architecture.find("quickgelu") == std::string::npos ? "" : "quick_gelu";
}

ConfigurationFile readConfigurationFile(const std::string& checkpointPath) {
  ConfigurationFile said;
  const json root = objectBeside(checkpointPath, "config.json", said.unread);
  readPreprocessor(checkpointPath, textIn(root, "model_type"), said);
  if (!root.is_object()) {
    readOpenClip(objectBeside(checkpointPath, "open_clip_config.json", said.unread), said);
    return said;
  }
  said.heads = firstNumbers(root, {"num_attention_heads", "num_heads"}, said);
  said.channels =
      firstNumbers(root, {"hidden_size", "hidden_sizes", "embed_dim", "num_features"}, said);
  said.architecture = textIn(root, "architecture");
  if (said.architecture.empty()) said.architecture = textIn(root, "model_type");
  said.activation = firstText(root, {"hidden_act", "act_layer"}, said);
  said.pooling = firstText(root, {"global_pool"}, said);
  const std::string named = activationOfTimmsName(said.architecture);
  if (!named.empty()) said.activation = named;
  said.epsilon = epsilonIn(root, said);
  said.rotaryBase = rotaryBaseIn(root, said);
  checkImageSize(root, said);
  said.quantisation = quantisationIn(root);
  said.modelType = firstText(root, {"model_type"}, said);
  said.modelClass = modelClassIn(root);
  fillUsualVision(root, said);
  said.classNames = classNamesIn(root);
  said.values = plainValuesOf(root);
  if (said.rotaryBase) said.values.emplace("rope_theta", json(*said.rotaryBase).dump());
  if (root.contains("network") && root.at("network").is_array()) {
    said.network = root.at("network").dump();
  }
  if (root.contains("pretrained_cfg")) {
    const json& pretrained = root.at("pretrained_cfg");
    said.transform = transformOfTimm(pretrained);
    if (root.contains("model_args")) takeSizeOfTimm(root.at("model_args"), said.transform);
    said.transformFile = "config.json";
    if (pretrained.is_object()) said.tag = textIn(pretrained, "tag");
  }
  return said;
}

}  // namespace softscope
