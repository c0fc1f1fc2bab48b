#include "widgets/workspace/WorkspaceDoubts.h"

#include "core/attention/LandmarkChoice.h"
#include "core/image/PictureReading.h"
#include "core/model/InputSize.h"
#include "core/model/ModelRequest.h"
#include "core/model/SettingOption.h"

#include <QtCore/QFileInfo>
#include <QtCore/QJsonArray>
#include <QtCore/QJsonDocument>
#include <QtCore/QJsonObject>
#include <QtCore/QString>

#include <cmath>
#include <string>

namespace softscope {

namespace {

/// A value as JSON, without most of a long one.
QString shortJson(const QJsonValue& value) {
  constexpr qsizetype longest = 60;
  const QByteArray list = QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact);
  const QString text = QString::fromUtf8(list.mid(1, list.size() - 2));
  return text.size() > longest ? text.left(longest) + QStringLiteral("...") : text;
}

bool isWholeNumber(const QJsonValue& value, int least, int most) {
  const double number = value.toDouble(NAN);
  return number >= least && number <= most && number == std::floor(number);
}

/// Collects the members of one object that are not understood.
class ObjectDoubts {
 public:
  ObjectDoubts(const QJsonObject& object, QString owner, QStringList& found)
      : object_(object), owner_(std::move(owner)), found_(found) {}

  /// Notes the member called `key` if it is there, is not null, and `fits` does not accept it.
  template <typename Fits>
  void require(const char* key, const Fits& fits) {
    const QJsonValue value = object_[QLatin1String(key)];
    if (value.isUndefined() || value.isNull() || fits(value)) return;
    found_ << QStringLiteral("%1 %2 of %3").arg(QLatin1String(key), shortJson(value), owner_);
  }
  /// Notes the member unless it is a text that `fits` accepts.
  template <typename Fits>
  void requireText(const char* key, const Fits& fits) {
    require(key, [&](const QJsonValue& value) {
      return value.isString() && fits(value.toString().toStdString());
    });
  }
  void requireNumber(const char* key, int least, int most) {
    require(key, [&](const QJsonValue& value) { return isWholeNumber(value, least, most); });
  }

 private:
  const QJsonObject& object_;
  QString owner_;
  QStringList& found_;
};

void addDoubtsOfModel(const QJsonObject& model, QStringList& found) {
  constexpr int most = 1'000'000'000;
  const QString name = QFileInfo(model["path"].toString()).fileName();
  ObjectDoubts doubts(model, name, found);
  doubts.requireText("landmarks", [](const std::string& text) {
    return text.empty() || landmarkSourceNamed(text).has_value();
  });
  doubts.requireNumber("landmarkCount", 1, most);
  doubts.requireNumber("landmarkSeed", 0, most);
  doubts.require("heads", [](const QJsonValue& value) {
    return isWholeNumber(value, 1, most) ||
           (value.isString() && parseHeadCounts(value.toString().toStdString()));
  });
  doubts.requireText("inputSize", [](const std::string& text) {
    return text.empty() || parseInputSize(text).has_value();
  });
  const auto isAny = [](const std::string&) { return true; };
  for (const char* key : {"architecture", "attention", "weights", "device", "layer"}) {
    doubts.requireText(key, isAny);
  }
  for (const SettingOption& option : settingOptions()) doubts.requireText(option.name, isAny);
}

void addDoubtsOfPicture(const QJsonObject& picture, QStringList& found) {
  ObjectDoubts doubts(picture, QStringLiteral("the picture"), found);
  doubts.requireText("exif", [](const std::string& text) { return text == "on" || text == "off"; });
  doubts.requireText("range",
                     [](const std::string& text) { return parseSampleRange(text).has_value(); });
  doubts.requireNumber("page", 1, mostPicturePages);
}

}  // namespace

QStringList notUnderstoodIn(const QJsonObject& workspace) {
  // Of a damaged file, a few examples tell enough.
  constexpr qsizetype mostDoubts = 20;
  QStringList found;
  addDoubtsOfPicture(workspace["picture"].toObject(), found);
  for (const QJsonValue& model : workspace["models"].toArray()) {
    if (found.size() >= mostDoubts) break;
    addDoubtsOfModel(model.toObject(), found);
  }
  ObjectDoubts whole(workspace, QStringLiteral("the workspace"), found);
  whole.requireText("direction",
                    [](const std::string& text) { return text == "rows" || text == "columns"; });
  const QJsonObject query = workspace["query"].toObject();
  ObjectDoubts place(query, QStringLiteral("the query"), found);
  for (const char* key : {"x", "y"}) {
    place.require(key, [](const QJsonValue& value) {
      const double fraction = value.toDouble(NAN);
      return fraction >= 0 && fraction <= 1;
    });
  }
  return found;
}

}  // namespace softscope
