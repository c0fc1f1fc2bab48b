#include "app/window/RememberedView.h"

#include "app/window/WindowOptions.h"
#include "core/image/ColorMap.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/ViewChoice.h"
#include "widgets/workspace/Workspace.h"

namespace softscope {

RememberedView::RememberedView(const WindowOptions& options, WindowSettings& settings)
    : options_(options), settings_(settings), before_(settings) {
  if (options.dpi) settings.figure.dpi = *options.dpi;
}

void RememberedView::restore(Workspace& workspace) const {
  ViewSettings settings = settings_.view;
  if (options_.colorMap) {
    const ColorMap& chosen = colorMap(*options_.colorMap);
    (chosen.diverging ? settings.divergingColorMap : settings.colorMap) = chosen.name;
  }
  ViewChoice& view = workspace.view();
  view.set(settings);
  view.setOverHeads(options_.overHeads.value_or(settings_.overHeads));
  view.setOnlyHead(options_.onlyHead);
  workspace.queue().setFirstInputSize(options_.inputSize);
  workspace.layers().setFirst(options_.layer);
  if (options_.direction) workspace.layers().setDirection(*options_.direction);
}

WindowSettings RememberedView::remembered(const Workspace& workspace) const {
  const auto kept = [](const auto& said, const auto& now, const auto& before) {
    return said && *said == now ? before : now;
  };
  const ViewChoice& view = workspace.view();
  const ViewSettings& now = view.settings();
  WindowSettings remembered = settings_;
  remembered.view = now;
  remembered.view.colorMap = kept(options_.colorMap, now.colorMap, before_.view.colorMap);
  remembered.view.divergingColorMap =
      kept(options_.colorMap, now.divergingColorMap, before_.view.divergingColorMap);
  remembered.overHeads = kept(options_.overHeads, view.overHeads(), before_.overHeads);
  remembered.figure.dpi = kept(options_.dpi, settings_.figure.dpi, before_.figure.dpi);
  return remembered;
}

}  // namespace softscope
