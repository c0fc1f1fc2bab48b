#include "widgets/pages/survey/SurveyGallery.h"

#include "widgets/controls/ElidedLabel.h"
#include "widgets/pages/survey/GalleryItems.h"

#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QListView>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

namespace softscope {
namespace {

constexpr int itemPadding = 10;

std::vector<SurveyPoint> evenlyChosen(const std::vector<SurveyPoint>& points) {
  std::vector<SurveyPoint> chosen;
  for (std::size_t i = 0; i < SurveyGallery::mostShown; ++i) {
    chosen.push_back(points[i * points.size() / SurveyGallery::mostShown]);
  }
  return chosen;
}

}  // namespace

SurveyGallery::SurveyGallery(QWidget* parent)
    : QWidget(parent),
      title_(new ElidedLabel(this)),
      close_(new QToolButton(this)),
      list_(new QListView(this)),
      items_(new GalleryItems(this)) {
  setAccessibleName(tr("Pictures"));
  close_->setText(QStringLiteral("×"));
  close_->setAutoRaise(true);
  close_->setAccessibleName(tr("Close the pictures"));
  close_->setToolTip(tr("Close the pictures"));
  list_->setAccessibleName(tr("Pictures"));
  list_->setViewMode(QListView::IconMode);
  list_->setMovement(QListView::Static);
  list_->setResizeMode(QListView::Adjust);
  list_->setUniformItemSizes(true);
  list_->setIconSize({Thumbnails::side, Thumbnails::side});
  list_->setGridSize({Thumbnails::side + itemPadding,
                      Thumbnails::side + itemPadding + list_->fontMetrics().height() + 4});
  list_->setFrameShape(QFrame::NoFrame);
  list_->setMouseTracking(true);
  list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  list_->setModel(items_);
  auto* line = new QHBoxLayout;
  line->setContentsMargins(14, 4, 8, 0);
  line->addWidget(title_, 1);
  line->addWidget(close_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  column->addLayout(line);
  column->addWidget(list_, 1);
  setMinimumHeight(Thumbnails::side + 2 * itemPadding + 3 * list_->fontMetrics().height());
  const auto point = [this](const QModelIndex& index) { return items_->point(index.row()); };
  connect(list_, &QListView::clicked, this,
          [this, point](const QModelIndex& index) { Q_EMIT chosen(point(index)); });
  connect(list_, &QListView::entered, this,
          [this, point](const QModelIndex& index) { Q_EMIT hovered(point(index)); });
  connect(close_, &QToolButton::clicked, this, &SurveyGallery::closed);
}

void SurveyGallery::setMemory(qint64 bytes) {
  items_->setMemory(bytes);
}

void SurveyGallery::setPoints(std::shared_ptr<const SurveyView> view,
                              std::vector<SurveyPoint> points, const QString& title) {
  QString text = title;
  if (points.size() > mostShown) {
    text += tr(" · %1 of %L2, evenly chosen").arg(mostShown).arg(points.size());
    points = evenlyChosen(points);
  }
  title_->setText(text);
  items_->setPoints(std::move(view), std::move(points));
  list_->scrollToTop();
}

QString SurveyGallery::title() const {
  return title_->text();
}

}  // namespace softscope
