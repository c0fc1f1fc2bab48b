#pragma once

#include "core/Setting.h"
#include "core/query/PictureQuery.h"

#include <string>

namespace softscope {

/// How attention is drawn, on screen and in figures.
struct ViewSettings {
  /// Determines the values that the ends of a heat map's colours stand for.
  enum class Normalisation {
    PerHead,     ///< each head's smallest and largest value
    Shared,      ///< the smallest and largest value of all heads shown together
    Percentile,  ///< each head's 1st and 99th percentile; values beyond take the end colours
  };
  enum class Theme { Light, Dark };

  /// The name of one of colorMapNames() for values of one sign; divergingColorMap is for signed
  /// values.
  std::string colorMap = "inferno";
  std::string divergingColorMap = "blue-white-red";
  /// Opacity of the heat map over the picture, in [0, 1].
  double opacity = 0.55;
  Normalisation normalisation = Normalisation::PerHead;
  /// True to interpolate between patches; otherwise every patch is a flat rectangle.
  bool smooth = false;
  /// True to draw magnitudes; otherwise signed values use the diverging map, centred at zero.
  bool absolute = false;
  /// True to let the picture show through where values are small; `opacity` is then that of the
  /// largest values.
  bool fades = false;

  bool operator==(const ViewSettings&) const = default;
};

/// Tells which parts of the view the maps of one page follow; the others do nothing there.
struct FollowedView {
  bool values = true;      ///< the colour maps and the range
  bool onPicture = true;   ///< the opacity and, with `values`, whether it follows the value
  bool smooth = true;      ///< interpolation between patches
  bool signs = true;       ///< colours of signed values, and magnitudes in their place
  bool overHeads = false;  ///< the panels of OverHeads
};

/// True if colorMapNames() contains the name: isColorMap() for values of one sign,
/// isDivergingColorMap() for signed ones.
bool isColorMap(const std::string& name);
bool isDivergingColorMap(const std::string& name);

inline constexpr ChoiceName<ViewSettings::Normalisation> normalisationNames[] = {
    {ViewSettings::Normalisation::PerHead, "head", "Each head's own"},
    {ViewSettings::Normalisation::Shared, "shared", "Shared by all heads"},
    {ViewSettings::Normalisation::Percentile, "percentile", "1st to 99th percentile"}};

/// The two colour maps have no flags here: one option, --colormap, serves both, and the map's name
/// determines which one it sets.
inline constexpr std::tuple viewSettings{
    NameSetting<ViewSettings>{
        {.key = "colorMap", .label = "Colours", .tip = "Colours for values of one sign"},
        &ViewSettings::colorMap,
        isColorMap},
    NameSetting<ViewSettings>{{.key = "divergingColorMap",
                               .label = "Signed",
                               .tip = "Colours for signed values; the middle means zero"},
                              &ViewSettings::divergingColorMap,
                              isDivergingColorMap},
    NumberSetting<ViewSettings, double>{{.key = "opacity",
                                         .flag = "--opacity",
                                         .type = "0..1",
                                         .help = "Of the heat map over the picture",
                                         .label = "Opacity",
                                         .tip = "Of the heat map over the picture"},
                                        &ViewSettings::opacity,
                                        0,
                                        1},
    ChoiceSetting<ViewSettings, ViewSettings::Normalisation>{
        {.key = "range",
         .flag = "--range",
         .type = "WHAT",
         .help = "What the colours' ends stand for: head, shared, percentile",
         .label = "Range",
         .tip = "What the ends of the colours stand for"},
        &ViewSettings::normalisation,
        normalisationNames},
    FlagSetting<ViewSettings>{{.key = "smooth",
                               .flag = "--smooth",
                               .help = "Interpolate between patches",
                               .label = "Smooth",
                               .tip = "Interpolate between patches"},
                              &ViewSettings::smooth},
    FlagSetting<ViewSettings>{{.key = "absolute",
                               .flag = "--absolute",
                               .help = "Magnitudes instead of signed values",
                               .label = "Magnitudes",
                               .tip = "Draw |value| instead of signed values"},
                              &ViewSettings::absolute},
    FlagSetting<ViewSettings>{{.key = "fades",
                               .flag = "--fade",
                               .help = "Opacity follows the value, so that the picture stays "
                                       "visible where it is small",
                               .label = "Opacity follows value",
                               .tip = "Small values let the picture through"},
                              &ViewSettings::fades}};

}  // namespace softscope
