#include "core/Error.h"
#include "widgets/settings/AnalysisFile.h"
#include "widgets/workspace/WorkspaceState.h"

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QJsonDocument>
#include <QtCore/QJsonObject>
#include <QtCore/QTemporaryDir>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace softscope {
namespace {

using ::testing::HasSubstr;

void write(const QString& path, const QByteArray& bytes) {
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(bytes);
}

WorkspaceState fullState() {
  WorkspaceState state;
  state.picturePath = QStringLiteral("/pictures/cat.jpg");
  state.pictureFingerprint = QStringLiteral("def");
  ModelState model;
  model.request.path = "/models/soft.pth";
  model.request.attention = "soft++";
  model.request.heads = 4;
  model.request.landmarks = {LandmarkSource::Random, 64, 5};
  model.request.activation = "relu";
  model.request.epsilon = "1e-05";
  model.request.norm = "post";
  model.request.pooling = "mean";
  model.request.mean = "half";
  model.request.deviation = "0.25";
  model.request.weights = "ema";
  model.request.classNames = "/models/names.txt";
  model.request.ignoresUnexpected = true;
  model.inputSize = {InputSize::Kind::Whole, 320, 480};
  model.layer = "block3.0.att.mha.attn";
  model.fingerprint = QStringLiteral("abc");
  state.models = {model, ModelState{}};
  state.models[1].request.path = "/models/deit.pth";
  state.models[1].request.heads = HeadCounts({1, 3, 4});
  state.current = 1;
  state.queries.active = {0.1 + 0.2, 1.0 / 3, true};
  state.queries.pins = {{0.25, 0.5}, {1, 0, 3}};
  state.direction = Direction::Columns;
  state.view.colorMap = "viridis";
  state.view.opacity = 0.35;
  state.view.normalisation = ViewSettings::Normalisation::Percentile;
  state.view.smooth = true;
  state.map = {ShownMap::Effective};
  state.overHeads = {.mean = false, .largest = true};
  state.onlyHead = 2;
  state.comparison.linkedScales = true;
  state.comparison.difference = Comparison::Difference::Raw;
  state.analysis.setScope("spectrum", {true, true});
  state.analysis.setScope("matrix", {.allLayers = false, .allModels = true});
  state.analysis.of<OverviewSettings>() = {OverviewMeasure::Entropy};
  state.analysis.of<SpectrumSettings>() = {SpectrumMatrix::Inverse, false};
  state.analysis.of<ConvergenceSettings>() = {InverseScheme::Backtracking, 33, true, 1e-9};
  state.analysis.of<NormsSettings>() = {{96, 224}, 1e-7};
  state.analysis.of<SaliencySettings>() = {SaliencySide::Keys, true};
  state.analysis.of<BottleneckSettings>() = {true, 3, 17};
  state.visible = {0.25, 0.125, 0.5, 0.5};
  state.page = QStringLiteral("compare");
  return state;
}

TEST(WorkspaceState, EveryValueIsReadBackExactly) {
  const WorkspaceState state = fullState();
  const WorkspaceState read =
      readWorkspace(workspaceText(state, QStringLiteral("/")), QStringLiteral("/w.softscope"));
  ASSERT_EQ(read.models.size(), 2u);
  EXPECT_EQ(read.picturePath, state.picturePath);
  EXPECT_EQ(read.models[0].request.path, "/models/soft.pth");
  EXPECT_EQ(read.models[0].request.attention, "soft++");
  EXPECT_EQ(read.analysis, state.analysis);
  EXPECT_EQ(read.models[0].request.heads, 4);
  EXPECT_EQ(read.models[0].request.landmarks, state.models[0].request.landmarks);
  EXPECT_EQ(read.models[0].request, state.models[0].request);
  EXPECT_EQ(read.models[1].request.heads, HeadCounts({1, 3, 4}));
  EXPECT_EQ(read.models[0].request.weights, "ema");
  EXPECT_EQ(read.models[0].request.classNames, "/models/names.txt");
  EXPECT_TRUE(read.models[0].request.ignoresUnexpected);
  EXPECT_EQ(read.models[0].inputSize, state.models[0].inputSize);
  EXPECT_EQ(read.models[0].layer, state.models[0].layer);
  EXPECT_FALSE(read.models[1].request.attention);
  EXPECT_FALSE(read.models[1].request.activation);
  EXPECT_TRUE(read.models[1].request.landmarks.isTrained());
  EXPECT_FALSE(read.models[1].request.ignoresUnexpected);
  EXPECT_EQ(read.current, 1);
  EXPECT_EQ(read.queries, state.queries) << "to the last bit";
  EXPECT_EQ(read.direction, state.direction);
  EXPECT_EQ(read.view, state.view);
  EXPECT_EQ(read.map, state.map);
  EXPECT_EQ(read.overHeads, state.overHeads);
  EXPECT_EQ(read.onlyHead, state.onlyHead);
  EXPECT_EQ(read.comparison, state.comparison);
  EXPECT_EQ(read.analysis, state.analysis);
  EXPECT_EQ(read.visible, state.visible);
  EXPECT_EQ(read.page, state.page);
}

TEST(WorkspaceState, APastedPictureTravelsInside) {
  WorkspaceState state;
  state.pictureName = QStringLiteral("the pasted picture");
  state.pictureBytes = QByteArray::fromHex("00ff89504e47");
  const WorkspaceState read = readWorkspace(workspaceText(state, {}), QStringLiteral("/w"));
  EXPECT_EQ(read.pictureBytes, state.pictureBytes);
  EXPECT_EQ(read.pictureName, state.pictureName);
}

TEST(WorkspaceState, KnowsHowThePictureIsRead) {
  WorkspaceState state;
  state.picturePath = QStringLiteral("/pictures/cells.tif");
  const QByteArray usual = workspaceText(state, {});
  EXPECT_FALSE(
      QJsonDocument::fromJson(usual)["picture"].toObject().contains(QStringLiteral("range")));
  EXPECT_EQ(readWorkspace(usual, QStringLiteral("/w")).pictureReading, PictureReading());
  state.pictureReading.range = parseSampleRange("254,3250").value();
  state.pictureReading.page = 17;
  EXPECT_EQ(readWorkspace(workspaceText(state, {}), QStringLiteral("/w")).pictureReading,
            state.pictureReading);
  state.picturePath.clear();
  state.pictureBytes = "bytes";
  EXPECT_EQ(readWorkspace(workspaceText(state, {}), QStringLiteral("/w")).pictureReading,
            state.pictureReading);
  const QByteArray odd =
      R"({"softscope": 1, "picture": {"path": "/p", "range": "9,1", "page": -4}})";
  EXPECT_EQ(readWorkspace(odd, QStringLiteral("/w")).pictureReading, PictureReading());
}

TEST(WorkspaceState, AFolderThatMovedAsAWholeIsFound) {
  QTemporaryDir folder;
  QDir place(folder.path());
  ASSERT_TRUE(place.mkpath(QStringLiteral("before/models")));
  write(place.filePath(QStringLiteral("before/models/soft.pth")), "weights");
  WorkspaceState state;
  ModelState model;
  model.request.path = place.filePath(QStringLiteral("before/models/soft.pth")).toStdString();
  state.models = {model};
  const QByteArray text = workspaceText(state, place.filePath(QStringLiteral("before")));
  ASSERT_TRUE(place.rename(QStringLiteral("before"), QStringLiteral("after")));
  const WorkspaceState read =
      readWorkspace(text, place.filePath(QStringLiteral("after/w.softscope")));
  EXPECT_EQ(read.models[0].request.path,
            place.filePath(QStringLiteral("after/models/soft.pth")).toStdString());
}

TEST(WorkspaceState, ASurveyBesideItIsFoundWhereItMovedTo) {
  const QTemporaryDir folder;
  const QString before = folder.filePath(QStringLiteral("before"));
  const QString after = folder.filePath(QStringLiteral("after"));
  QDir().mkpath(before);
  QFile file(before + QStringLiteral("/all.survey"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.close();
  WorkspaceState state;
  state.analysis.of<SurveySettings>().file = file.fileName().toStdString();
  const QByteArray text = workspaceText(state, before);
  EXPECT_EQ(readWorkspace(text, before + QStringLiteral("/w.softscope")).analysis, state.analysis);
  ASSERT_TRUE(QDir().rename(before, after));
  const WorkspaceState moved = readWorkspace(text, after + QStringLiteral("/w.softscope"));
  EXPECT_EQ(moved.analysis.of<SurveySettings>().file,
            (after + QStringLiteral("/all.survey")).toStdString());
}

TEST(WorkspaceState, WhatIsNoWorkspaceIsRefusedInOneLine) {
  for (const QByteArray& text :
       {QByteArray(), QByteArray("{"), QByteArray("[1, 2]"), QByteArray("{\"a\": 1}"),
        QByteArray("PK\x03\x04"), QByteArray("{\"softscope\": 99}")}) {
    try {
      readWorkspace(text, QStringLiteral("/some/w.softscope"));
      ADD_FAILURE() << text.toStdString();
    } catch (const FileError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("/some/w.softscope: "), std::string::npos);
      EXPECT_EQ(message.find('\n'), std::string::npos);
    }
  }
}

TEST(WorkspaceState, ManyPinsAndModelsDoNotHangTheWindow) {
  const auto workspaceOf = [](const QByteArray& models, const QByteArray& pins) {
    return readWorkspace(
        "{\"softscope\": 1, \"models\": [" + models + "], \"pins\": [" + pins + "]}",
        QStringLiteral("/some/w.softscope"));
  };
  const auto listOf = [](const QByteArray& one, int count) {
    QByteArray list = one;
    for (int i = 1; i < count; ++i) list += "," + one;
    return list;
  };
  EXPECT_EQ(workspaceOf({}, listOf("{\"x\": 0.5}", 90'000)).queries.pins.size(), mostPins);
  const QByteArray model = "{\"path\": \"a.pth\"}";
  EXPECT_EQ(workspaceOf(listOf(model, 200), {}).models.size(), 200u);
  EXPECT_THROW(workspaceOf(listOf(model, 190'000), {}), FileError);
}

TEST(WorkspaceState, ValuesOutOfRangeAreMadeHarmless) {
  const WorkspaceState read = readWorkspace(
      R"({"softscope": 1, "current": 7, "query": {"x": 5, "y": -1}, "models": 3,
          "view": {"opacity": 9, "colorMap": "no such", "visible": [0, 0, 9, 9]}})",
      QStringLiteral("/w"));
  EXPECT_EQ(read.current, 0);
  const auto landmarks = [](const QByteArray& model) {
    return readWorkspace(R"({"softscope": 1, "models": [{"path": "a.pth", )" + model + "}]}",
                         QStringLiteral("/w"))
        .models[0]
        .request.landmarks;
  };
  EXPECT_EQ(landmarks(R"("landmarks": "no such", "landmarkCount": 3)"), LandmarkChoice());
  EXPECT_EQ(landmarks(R"("landmarks": "random", "landmarkCount": -3, "landmarkSeed": -1)"),
            LandmarkChoice{LandmarkSource::Random});
  EXPECT_EQ(read.queries.active, (PictureQuery{1, 0}));
  EXPECT_EQ(read.view.opacity, 1);
  EXPECT_EQ(read.view.colorMap, ViewSettings().colorMap);
  EXPECT_EQ(read.visible, QRectF(0, 0, 1, 1));
}

TEST(WorkspaceState, ValuesThatAreNotUnderstoodAreNamed) {
  const auto doubtsOf = [](const QByteArray& members) {
    return readWorkspace(R"({"softscope": 1, )" + members + "}", QStringLiteral("/w"))
        .notUnderstood;
  };
  for (const auto& [key, value] : {std::pair("landmarks", R"("medoid")"),
                                   {"landmarkCount", R"("7")"},
                                   {"landmarkSeed", "-1"},
                                   {"heads", "2.5"},
                                   {"inputSize", R"("64by64")"},
                                   {"activation", "5"},
                                   {"layer", "[1]"}}) {
    EXPECT_EQ(
        doubtsOf(QByteArray(R"("models": [{"path": "/m/a.pth", ")") + key + "\": " + value + "}]"),
        QStringList(QStringLiteral("%1 %2 of a.pth").arg(key, value)));
  }
  for (const auto& [key, value] :
       {std::pair("exif", R"("OFF")"), {"range", R"("10;20")"}, {"page", "2.5"}}) {
    EXPECT_EQ(doubtsOf(QByteArray(R"("picture": {")") + key + "\": " + value + "}"),
              QStringList(QStringLiteral("%1 %2 of the picture").arg(key, value)));
  }
  EXPECT_EQ(doubtsOf(R"("direction": "sideways", "query": {"x": "0.9", "y": 7})").size(), 3);
  EXPECT_EQ(doubtsOf(R"("direction": "columns", "query": {"x": 0.9, "y": 0}, "models": [{"path":
      "a.pth", "heads": "2,4", "landmarks": "random", "landmarkCount": 7, "landmarkSeed": 0,
      "inputSize": "64x32"}], "picture": {"exif": "off", "range": "10,20", "page": 2})"),
            QStringList());
}

TEST(WorkspaceState, OfALaterVersionIsRefused) {
  const auto refusalOf = [](const char* version) -> std::string {
    try {
      readWorkspace(QByteArray(R"({"softscope": )") + version + "}", QStringLiteral("/w"));
    } catch (const FileError& error) {
      return error.what();
    }
    return {};
  };
  for (const char* later : {"2", "1e300"}) {
    EXPECT_THAT(refusalOf(later), HasSubstr("later Softscope")) << later;
  }
  for (const char* odd : {"1.5", R"("2")", "0", "-1", "null", "[1]"}) {
    EXPECT_THAT(refusalOf(odd), HasSubstr("is damaged")) << odd;
  }
}

TEST(AnalysisScopes, BelongToEachAnalysisAndAreReadFromFilesThatHaveOne) {
  AnalysisSettings settings;
  EXPECT_TRUE(settings.scopeOf("norms").allModels) << "norms compare the open models";
  EXPECT_EQ(settings.scopeOf("matrix"), AnalysisScope());
  settings.setScope("norms", {true, false});
  settings.setScope("matrix", {false, true});
  EXPECT_EQ(readAnalysis(analysisJson(settings)), settings);
  EXPECT_EQ(settings.scopeOf("spectrum"), AnalysisScope()) << "what others show is their own";
  const QJsonObject earlier{{"scope", QJsonObject{{"allLayers", true}, {"allModels", true}}}};
  const AnalysisSettings read = readAnalysis(earlier);
  for (const char* analysis : {"norms", "matrix", "spectrum", "tokens"}) {
    EXPECT_EQ(read.scopeOf(analysis), (AnalysisScope{true, true})) << analysis;
  }
}

TEST(WorkspaceStateTest, SilenceAndCollectedHeadsAreKept) {
  WorkspaceState state = fullState();
  state.models[0].marks = {true, {{"block1.0.attn", 3}, {"block2.0.attn", 0}}};
  const WorkspaceState read =
      readWorkspace(workspaceText(state, QStringLiteral("/")), QStringLiteral("/w"));
  EXPECT_TRUE(read.models[0].marks.isSilenced);
  EXPECT_EQ(read.models[0].marks.collected, state.models[0].marks.collected);
  EXPECT_FALSE(read.models[1].marks.isSilenced);
  EXPECT_TRUE(read.models[1].marks.collected.empty());
}

TEST(WorkspaceStateTest, HeadsThatCannotBeAreNotCollected) {
  QByteArray text = workspaceText(fullState(), QStringLiteral("/"));
  text.replace("\"ignoresUnexpected\": true",
               "\"collected\": [{\"layer\": \"a\", \"head\": -1}, {\"layer\": \"a\"}, 7,"
               " {\"layer\": \"a\", \"head\": 1}, {\"layer\": \"a\", \"head\": 1}]");
  const WorkspaceState read = readWorkspace(text, QStringLiteral("/w"));
  EXPECT_EQ(read.models[0].marks.collected, (std::vector<HeadOfLayer>{{"a", 1}}));
}

TEST(WorkspaceState, KnowsThatAPictureIsNotTurned) {
  WorkspaceState state;
  state.picturePath = QStringLiteral("/pictures/cat.jpg");
  EXPECT_FALSE(QJsonDocument::fromJson(workspaceText(state, {}))["picture"].toObject().contains(
      QStringLiteral("exif")));
  state.pictureReading.orientation = ExifOrientation::Ignore;
  EXPECT_EQ(readWorkspace(workspaceText(state, {}), QStringLiteral("/w")).pictureReading,
            state.pictureReading);
  const QByteArray odd = R"({"softscope": 1, "picture": {"path": "/p", "exif": 7}})";
  EXPECT_EQ(readWorkspace(odd, QStringLiteral("/w")).pictureReading, PictureReading());
}

TEST(WorkspaceState, NamesFilesIfThereIsAPictureAModelOrASurvey) {
  WorkspaceState state;
  state.page = QStringLiteral("compare");
  state.view.opacity = 0.25;
  EXPECT_FALSE(namesFiles(state));
  state.pictureBytes = "bytes";
  EXPECT_TRUE(namesFiles(state));
  state = {};
  state.picturePath = QStringLiteral("/pictures/cat.jpg");
  EXPECT_TRUE(namesFiles(state));
  state = {};
  state.models.resize(1);
  EXPECT_TRUE(namesFiles(state));
  state = {};
  state.analysis.of<SurveySettings>().file = "/all.survey";
  EXPECT_TRUE(namesFiles(state));
}

TEST(WorkspaceState, KnowsHowKeptPicturesWereRead) {
  PictureReading third;
  third.page = 3;
  PictureReading stretched{ExifOrientation::Ignore, {SampleRange::Kind::Between, 20, 40}, 1};
  WorkspaceState state;
  TokenSettings& tokens = state.analysis.of<TokenSettings>();
  tokens.kept = {"/scan.tif", "/scan.tif", "/cat.png", "/dog.png"};
  tokens.keptReadings = {third, PictureReading(), stretched};
  const QByteArray text = workspaceText(state, {});
  EXPECT_EQ(readWorkspace(text, QStringLiteral("/w")).analysis, state.analysis);

  const QByteArray odd = R"({"softscope": 1, "kept": [{"path": ""},
      {"path": "/a.tif", "reading": {"page": 2}}, {"path": "/b.tif"},
      {"path": "/c.tif", "reading": {"page": 4}}]})";
  const AnalysisSettings analysis = readWorkspace(odd, QStringLiteral("/w")).analysis;
  const TokenSettings& read = analysis.of<TokenSettings>();
  EXPECT_EQ(read.kept, (std::vector<std::string>{"/a.tif", "/b.tif", "/c.tif"}));
  ASSERT_EQ(read.keptReadings.size(), 1u) << "an entry belongs to the path at its place";
  EXPECT_EQ(read.keptReadings[0].page, 2);
}

}  // namespace
}  // namespace softscope
