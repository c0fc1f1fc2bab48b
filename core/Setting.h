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

/// What a setting is called, and what is said of it.
struct SettingText {
  const char* key;        ///< in files: `opacity`
  const char* flag = "";  ///< on the command line, aliases after a comma; empty where it has none
  const char* type = "";  ///< what --help calls its value: `MM`
  const char* help = "";  ///< what --help says of it
  const char* label;      ///< in the window
  const char* tip = "";   ///< when the pointer rests on it there
};

/// A number of least to most, both included.
template <typename Owner, typename Type>
struct NumberSetting {
  SettingText text;
  Type Owner::*member;
  Type least;
  Type most;
  /// The least that the command line takes, where `least` stands for "automatic" there.
  Type leastGiven = least;
  const char* unit = "";           ///< behind the number in the window
  const char* open = "Automatic";  ///< instead of `least` there, where that stands for it
};

/// Yes or no. The flag turns it on, or off where it is on by default.
template <typename Owner>
struct FlagSetting {
  SettingText text;
  bool Owner::*member;
};

/// A value of an enumeration, and what files and the command line call it.
template <typename Enumeration>
struct ChoiceName {
  Enumeration value;
  const char* name;
  const char* label = "";  ///< in the window
};

/// One of several; the first where a file says something else.
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

/// A whole number of least to most that may be left open.
template <typename Owner>
struct OptionalSetting {
  SettingText text;
  std::optional<int> Owner::*member;
  int least;
  int most;
  int leastGiven = least;
};

/// A name, such as a font's or a colour map's; `isKnown` says whether there is such a one.
template <typename Owner>
struct NameSetting {
  SettingText text;
  std::string Owner::*member;
  bool (*isKnown)(const std::string& name);
};

/// Calls `visit` with each description.
template <typename... Settings, typename Visit>
constexpr void forEachSetting(const std::tuple<Settings...>& settings, Visit&& visit) {
  std::apply([&](const auto&... each) { (visit(each), ...); }, settings);
}

}  // namespace softscope
