#pragma once

#include "app/window/contents/CommandPalette.h"

#include <vector>

class QMenuBar;

namespace softscope {

class Workspace;

/// What can be done at this moment: every action of the menus that is enabled, every layer of the
/// model in front, and every open model.
std::vector<PaletteEntry> paletteEntries(const QMenuBar& menus, Workspace& workspace);

}  // namespace softscope
