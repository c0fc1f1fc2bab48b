#pragma once

#include "widgets/figure/FigureFile.h"

#include <QtCore/QRectF>
#include <QtCore/QSizeF>
#include <QtGui/QImage>
#include <QtWidgets/QWidget>

namespace softscope {

/// Previews a figure as it will be written, as large as possible, using the figure's own painter.
class FigurePreview : public QWidget {
  Q_OBJECT

 public:
  explicit FigurePreview(PrintableFigure figure, QWidget* parent = nullptr);

  /// Shows another figure, which has no size until the next setSettings().
  void setFigure(PrintableFigure figure);
  /// Returns false if the settings cannot be met; problem() then says why.
  bool setSettings(const FigureSettings& settings);
  QSizeF millimetres() const { return millimetres_; }
  const QString& problem() const { return problem_; }

  QSize sizeHint() const override { return {640, 480}; }
  QSize minimumSizeHint() const override { return {240, 200}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QRectF place() const;

  PrintableFigure figure_;
  FigureSettings settings_;
  QSizeF millimetres_;
  QString problem_;
  /// The figure as last drawn; null after a change.
  QImage drawn_;
};

}  // namespace softscope
