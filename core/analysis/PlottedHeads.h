#pragma once

#include "core/Setting.h"

namespace softscope {

/// The curves of plots that follow a quantity of every head.
enum class PlottedHeads {
  Automatic,  ///< medians for several layers with more than twelve heads together, else each head
  Each,       ///< one for each head
  Medians,    ///< the median of each layer's heads, in a band from the smallest to the largest
};

inline constexpr ChoiceName<PlottedHeads> plottedHeadsNames[] = {
    {PlottedHeads::Automatic, "auto", "Curves: automatic"},
    {PlottedHeads::Each, "heads", "Curves: each head"},
    {PlottedHeads::Medians, "medians", "Curves: layers' medians"}};

/// The choice of curves, for the settings of an analysis with the member `heads`.
template <typename Owner>
constexpr ChoiceSetting<Owner, PlottedHeads> plottedHeadsSetting{
    {.key = "curves",
     .flag = "--curves",
     .type = "auto|heads|medians",
     .help = "A curve for each head, or the median of each layer's heads in a band from the "
             "smallest to the largest; auto: medians for several layers with more than 12 heads",
     .label = "Curves",
     .tip =
         "A curve for each head, or the median of each layer's heads in a band from the smallest "
         "to the largest"},
    &Owner::heads,
    plottedHeadsNames};

}  // namespace softscope
