#pragma once

#include <QtCore/QString>

#include <functional>
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
  /// Null for pages that the window makes itself, because they ask more of it than a workspace.
  std::function<Page*(Workspace&)> make;
};

/// In the order of their tabs.
const std::vector<WindowPage>& windowPages();

}  // namespace softscope
