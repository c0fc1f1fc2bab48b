#include "widgets/pages/HeadPanels.h"

#include "widgets/paint/PanelText.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/ViewChoice.h"
#include "widgets/workspace/Workspace.h"
#include "widgets/workspace/WorkspaceFigures.h"

namespace softscope {

std::vector<HeadPanel> headPanels(const Workspace& workspace,
                                  const std::vector<HeadLikeness>* likeness) {
  std::vector<HeadPanel> panels;
  std::vector<AttentionValues> answers = headAnswers(workspace);
  if (answers.empty()) return panels;

  const AttentionDescription& attention =
      workspace.models().current()->shownLayer()->attention->description();
  const ViewSettings& view = workspace.view().settings();
  const std::vector<ValueRange> ranges = valueRanges(answers, view);
  const std::optional<QueryMark> mark = workspace.queries().mark();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    HeadPanel panel;
    panel.title = headText(answers[i].head);
    panel.note = panelNote(attention, answers[i], workspace.layers().direction(), likeness);
    panel.range = ranges[i];
    panel.heat = heatmapStyle(view, ranges[i]);
    panel.colorBar = view.normalisation != ViewSettings::Normalisation::Shared;
    panel.visible = workspace.view().visible();
    panel.query = mark;
    panel.values = std::move(answers[i]);
    panels.push_back(std::move(panel));
  }
  return panels;
}

}  // namespace softscope
