#pragma once

#include "core/analysis/Cost.h"

#include <map>
#include <string>

namespace softscope {

/// `--scope`, `--over`, as the command line names them.
inline const std::map<std::string, CostScope> costScopes = {{"attention", CostScope::Attention},
                                                            {"vit12", CostScope::Vit12}};
inline const std::map<std::string, CostOver> costOvers = {
    {"tokens", CostOver::Tokens}, {"channels", CostOver::Channels}, {"heads", CostOver::Heads}};

}  // namespace softscope
