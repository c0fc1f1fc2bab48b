#pragma once

#include "core/Setting.h"
#include "core/text/Words.h"

#include <string>
#include <string_view>
#include <vector>

namespace softscope {

/// The flag that a copied command uses, of those that mean the same.
inline std::string firstFlag(const SettingText& text) {
  const std::string_view flags = text.flag;
  return std::string(flags.substr(0, flags.find(',')));
}

template <typename Owner, typename Type>
std::string optionValue(const NumberSetting<Owner, Type>& setting, const Owner& owner) {
  return numberText(static_cast<double>(owner.*setting.member));
}

template <typename Owner, typename Enumeration>
std::string optionValue(const ChoiceSetting<Owner, Enumeration>& setting, const Owner& owner) {
  return setting.nameOf(owner.*setting.member);
}

template <typename Owner>
std::string optionValue(const NameSetting<Owner>& setting, const Owner& owner) {
  return owner.*setting.member;
}

template <typename Owner>
std::string optionValue(const OptionalSetting<Owner>& setting, const Owner& owner) {
  return owner.*setting.member ? std::to_string(*(owner.*setting.member)) : std::string();
}

/// A flag has no value; it stands for what is not so by default.
template <typename Owner>
std::string optionValue(const FlagSetting<Owner>&, const Owner&) {
  return {};
}

/// The command line's words for what is not as it is by default.
template <typename Settings, typename Owner>
std::vector<std::string> settingOptions(const Settings& settings, const Owner& owner) {
  const Owner byDefault;
  std::vector<std::string> words;
  forEachSetting(settings, [&](const auto& setting) {
    const std::string flag = firstFlag(setting.text);
    if (flag.empty() || owner.*setting.member == byDefault.*setting.member) return;
    words.push_back(flag);
    const std::string value = optionValue(setting, owner);
    if (!value.empty()) words.push_back(value);
  });
  return words;
}

}  // namespace softscope
