#pragma once

#include "core/analysis/Analysis.h"

#include <QtCore/QString>

#include <functional>
#include <optional>
#include <vector>

namespace softscope {

class Page;
class Workspace;

/// A page of the window, as its tab and its menu entry know it.
struct WindowPage {
  /// In workspace files.
  QString name;
  /// With a mnemonic.
  QString title;
  QString shortcut;
  /// The row of tabs that it belongs to; none for the models in the box, which are a row by
  /// themselves.
  std::optional<AnalysisGroup> group;
  /// Null for pages that the window makes itself, because they ask more of it than a workspace.
  std::function<Page*(Workspace&)> make;
};

/// In the order of their tabs: a page for every analysis, and the models in the box.
const std::vector<WindowPage>& windowPages();

}  // namespace softscope
