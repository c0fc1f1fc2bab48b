#pragma once

#include "widgets/pages/LibraryPage.h"

#include <vector>

namespace softscope {

/// The trained models among the resources, by name. Files that cannot be read are left out.
std::vector<LibraryModel> bundledModels();

}  // namespace softscope
