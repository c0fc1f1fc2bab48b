#include "widgets/workspace/WorkspaceState.h"

#include "core/Error.h"
#include "core/model/SettingOption.h"
#include "widgets/settings/AnalysisFile.h"
#include "widgets/settings/SettingValues.h"
#include "widgets/workspace/WorkspaceDoubts.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QJsonArray>
#include <QtCore/QJsonDocument>
#include <QtCore/QJsonObject>
#include <QtCore/QString>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace softscope {

namespace {

/// A value of an enumeration and its name in files.
template <typename Enumeration>
struct Name {
  Enumeration value;
  const char* text;
};

template <typename Enumeration, std::size_t count>
QString nameOf(const Name<Enumeration> (&names)[count], Enumeration value) {
  for (const auto& name : names) {
    if (name.value == value) return QLatin1String(name.text);
  }
  return {};
}

/// Returns the value with that name, or the first value if no value has it.
template <typename Enumeration, std::size_t count>
Enumeration valueOf(const Name<Enumeration> (&names)[count], const QString& text) {
  for (const auto& name : names) {
    if (text == QLatin1String(name.text)) return name.value;
  }
  return names[0].value;
}

constexpr int formatVersion = 1;
/// More of one model could not be looked at side by side.
constexpr std::size_t mostCollectedHeads = 1000;
/// More than fit in memory, and few enough to look for all of them at once.
constexpr qsizetype mostModels = 1000;

constexpr Name<Direction> directionNames[] = {{Direction::Rows, "rows"},
                                              {Direction::Columns, "columns"}};
QJsonObject fileJson(const QString& path, const QString& folder) {
  QJsonObject file{{"path", path}};
  const QString relative = QDir(folder).relativeFilePath(path);
  if (!folder.isEmpty() && !relative.startsWith(QLatin1String(".."))) file["relative"] = relative;
  return file;
}

/// Returns the path that was written or, if only that exists, the same file relative to the
/// workspace.
QString filePath(const QJsonObject& file, const QString& folder) {
  const QString path = file["path"].toString();
  if (QFileInfo::exists(path) || !file.contains("relative")) return path;
  const QString beside = QDir(folder).absoluteFilePath(file["relative"].toString());
  return QFileInfo::exists(beside) ? beside : path;
}

QJsonArray filesJson(const std::vector<std::string>& paths, const QString& folder) {
  QJsonArray files;
  for (const std::string& path : paths) {
    files.append(fileJson(QString::fromStdString(path), folder));
  }
  return files;
}

/// Returns the paths of at most `most` files.
std::vector<std::string> filesOf(const QJsonValue& json, const QString& folder, std::size_t most) {
  std::vector<std::string> files;
  for (const QJsonValue& value : json.toArray()) {
    const QString path = filePath(value.toObject(), folder);
    if (!path.isEmpty() && files.size() < most) files.push_back(path.toStdString());
  }
  return files;
}

QJsonObject queryJson(const PictureQuery& query) {
  QJsonObject json{{"x", query.x}, {"y", query.y}, {"classToken", query.prefixToken == 0}};
  if (query.prefixToken && *query.prefixToken > 0) json["prefixToken"] = *query.prefixToken;
  return json;
}

PictureQuery queryOf(const QJsonObject& json) {
  PictureQuery query{std::clamp(json["x"].toDouble(0.5), 0.0, 1.0),
                     std::clamp(json["y"].toDouble(0.5), 0.0, 1.0)};
  if (json["classToken"].toBool()) query.prefixToken = 0;
  const int token = json["prefixToken"].toInt(0);
  if (token > 0) query.prefixToken = token;
  return query;
}

/// Writes nothing if the landmarks are those of training.
void writeLandmarks(const LandmarkChoice& landmarks, QJsonObject& json) {
  if (landmarks.isTrained() && !landmarks.count) return;
  json["landmarks"] = QString::fromStdString(nameOf(landmarks.source));
  if (landmarks.count) json["landmarkCount"] = *landmarks.count;
  if (landmarks.source == LandmarkSource::Random) json["landmarkSeed"] = landmarks.seed;
}

LandmarkChoice landmarksOf(const QJsonObject& json) {
  LandmarkChoice landmarks;
  const std::string source = json["landmarks"].toString().toStdString();
  const std::optional<LandmarkSource> known = landmarkSourceNamed(source);
  landmarks.source = known.value_or(LandmarkSource::Trained);
  const int count = json["landmarkCount"].toInt();
  if (known && count > 0) landmarks.count = count;
  if (landmarks.source == LandmarkSource::Random) {
    landmarks.seed = std::max(0, json["landmarkSeed"].toInt());
  }
  return landmarks;
}

/// Returns a number, or `1,3,4` if it differs between stages.
QJsonValue headsJson(const HeadCounts& heads) {
  if (heads.isOneNumber()) return heads.last();
  return QString::fromStdString(heads.text());
}

std::optional<HeadCounts> headsOf(const QJsonValue& json) {
  if (json.isString()) return parseHeadCounts(json.toString().toStdString());
  if (!json.isDouble()) return std::nullopt;
  return HeadCounts(json.toInt());
}

/// Writes nothing for a model that is not marked.
void writeMarks(const ModelMarks& marks, QJsonObject& json) {
  if (marks.isSilenced) json["silenced"] = true;
  if (marks.collected.empty()) return;
  QJsonArray heads;
  for (const HeadOfLayer& head : marks.collected) {
    heads.append(QJsonObject{{"layer", QString::fromStdString(head.layer)}, {"head", head.head}});
  }
  json["collected"] = heads;
}

ModelMarks marksOf(const QJsonObject& json) {
  ModelMarks marks{.isSilenced = json["silenced"].toBool(), .collected = {}};
  for (const QJsonValue& value : json["collected"].toArray()) {
    const QJsonObject head = value.toObject();
    HeadOfLayer collected{head["layer"].toString().toStdString(), head["head"].toInt(-1)};
    const bool isKnown = std::ranges::find(marks.collected, collected) != marks.collected.end();
    if (collected.head < 0 || isKnown || marks.collected.size() == mostCollectedHeads) continue;
    marks.collected.push_back(std::move(collected));
  }
  return marks;
}

QJsonObject modelJson(const ModelState& model, const QString& folder) {
  const ModelRequest& request = model.request;
  QJsonObject json = fileJson(QString::fromStdString(request.path), folder);
  if (request.architecture) json["architecture"] = QString::fromStdString(*request.architecture);
  if (request.attention) json["attention"] = QString::fromStdString(*request.attention);
  if (request.heads) json["heads"] = headsJson(*request.heads);
  writeLandmarks(request.landmarks, json);
  for (const SettingOption& option : settingOptions()) {
    if (const auto& value = request.*option.value) {
      json[QLatin1String(option.name)] = QString::fromStdString(*value);
    }
  }
  if (request.weights) json["weights"] = QString::fromStdString(*request.weights);
  if (request.classNames) {
    json["classNames"] = fileJson(QString::fromStdString(*request.classNames), folder);
  }
  if (request.ignoresUnexpected) json["ignoresUnexpected"] = true;
  json["device"] = QString::fromStdString(request.device);
  json["inputSize"] = QString::fromStdString(inputSizeText(model.inputSize));
  json["layer"] = QString::fromStdString(model.layer);
  json["fingerprint"] = model.fingerprint;
  if (!model.givenName.isEmpty()) json["name"] = model.givenName;
  writeMarks(model.marks, json);
  return json;
}

ModelState modelOf(const QJsonObject& json, const QString& folder) {
  ModelState model;
  const auto text = [&](const char* key) -> std::optional<std::string> {
    if (!json.contains(QLatin1String(key))) return std::nullopt;
    return json[QLatin1String(key)].toString().toStdString();
  };
  model.request.path = filePath(json, folder).toStdString();
  model.request.architecture = text("architecture");
  model.request.attention = text("attention");
  for (const SettingOption& option : settingOptions()) {
    model.request.*option.value = text(option.name);
  }
  model.request.weights = text("weights");
  const QString names = filePath(json["classNames"].toObject(), folder);
  if (!names.isEmpty()) model.request.classNames = names.toStdString();
  model.request.landmarks = landmarksOf(json);
  model.request.heads = headsOf(json["heads"]);
  model.request.ignoresUnexpected = json["ignoresUnexpected"].toBool();
  model.request.device = text("device").value_or("cpu");
  model.inputSize = parseInputSize(text("inputSize").value_or("")).value_or(InputSize());
  model.layer = text("layer").value_or("");
  model.fingerprint = json["fingerprint"].toString();
  model.givenName = json["name"].toString();
  model.marks = marksOf(json);
  return model;
}

QJsonObject viewJson(const WorkspaceState& state) {
  QJsonObject json{{"onlyHead", state.onlyHead ? QJsonValue(*state.onlyHead) : QJsonValue()},
                   {"visible", QJsonArray{state.visible.x(), state.visible.y(),
                                          state.visible.width(), state.visible.height()}}};
  writeSettings(viewSettings, state.view, json);
  writeSettings(mapSettings, state.map, json);
  writeSettings(channelSettings, state.channel, json);
  writeSettings(overHeadsSettings, state.overHeads, json);
  return json;
}

void readView(const QJsonObject& json, WorkspaceState& state) {
  readSettings(viewSettings, json, state.view);
  readSettings(mapSettings, json, state.map);
  readSettings(channelSettings, json, state.channel);
  readSettings(overHeadsSettings, json, state.overHeads);
  const int onlyHead = json["onlyHead"].toInt(-1);
  if (onlyHead >= 0) state.onlyHead = onlyHead;
  const QJsonArray sides = json["visible"].toArray();
  if (sides.size() != 4) return;
  const QRectF visible(sides[0].toDouble(), sides[1].toDouble(), sides[2].toDouble(),
                       sides[3].toDouble());
  const QRectF whole(0, 0, 1, 1);
  if (!visible.isEmpty() && whole.contains(visible)) state.visible = visible;
}

/// Writes nothing for a picture read in the usual way.
void writeReading(const PictureReading& reading, QJsonObject& json) {
  const PictureReading usual;
  if (reading.orientation != usual.orientation) json["exif"] = QStringLiteral("off");
  if (!(reading.range == usual.range)) {
    json["range"] = QString::fromStdString(sampleRangeText(reading.range));
  }
  if (reading.page != usual.page) json["page"] = reading.page;
}

PictureReading readingOf(const QJsonObject& json) {
  PictureReading reading;
  if (json["exif"].toString() == QLatin1String("off")) {
    reading.orientation = ExifOrientation::Ignore;
  }
  reading.range = parseSampleRange(json["range"].toString().toStdString()).value_or(SampleRange());
  reading.page = std::clamp(json["page"].toInt(1), 1, mostPicturePages);
  return reading;
}

QJsonObject pictureJson(const WorkspaceState& state, const QString& folder) {
  QJsonObject json;
  if (!state.picturePath.isEmpty()) {
    json = fileJson(state.picturePath, folder);
    if (!state.pictureFingerprint.isEmpty()) json["fingerprint"] = state.pictureFingerprint;
  } else if (!state.pictureBytes.isEmpty()) {
    json = {{"name", state.pictureName},
            {"bytes", QString::fromLatin1(state.pictureBytes.toBase64())}};
  } else {
    return {};
  }
  writeReading(state.pictureReading, json);
  return json;
}

/// Returns the kept pictures, each with how it was read if that is known.
QJsonArray keptJson(const TokenSettings& tokens, const QString& folder) {
  QJsonArray kept = filesJson(tokens.kept, folder);
  const auto known = static_cast<qsizetype>(tokens.keptReadings.size());
  for (qsizetype i = 0; i < std::min(kept.size(), known); ++i) {
    QJsonObject reading;
    writeReading(tokens.keptReadings[static_cast<std::size_t>(i)], reading);
    QJsonObject file = kept[i].toObject();
    file["reading"] = reading;
    kept[i] = file;
  }
  return kept;
}

/// Reads the kept pictures. Earlier files do not say how they were read; of a file that says it of
/// some, it is known up to the first without it.
void readKept(const QJsonValue& json, const QString& folder, TokenSettings& tokens) {
  for (const QJsonValue& value : json.toArray()) {
    const QJsonObject file = value.toObject();
    const QString path = filePath(file, folder);
    if (path.isEmpty() || tokens.kept.size() >= mostKeptPictures) continue;
    const bool isKnown =
        file["reading"].isObject() && tokens.keptReadings.size() == tokens.kept.size();
    if (isKnown) tokens.keptReadings.push_back(readingOf(file["reading"].toObject()));
    tokens.kept.push_back(path.toStdString());
  }
}

QJsonValue surveyJson(const AnalysisSettings& analysis, const QString& folder) {
  const std::string& file = analysis.of<SurveySettings>().file;
  return file.empty() ? QJsonValue() : fileJson(QString::fromStdString(file), folder);
}

}  // namespace

