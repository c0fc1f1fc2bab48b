#pragma once

#include "core/Setting.h"

#include <string>

namespace softscope {

/// Size and appearance of a figure, independent of its content.
struct FigureSettings {
  /// The background of a figure. On a transparent background the text has the same colour as on a
  /// white one.
  enum class Background { White, Dark, Transparent };

  /// The widths of one, one and a half and two columns of a paper, in millimetres.
  static constexpr double oneColumn = 84;
  static constexpr double oneAndAHalfColumns = 129;
  static constexpr double twoColumns = 174;

  /// Width of the whole figure in millimetres; panels share it.
  double width = twoColumns;
  /// Number of columns of panels; 0 for as many as remain legible.
  int columns = 0;
  /// Resolution in dots per inch of pictures and heat maps, and of everything in a PNG.
  int dpi = 300;
  std::string font = "DejaVu Sans";
  /// Font size of titles, in points; secondary text is a little smaller.
  double points = 8;
  /// True to show captions above panels, and panel titles.
  bool titles = true;
  /// True to put (a), (b), ... before blocks of panels, or before panels if there is only one
  /// block.
  bool letters = false;
  bool colorBars = true;
  Background background = Background::White;

  bool operator==(const FigureSettings&) const = default;
};

inline constexpr ChoiceName<FigureSettings::Background> backgroundNames[] = {
    {FigureSettings::Background::White, "white", "White"},
    {FigureSettings::Background::Dark, "dark", "Dark"},
    {FigureSettings::Background::Transparent, "transparent", "Transparent"}};

inline bool isAnyName(const std::string& name) {
  return !name.empty();
}

inline constexpr std::tuple figureSettings{
    NumberSetting<FigureSettings, double>{
        {.key = "width",
         .flag = "--width",
         .type = "MM",
         .help = "Width of the figure: 84 is one column of a paper, 174 two",
         .label = "Width",
         .tip = "Of the whole figure"},
        &FigureSettings::width,
        20,
        2000,
        20,
        " mm"},
    NumberSetting<FigureSettings, int>{{.key = "columns",
                                        .flag = "--columns",
                                        .type = "N",
                                        .help = "Columns of panels (default: as many as fit)",
                                        .label = "Columns",
                                        .tip = "Of panels"},
                                       &FigureSettings::columns,
                                       0,
                                       64,
                                       1},
    NumberSetting<FigureSettings, int>{{.key = "dpi",
                                        .flag = "--dpi",
                                        .type = "N",
                                        .help = "Resolution of pictures and heat maps",
                                        .label = "Resolution",
                                        .tip = "Of pictures and heat maps"},
                                       &FigureSettings::dpi,
                                       20,
                                       2400,
                                       20,
                                       " dpi"},
    NameSetting<FigureSettings>{{.key = "font",
                                 .flag = "--font",
                                 .type = "NAME",
                                 .help = "Font of all letters",
                                 .label = "Font"},
                                &FigureSettings::font,
                                isAnyName},
    NumberSetting<FigureSettings, double>{{.key = "points",
                                           .flag = "--font-size",
                                           .type = "PT",
                                           .help = "Size of titles; the rest is a little smaller",
                                           .label = "Size of letters",
                                           .tip = "Of titles; the rest is a little smaller"},
                                          &FigureSettings::points,
                                          3,
                                          72,
                                          3,
                                          " pt"},
    ChoiceSetting<FigureSettings, FigureSettings::Background>{{.key = "background",
                                                               .flag = "--background,--ground",
                                                               .type = "white|dark|transparent",
                                                               .help = "What the figure stands on",
                                                               .label = "Background",
                                                               .tip = "What the figure stands on"},
                                                              &FigureSettings::background,
                                                              backgroundNames},
    FlagSetting<FigureSettings>{{.key = "titles",
                                 .flag = "--no-titles",
                                 .help = "Leave out captions and panels' titles",
                                 .label = "Titles",
                                 .tip = "Captions and panel titles"},
                                &FigureSettings::titles},
    FlagSetting<FigureSettings>{{.key = "letters",
                                 .flag = "--letters",
                                 .help = "(a), (b), ... before what a caption refers to",
                                 .label = "Letters (a), (b)",
                                 .tip = "Before what a caption refers to"},
                                &FigureSettings::letters},
    FlagSetting<FigureSettings>{{.key = "colorBars",
                                 .flag = "--no-color-bars",
                                 .help = "Leave out colour bars",
                                 .label = "Colour bars"},
                                &FigureSettings::colorBars}};

}  // namespace softscope
