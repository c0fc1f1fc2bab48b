#pragma once

#include "app/window/contents/CommandPalette.h"

#include <vector>

class QMenuBar;

namespace softscope {

class Workspace;

/// Returns everything that can be done at this moment: every enabled action of the menus, every
/// layer of the model in front, and every open model.
std::vector<PaletteEntry> paletteEntries(const QMenuBar& menus, Workspace& workspace);

}  // namespace softscope