QByteArray workspaceText(const WorkspaceState& state, const QString& folder) {
  QJsonArray models;
  for (const ModelState& model : state.models) models.append(modelJson(model, folder));
  QJsonArray pins;
  for (const PictureQuery& pin : state.queries.pins) pins.append(queryJson(pin));
  QJsonObject comparison;
  writeSettings(comparisonSettings, state.comparison, comparison);
  const QJsonObject root{{"softscope", formatVersion},
                         {"picture", pictureJson(state, folder)},
                         {"models", models},
                         {"current", state.current},
                         {"query", queryJson(state.queries.active)},
                         {"pins", pins},
                         {"direction", nameOf(directionNames, state.direction)},
                         {"view", viewJson(state)},
                         {"comparison", comparison},
                         {"analysis", analysisJson(state.analysis)},
                         {"kept", keptJson(state.analysis.of<TokenSettings>(), folder)},
                         {"vectors", filesJson(state.analysis.of<TokenSettings>().vectors, folder)},
                         {"survey", surveyJson(state.analysis, folder)},
                         {"page", state.page}};
  return QJsonDocument(root).toJson();
}

WorkspaceState readWorkspace(const QByteArray& text, const QString& path) {
  // A value of one byte costs the parser sixteen; a picture's bytes are a single value.
  constexpr qsizetype mostValues = 200'000;
  if (text.count(',') > mostValues) {
    throw FileError(path.toStdString(), "is not a Softscope workspace (it holds too many values)");
  }
  QJsonParseError parsed{};
  const QJsonObject root = QJsonDocument::fromJson(text, &parsed).object();
  if (!root.contains("softscope")) {
    const QString why =
        parsed.error == QJsonParseError::NoError
            ? QStringLiteral("it is JSON, but of another kind")
            : parsed.errorString() + QStringLiteral(" at byte %1").arg(parsed.offset);
    throw FileError(path.toStdString(), "is not a Softscope workspace (" + why.toStdString() + ")");
  }
  const double version = root["softscope"].toDouble(NAN);
  if (!(version >= 1) || version != std::floor(version)) {
    throw FileError(path.toStdString(),
                    "is damaged (the version of its format is not a whole number); open another "
                    "copy of it");
  }
  if (version > formatVersion) {
    throw FileError(path.toStdString(), "was saved by a later Softscope; open it with that one");
  }
  const QString folder = QFileInfo(path).absolutePath();
  WorkspaceState state;
  const QJsonObject picture = root["picture"].toObject();
  if (picture.contains("path")) state.picturePath = filePath(picture, folder);
  state.pictureFingerprint = picture["fingerprint"].toString();
  state.pictureName = picture["name"].toString();
  state.pictureReading = readingOf(picture);
  state.pictureBytes = QByteArray::fromBase64(picture["bytes"].toString().toLatin1());
  const QJsonArray models = root["models"].toArray();
  if (models.size() > mostModels) {
    throw FileError(path.toStdString(), "names " + std::to_string(models.size()) +
                                            " models, more than the " + std::to_string(mostModels) +
                                            " that a workspace may have");
  }
  for (const QJsonValue& model : models) {
    state.models.push_back(modelOf(model.toObject(), folder));
  }
  state.current = std::clamp(root["current"].toInt(), 0,
                             std::max(0, static_cast<int>(state.models.size()) - 1));
  state.queries.active = queryOf(root["query"].toObject());
  for (const QJsonValue& pin : root["pins"].toArray()) {
    if (state.queries.pins.size() < mostPins) state.queries.pins.push_back(queryOf(pin.toObject()));
  }
  state.direction = valueOf(directionNames, root["direction"].toString());
  readView(root["view"].toObject(), state);
  readSettings(comparisonSettings, root["comparison"].toObject(), state.comparison);
  state.analysis = readAnalysis(root["analysis"].toObject());
  TokenSettings& tokens = state.analysis.of<TokenSettings>();
  readKept(root["kept"], folder, tokens);
  tokens.vectors = filesOf(root["vectors"], folder, mostTokenVectors);
  // Older files name it among the settings alone.
  if (root["survey"].isObject()) {
    state.analysis.of<SurveySettings>().file =
        filePath(root["survey"].toObject(), folder).toStdString();
  }
  state.page = root["page"].toString();
  state.notUnderstood = notUnderstoodIn(root);
  return state;
}

bool namesFiles(const WorkspaceState& state) {
  return !state.picturePath.isEmpty() || !state.pictureBytes.isEmpty() || !state.models.empty() ||
         !state.analysis.of<SurveySettings>().file.empty();
}

}  // namespace softscope
