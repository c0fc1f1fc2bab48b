#pragma once

#include "core/Setting.h"

#include <QtCore/QJsonObject>
#include <QtCore/QJsonValue>
#include <QtCore/QSettings>
#include <QtCore/QString>
#include <QtCore/QVariantMap>

#include <algorithm>
#include <cmath>

namespace softscope {

// Conversion of settings to and from files: workspaces as JSON, the last session as QSettings. A
// setting that is missing or unknown in a file keeps its value; numbers are clamped to their
// limits.

template <typename Owner, typename Type>
QJsonValue settingValue(const NumberSetting<Owner, Type>& setting, const Owner& owner) {
  return owner.*setting.member;
}

template <typename Owner>
QJsonValue settingValue(const FlagSetting<Owner>& setting, const Owner& owner) {
  return owner.*setting.member;
}

template <typename Owner, typename Enumeration>
QJsonValue settingValue(const ChoiceSetting<Owner, Enumeration>& setting, const Owner& owner) {
  return QLatin1String(setting.nameOf(owner.*setting.member));
}

template <typename Owner>
QJsonValue settingValue(const NameSetting<Owner>& setting, const Owner& owner) {
  return QString::fromStdString(owner.*setting.member);
}

template <typename Owner>
QJsonValue settingValue(const OptionalSetting<Owner>& setting, const Owner& owner) {
  const std::optional<int>& number = owner.*setting.member;
  return number ? QJsonValue(*number) : QJsonValue();
}

template <typename Owner, typename Type>
void readSetting(const NumberSetting<Owner, Type>& setting, const QVariant& value, Owner& owner) {
  bool isNumber = false;
  const double number = value.toDouble(&isNumber);
  if (!isNumber || std::isnan(number)) return;
  owner.*setting.member = static_cast<Type>(
      std::clamp(number, static_cast<double>(setting.least), static_cast<double>(setting.most)));
}

template <typename Owner>
void readSetting(const FlagSetting<Owner>& setting, const QVariant& value, Owner& owner) {
  owner.*setting.member = value.toBool();
}

template <typename Owner, typename Enumeration>
void readSetting(const ChoiceSetting<Owner, Enumeration>& setting, const QVariant& value,
                 Owner& owner) {
  owner.*setting.member = setting.valueOf(value.toString().toStdString());
}

template <typename Owner>
void readSetting(const NameSetting<Owner>& setting, const QVariant& value, Owner& owner) {
  const std::string name = value.toString().toStdString();
  if (setting.isKnown(name)) owner.*setting.member = name;
}

template <typename Owner>
void readSetting(const OptionalSetting<Owner>& setting, const QVariant& value, Owner& owner) {
  bool isNumber = false;
  const int number = value.toInt(&isNumber);
  if (isNumber) owner.*setting.member = std::clamp(number, setting.least, setting.most);
}

/// Adds the settings of `owner` to a JSON object; settings without a value are left out.
template <typename Settings, typename Owner>
void writeSettings(const Settings& settings, const Owner& owner, QJsonObject& json) {
  forEachSetting(settings, [&](const auto& setting) {
    const QJsonValue value = settingValue(setting, owner);
    if (!value.isNull()) json[QLatin1String(setting.text.key)] = value;
  });
}

template <typename Settings, typename Owner>
void readSettings(const Settings& settings, const QJsonObject& json, Owner& owner) {
  forEachSetting(settings, [&](const auto& setting) {
    const QJsonValue value = json[QLatin1String(setting.text.key)];
    if (!value.isUndefined() && !value.isNull()) readSetting(setting, value.toVariant(), owner);
  });
}

/// Adds the settings of `owner` under `group/key`.
template <typename Settings, typename Owner>
void writeSettings(const Settings& settings, const Owner& owner, const char* group,
                   QVariantMap& values) {
  forEachSetting(settings, [&](const auto& setting) {
    values[QLatin1String(group) + u'/' + QLatin1String(setting.text.key)] =
        settingValue(setting, owner).toVariant();
  });
}

template <typename Settings, typename Owner>
void writeSettings(const Settings& settings, const Owner& owner, const char* group,
                   QSettings& file) {
  QVariantMap values;
  writeSettings(settings, owner, group, values);
  for (const QString& key : values.keys()) file.setValue(key, values.value(key));
}

template <typename Settings, typename Owner>
void readSettings(const Settings& settings, const QSettings& file, const char* group,
                  Owner& owner) {
  forEachSetting(settings, [&](const auto& setting) {
    const QString key = QLatin1String(group) + u'/' + QLatin1String(setting.text.key);
    if (file.contains(key)) readSetting(setting, file.value(key), owner);
  });
}

}  // namespace softscope
