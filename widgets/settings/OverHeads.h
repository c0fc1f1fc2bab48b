#pragma once

#include "core/Setting.h"

#include <tuple>

namespace softscope {

/// Selects the panels over all heads that follow the panels of single heads.
struct OverHeads {
  bool mean = true;
  bool largest = false;

  bool operator==(const OverHeads&) const = default;
};

/// The settings have no flags: on the command line --head asks for these panels.
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
