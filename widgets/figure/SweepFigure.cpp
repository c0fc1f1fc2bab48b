#include "widgets/figure/SweepFigure.h"

#include "widgets/figure/PanelLayout.h"
#include "widgets/paint/ValueText.h"
#include "widgets/query/ValueRange.h"

#include <QtCore/QCoreApplication>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace softscope {
namespace {

/// A block of each frame, and a head in it; they keep their colours over all frames.
using SweptPanel = std::pair<std::size_t, int>;

bool isHeatMap(const FigureCell& cell) {
  return cell.panel.values.patches.size() > 0;
}

template <typename Visit>
void forEachHeatMap(SweepFrames& frames, Visit&& visit) {
  for (PanelFigure& frame : frames) {
    for (std::size_t block = 0; block < frame.blocks.size(); ++block) {
      for (FigureCell& cell : frame.blocks[block].cells) {
        if (isHeatMap(cell)) visit(SweptPanel(block, cell.panel.values.head), cell.panel);
      }
    }
  }
}

void append(Vector& values, const Vector& more) {
  const Eigen::Index before = values.size();
  values.conservativeResize(before + more.size());
  values.tail(more.size()) = more;
}

/// Returns one range for each panel, chosen from its values in all frames.
std::map<SweptPanel, ValueRange> rangesOver(SweepFrames& frames, const ViewSettings& view) {
  std::map<SweptPanel, AttentionValues> pooled;
  forEachHeatMap(frames, [&](const SweptPanel& place, const HeadPanel& panel) {
    AttentionValues& pool = pooled[place];
    append(pool.patches, panel.values.inside());
    pool.isBesideSigned = pool.isBesideSigned || panel.values.isBesideSigned;
  });
  std::vector<AttentionValues> panels;
  for (auto& [place, pool] : pooled) panels.push_back(std::move(pool));
  const std::vector<ValueRange> ranges = valueRanges(panels, view);
  std::map<SweptPanel, ValueRange> found;
  std::size_t index = 0;
  for (const auto& entry : pooled) found[entry.first] = ranges[index++];
  return found;
}

void shareRanges(SweepFrames& frames, const ViewSettings& view) {
  const std::map<SweptPanel, ValueRange> ranges = rangesOver(frames, view);
  forEachHeatMap(frames, [&](const SweptPanel& place, HeadPanel& panel) {
    panel.range = ranges.at(place);
    panel.heat = heatmapStyle(view, panel.range);
  });
  if (ranges.empty()) return;
  for (PanelFigure& frame : frames) {
    for (FigureBlock& block : frame.blocks) {
      if (!block.bar) continue;
      // All panels share one range then.
      block.bar->range = ranges.begin()->second;
      block.bar->colors = heatmapStyle(view, block.bar->range).colors;
    }
  }
}

QString rangeText(const ViewSettings& view) {
  const auto text = [](const char* words) { return QCoreApplication::translate("Sweep", words); };
  switch (view.normalisation) {
    case ViewSettings::Normalisation::Shared:
      return text("one range of colours over all heads and frames");
    case ViewSettings::Normalisation::Percentile:
      return text("colours from each head's 1st to 99th percentile over all frames");
    case ViewSettings::Normalisation::PerHead:
      break;
  }
  return text("one range of colours per head over all frames");
}

void captionFrames(SweepFrames& frames, const ViewSettings& view) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    for (FigureBlock& block : frames[i].blocks) {
      block.caption->result = QStringLiteral("%1 / %2").arg(i + 1).arg(frames.size());
      block.caption->about += captionSeparator + rangeText(view);
    }
  }
}

/// Returns the number of columns in which a figure's panels are laid out.
int columnsOf(const PanelLayout& layout) {
  const auto first = layout.cells.empty() ? 0 : layout.cells.front().parts.image.top();
  return static_cast<int>(std::ranges::count_if(
      layout.cells, [&](const PlacedCell& cell) { return cell.parts.image.top() == first; }));
}

/// Gives panels the same places in all frames: as many columns as the frame with the most, and
/// below each caption's name as much room as its longest text takes. Returns the size of the
/// largest frame in millimetres.
QSizeF alignFrames(SweepFrames& frames, const FigureSettings& settings) {
  int columns = settings.columns;
  for (PanelFigure& frame : frames) {
    frame.settings = settings;
    if (settings.columns == 0) columns = std::max(columns, columnsOf(layoutPanelFigure(frame)));
  }
  std::map<std::size_t, qsizetype> lines;
  for (PanelFigure& frame : frames) {
    frame.settings.columns = columns;
    const PanelLayout layout = layoutPanelFigure(frame);
    for (std::size_t i = 0; i < layout.captions.size(); ++i) {
      lines[i] = std::max(lines[i], layout.captions[i].about.size());
    }
  }
  QSizeF size;
  for (PanelFigure& frame : frames) {
    for (std::size_t i = 0; i < frame.blocks.size(); ++i) {
      frame.blocks[i].caption->aboutLines = static_cast<int>(lines[i]);
    }
    size = size.expandedTo(panelFigureSize(frame));
  }
  return size;
}

}  // namespace

SweepFrames sweepFrames(const std::vector<HeadsSubject>& moments, const Progress& progress) {
  SweepFrames frames;
  for (const HeadsSubject& moment : moments) {
    progress.throwIfCancelled();
    frames.push_back(headsFigure(moment));
  }
  if (frames.empty()) return frames;
  shareRanges(frames, moments.front().view);
  captionFrames(frames, moments.front().view);
  return frames;
}

AlignedSweep::AlignedSweep(SweepFrames frames, const FigureSettings& settings)
    : frames_(std::move(frames)), size_(alignFrames(frames_, settings)) {}

void AlignedSweep::paint(QPainter& painter, const QRectF& place, std::size_t index) const {
  paintPanelFigure(painter, place, frames_[index]);
}

PrintableFigure printableFrame(std::shared_ptr<const SweepFrames> frames, std::size_t index) {
  // Aligned once for the settings that size and paint are called with in turn.
  using Kept = std::pair<FigureSettings, AlignedSweep>;
  const auto aligned = [frames, kept = std::make_shared<std::optional<Kept>>()](
                           const FigureSettings& settings) -> const AlignedSweep& {
    if (!*kept || (*kept)->first != settings) {
      kept->emplace(settings, AlignedSweep(*frames, settings));
    }
    return (*kept)->second;
  };
  PrintableFigure figure;
  figure.size = [aligned](const FigureSettings& settings) { return aligned(settings).size(); };
  figure.paint = [aligned, index](QPainter& painter, const QRectF& place,
                                  const FigureSettings& settings) {
    aligned(settings).paint(painter, place, index);
  };
  figure.title = [frames, index](const FigureSettings&) { return figureTitle((*frames)[index]); };
  return figure;
}

}  // namespace softscope
