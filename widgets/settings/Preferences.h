#pragma once

#include "core/Setting.h"
#include "widgets/settings/ViewSettings.h"

#include <optional>
#include <tuple>

namespace softscope {

/// The user's preferences for the window, independent of what is open. (ComputeSettings holds how
/// much of the computer may be used.)
struct Preferences {
  /// Determines what a window opens at the start, unless the command line says otherwise.
  enum class First {
    Samples,      ///< the model and the picture that come with the program
    LastSession,  ///< everything that was open when a window was last closed
    Nothing,
  };

  /// The theme; empty to follow the system.
  std::optional<ViewSettings::Theme> theme;
  /// Text size in per cent of the system's.
  int textSize = 100;
  First first = First::Samples;
  /// Seconds from a change until it is saved; 0 saves only when the window is closed.
  int autosave = 4;

  bool operator==(const Preferences&) const = default;
};

inline constexpr ChoiceName<std::optional<ViewSettings::Theme>> themeNames[] = {
    {std::nullopt, "system", "As the system"},
    {ViewSettings::Theme::Light, "light", "Light"},
    {ViewSettings::Theme::Dark, "dark", "Dark"}};

inline constexpr ChoiceName<Preferences::First> firstNames[] = {
    {Preferences::First::Samples, "samples", "The sample picture and model"},
    {Preferences::First::LastSession, "last", "The last session"},
    {Preferences::First::Nothing, "nothing", "Nothing"}};

inline constexpr ChoiceSetting<Preferences, std::optional<ViewSettings::Theme>> themeSetting{
    {.key = "theme",
     .flag = "--theme",
     .type = "system|light|dark",
     .help = "Colours of the window, this time (default: as in its preferences)",
     .label = "Theme",
     .tip = "Colours of the window. Figures have their own."},
    &Preferences::theme,
    themeNames};

inline constexpr NumberSetting<Preferences, int> textSizeSetting{
    {.key = "textSize",
     .label = "Text size",
     .tip = "Relative to the system's text size. Figures have their own."},
    &Preferences::textSize,
    70,
    200,
    70,
    " %"};

inline constexpr ChoiceSetting<Preferences, Preferences::First> firstSetting{
    {.key = "first",
     .label = "Begin with",
     .tip = "At the next start, unless the command line says what to open."},
    &Preferences::first,
    firstNames};

inline constexpr NumberSetting<Preferences, int> autosaveSetting{
    {.key = "autosave",
     .label = "Keep changes after",
     .tip = "How much work a crash can lose. Off: the session is saved only on closing."},
    &Preferences::autosave,
    0,
    3600,
    1,
    " s",
    "Off"};

inline constexpr std::tuple preferenceSettings{themeSetting, textSizeSetting, firstSetting,
                                               autosaveSetting};

}  // namespace softscope
