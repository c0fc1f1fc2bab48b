#include "widgets/pages/HeadPanels.h"

#include "widgets/paint/PanelText.h"
#include "widgets/workspace/Workspace.h"

namespace softscope {

std::vector<HeadPanel> headPanels(const Workspace& workspace) {
  std::vector<HeadPanel> panels;
  std::vector<AttentionValues> answers = workspace.answers();
  if (answers.empty()) return panels;

  const AttentionDescription& attention =
      workspace.current()->shownLayer()->attention->description();
  const ViewSettings& view = workspace.view();
  const std::vector<ValueRange> ranges = valueRanges(answers, view);
  const bool marked = workspace.grid() && !workspace.asksClassToken();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    HeadPanel panel;
    panel.title = headText(answers[i].head);
    panel.note = panelNote(attention, answers[i], workspace.direction());
    panel.range = ranges[i];
    panel.heat = heatmapStyle(view, ranges[i]);
    panel.colorBar = view.normalisation != ViewSettings::Normalisation::Shared;
    panel.visible = workspace.visible();
    if (marked) panel.query = QueryMark{placeInRegion(workspace.extent(), workspace.query())};
    panel.values = std::move(answers[i]);
    panels.push_back(std::move(panel));
  }
  return panels;
}

}  // namespace softscope
