#pragma once

#include <string>
#include <vector>

namespace softscope {

/// Kinds of figures that show what a query attends to; those that show single heads in colours;
/// those that show any matrix that multiplies V; and those whose colours lie on patches of the
/// picture.
inline const std::vector<std::string> kindsOfQueries = {"heads",      "compare", "matrix",
                                                        "bottleneck", "rollout", "tokens"};
inline const std::vector<std::string> kindsOfHeads = {"heads", "compare", "saliency", "matrix",
                                                      "bottleneck"};
/// Kinds of figures for which single heads can be chosen.
inline const std::vector<std::string> kindsOfChosenHeads = {"heads",  "compare",    "saliency",
                                                            "matrix", "bottleneck", "survey"};
inline const std::vector<std::string> kindsOfMaps = {"heads", "compare", "matrix", "spectrum"};
inline const std::vector<std::string> kindsOfPatches = {"heads",      "compare", "saliency",
                                                        "bottleneck", "rollout", "tokens"};

}  // namespace softscope
