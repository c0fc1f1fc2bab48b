#pragma once

#include "app/window/settings/WindowSettings.h"

namespace softscope {

class Workspace;
struct WindowOptions;

/// How heads were shown last time. What the command line says of it is for this run: where it still
/// holds at the end, what was before stays.
class RememberedView {
 public:
  /// Works on `settings`, which it makes those of this run; both outlive it.
  RememberedView(const WindowOptions& options, WindowSettings& settings);

  void restore(Workspace& workspace) const;
  /// The settings as they are to be remembered.
  WindowSettings remembered(const Workspace& workspace) const;

 private:
  const WindowOptions& options_;
  WindowSettings& settings_;
  /// Before the command line had its say.
  WindowSettings before_;
};

}  // namespace softscope
