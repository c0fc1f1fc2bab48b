#pragma once

#include "core/Progress.h"
#include "widgets/figure/FigureFile.h"
#include "widgets/figure/HeadsFigure.h"

#include <QtCore/QRectF>
#include <QtCore/QSizeF>

#include <cstddef>
#include <memory>
#include <vector>

class QPainter;

namespace softscope {

/// The frames of a sweep: figures of heads whose colours mean the same in all of them.
using SweepFrames = std::vector<PanelFigure>;

/// Makes a frame of each subject. Every head has one range of colours over all frames, chosen from
/// all of its values by the view's normalisation; captions number the frames and say so. Throws
/// like headsFigure(), and Cancelled.
SweepFrames sweepFrames(const std::vector<HeadsSubject>& moments, const Progress& progress = {});

/// Frames whose panels have the same places at some settings, so that nothing jumps between them.
class AlignedSweep {
 public:
  /// Throws Error if the width leaves no room for the panels.
  AlignedSweep(SweepFrames frames, const FigureSettings& settings);

  std::size_t count() const { return frames_.size(); }
  /// Returns the size of the largest frame in millimetres; all have the same width.
  QSizeF size() const { return size_; }
  /// Draws a frame into `place`, which has the shape of size(). Needs a QGuiApplication.
  void paint(QPainter& painter, const QRectF& place, std::size_t index) const;

 private:
  SweepFrames frames_;
  QSizeF size_;
};

/// Makes the frame at an index a printable figure whose panels have the places that they have in
/// the sweep.
PrintableFigure printableFrame(std::shared_ptr<const SweepFrames> frames, std::size_t index);

}  // namespace softscope
