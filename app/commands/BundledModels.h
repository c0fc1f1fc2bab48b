#pragma once

#include "widgets/pages/LibraryPage.h"

#include <vector>

namespace softscope {

/// Returns the trained models among the resources, by name. Unreadable files are left out.
std::vector<LibraryModel> bundledModels();

}  // namespace softscope
