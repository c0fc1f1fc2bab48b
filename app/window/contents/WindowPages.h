#pragma once

#include "core/analysis/Analysis.h"

#include <QtCore/QString>

#include <functional>
#include <optional>
#include <vector>

namespace softscope {

class Page;
class Workspace;

/// A page of the window, as described by its tab and its menu entry.
struct WindowPage {
  /// The page's name in workspace files.
  QString name;
  /// The page's title, with a mnemonic.
  QString title;
  QString shortcut;
  /// The row of tabs that the page belongs to; empty for the model library, which is a row of its
  /// own.
  std::optional<AnalysisGroup> group;
  /// Null for pages that the window creates itself because they need more than a workspace.
  std::function<Page*(Workspace&)> make;
};

/// Returns all pages in the order of their tabs: one for every analysis, and the model library.
const std::vector<WindowPage>& windowPages();

}  // namespace softscope
