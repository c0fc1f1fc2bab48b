#pragma once

#include <optional>
#include <span>
#include <string>
#include <tuple>

namespace softscope {

// A setting is described once: what files, the command line and the window call it, what it may be.
// Reading, writing, options, copied commands and the limits of controls are made from that
// description. Each struct of settings has a tuple of descriptions beside it, in the order in which
// they are listed; forEachSetting() goes through it.

/// The names of a setting, and the texts about it.
struct SettingText {
  const char* key;        ///< its name in files: `opacity`
  const char* flag = "";  ///< on the command line, aliases after a comma; empty if there is none
  const char* type = "";  ///< the placeholder for its value in --help: `MM`
  const char* help = "";  ///< its description in --help
  const char* label;      ///< its name in the window
  const char* tip = "";   ///< its tool tip in the window
};

/// A setting that is a number from `least` to `most`.
template <typename Owner, typename Type>
struct NumberSetting {
  SettingText text;
  Type Owner::*member;
  Type least;
  Type most;
  /// The least number that the command line takes, if `least` stands for "automatic".
  Type leastGiven = least;
  const char* unit = "";           ///< written after the number in the window
  const char* open = "Automatic";  ///< shown in the window instead of a `least` that stands for it
};

/// A setting that is on or off. The flag turns it on, or off if it is on by default.
template <typename Owner>
struct FlagSetting {
  SettingText text;
  bool Owner::*member;
};

/// A value of an enumeration, and its name in files and on the command line.
template <typename Enumeration>
struct ChoiceName {
  Enumeration value;
  const char* name;
  const char* label = "";  ///< its name in the window
};

/// A setting that takes one of several values: the first if a file names none of them.
template <typename Owner, typename Enumeration>
struct ChoiceSetting {
  SettingText text;
  Enumeration Owner::*member;
  std::span<const ChoiceName<Enumeration>> choices;

  const char* nameOf(Enumeration value) const {
    for (const auto& choice : choices) {
      if (choice.value == value) return choice.name;
    }
    return choices.front().name;
  }
  Enumeration valueOf(const std::string& name) const {
    for (const auto& choice : choices) {
      if (name == choice.name) return choice.value;
    }
    return choices.front().value;
  }
};

/// A setting that is a whole number from `least` to `most`, or left open.
template <typename Owner>
struct OptionalSetting {
  SettingText text;
  std::optional<int> Owner::*member;
  int least;
  int most;
  int leastGiven = least;
};

/// A setting that is a name, such as a font's or a colour map's; `isKnown` tells whether there is a
/// thing of that name.
template <typename Owner>
struct NameSetting {
  SettingText text;
  std::string Owner::*member;
  bool (*isKnown)(const std::string& name);
};

/// Calls `visit` with the description of each setting.
template <typename... Settings, typename Visit>
constexpr void forEachSetting(const std::tuple<Settings...>& settings, Visit&& visit) {
  std::apply([&](const auto&... each) { (visit(each), ...); }, settings);
}

}  // namespace softscope
