#pragma once

#include "app/arguments/NumberChecks.h"
#include "core/Setting.h"
#include "core/model/SettingOption.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace softscope {

// A command-line option for a setting, with its limits and its help. Settings of several owners
// with the same flag are one option, which sets all of them.

template <typename Owner, typename Type>
CLI::Option* addSetting(CLI::App& command, const NumberSetting<Owner, Type>& setting,
                        Owner& owner) {
  return command.add_option(setting.text.flag, owner.*setting.member, setting.text.help)
      ->type_name(setting.text.type)
      ->check(between(setting.leastGiven, setting.most));
}

template <typename Owner>
CLI::Option* addSetting(CLI::App& command, const OptionalSetting<Owner>& setting, Owner& owner) {
  return command.add_option(setting.text.flag, owner.*setting.member, setting.text.help)
      ->type_name(setting.text.type)
      ->check(between(setting.leastGiven, setting.most));
}

template <typename Owner>
CLI::Option* addSetting(CLI::App& command, const FlagSetting<Owner>& setting, Owner& owner) {
  const bool given = !(Owner().*setting.member);
  return command.add_flag_callback(
      setting.text.flag, [&owner, member = setting.member, given] { owner.*member = given; },
      setting.text.help);
}

template <typename Owner, typename Enumeration>
CLI::Option* addSetting(CLI::App& command, const ChoiceSetting<Owner, Enumeration>& setting,
                        Owner& owner) {
  const auto take = [&owner, setting](const std::string& name) {
    owner.*setting.member = setting.valueOf(name);
  };
  if (CLI::Option* shared = command.get_option_no_throw(setting.text.flag)) {
    return shared->each(take);
  }
  std::vector<std::string> names;
  for (const auto& choice : setting.choices) names.emplace_back(choice.name);
  return command.add_option_function<std::string>(setting.text.flag, take, setting.text.help)
      ->type_name(setting.text.type)
      ->check(CLI::IsMember(names));
}

template <typename Owner>
CLI::Option* addSetting(CLI::App& command, const NameSetting<Owner>& setting, Owner& owner) {
  return command.add_option(setting.text.flag, owner.*setting.member, setting.text.help)
      ->type_name(setting.text.type);
}

/// Accepts what the option takes and, if `orAuto`, `auto`. The option must outlive it.
inline CLI::Validator takenBy(const SettingOption& option, bool orAuto) {
  return CLI::Validator(
      [&option, orAuto](std::string& text) {
        const bool isTaken = option.accepts(text) || (orAuto && text == "auto");
        return isTaken ? std::string() : "takes " + takenText(option) + ", not \"" + text + "\"";
      },
      "");
}

}  // namespace softscope
