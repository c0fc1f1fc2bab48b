#pragma once

#include "core/Setting.h"

#include <tuple>

namespace softscope {

/// Which panels over all heads stand after the heads' own.
struct OverHeads {
  bool mean = true;
  bool largest = false;

  bool operator==(const OverHeads&) const = default;
};

/// (On the command line --head asks for them.)
inline constexpr std::tuple overHeadsSettings{
    FlagSetting<OverHeads>{
        {.key = "mean", .label = "Mean of heads", .tip = "Add a panel with the mean over heads"},
        &OverHeads::mean},
    FlagSetting<OverHeads>{{.key = "largest",
                            .label = "Largest of heads",
                            .tip = "Add a panel with each patch's value of the head whose "
                                   "magnitude is largest there"},
                           &OverHeads::largest}};

}  // namespace softscope
