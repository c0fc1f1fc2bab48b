#include "widgets/pages/survey/SurveyRows.h"

#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace softscope {
namespace {

std::vector<std::uint32_t> beginsOf(const SurveyAnswer& answer) {
  std::vector<std::uint32_t> begins;
  std::uint32_t next = 0;
  for (const SurveySeries& series : answer.series) {
    begins.push_back(next);
    next += static_cast<std::uint32_t>(series.values.pictures.size());
  }
  begins.push_back(next);
  return begins;
}

/// Returns the short name of each layer, distinct within its model.
std::vector<QString> shortNamesOf(const SurveyIndex& index) {
  std::vector<QString> names(index.layers.size());
  for (int model = 0; model < static_cast<int>(index.models.size()); ++model) {
    std::vector<std::size_t> places;
    QStringList whole;
    for (std::size_t i = 0; i < index.layers.size(); ++i) {
      if (index.layers[i].model != model) continue;
      places.push_back(i);
      whole += QString::fromStdString(index.layers[i].name);
    }
    const QStringList shown = shortLayerNames(whole);
    for (std::size_t i = 0; i < places.size(); ++i) {
      names[places[i]] = shown[static_cast<qsizetype>(i)];
    }
  }
  return names;
}

/// Returns the value by which a row of a series is sorted.
double sortKey(const SurveyAnswer& answer, const SurveySeries& series, std::size_t i, int column) {
  const int picture = series.values.pictures[i];
  switch (column) {
    case SurveyRows::ClassColumn:
      return answer.index->pictures[static_cast<std::size_t>(picture)].ofClass;
    case SurveyRows::ModelColumn:
      return series.unit.model;
    case SurveyRows::LayerColumn:
      return series.unit.layer;
    case SurveyRows::HeadColumn:
      return answer.index->headNumber(series.unit);
    case SurveyRows::ValueColumn:
      return series.values.values[i];
    case SurveyRows::AgainstColumn:
      return series.against.empty() ? 0 : series.against[i];
    default:
      return picture;
  }
}

}  // namespace

SurveyRows::Order sortedRows(const SurveyAnswer& answer, int column, Qt::SortOrder order,
                             const Progress& progress) {
  std::vector<double> keys;
  for (const SurveySeries& series : answer.series) {
    for (std::size_t i = 0; i < series.values.pictures.size(); ++i) {
      keys.push_back(sortKey(answer, series, i, column));
    }
  }
  progress.report(0.1, "Sorting");
  SurveyRows::Order rows(keys.size());
  std::iota(rows.begin(), rows.end(), 0u);
  const auto defined = std::stable_partition(
      rows.begin(), rows.end(), [&](std::uint32_t row) { return !std::isnan(keys[row]); });
  const bool rises = order == Qt::AscendingOrder;
  std::stable_sort(rows.begin(), defined, [&](std::uint32_t a, std::uint32_t b) {
    return rises ? keys[a] < keys[b] : keys[a] > keys[b];
  });
  progress.throwIfCancelled();
  return rows;
}

void SurveyRows::setView(std::shared_ptr<const SurveyView> view) {
  if (view == view_) return;
  beginResetModel();
  view_ = std::move(view);
  begins_ = view_ ? beginsOf(view_->answer) : std::vector<std::uint32_t>();
  layers_ = view_ ? shortNamesOf(*view_->answer.index) : std::vector<QString>();
  order_.reset();
  endResetModel();
}

void SurveyRows::setOrder(std::shared_ptr<const Order> order) {
  if (order == order_ || !order || static_cast<int>(order->size()) != rowCount()) return;
  Q_EMIT layoutAboutToBeChanged();
  // The selection is kept by row numbers, and each selected value has a new one.
  const QModelIndexList before = persistentIndexList();
  std::vector<int> rowOf(before.isEmpty() ? 0 : order->size());
  for (std::size_t row = 0; row < rowOf.size(); ++row) {
    rowOf[(*order)[row]] = static_cast<int>(row);
  }
  QModelIndexList after;
  for (const QModelIndex& index : before) {
    const auto old = static_cast<std::size_t>(index.row());
    after += this->index(rowOf[order_ ? (*order_)[old] : old], index.column());
  }
  order_ = std::move(order);
  changePersistentIndexList(before, after);
  Q_EMIT layoutChanged();
}

SurveyPoint SurveyRows::point(int row) const {
  const std::uint32_t flat =
      order_ ? (*order_)[static_cast<std::size_t>(row)] : static_cast<std::uint32_t>(row);
  const auto after = std::upper_bound(begins_.begin(), begins_.end(), flat);
  const auto series = static_cast<std::size_t>(after - begins_.begin()) - 1;
  return {series, flat - begins_[series]};
}

int SurveyRows::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || begins_.empty() ? 0 : static_cast<int>(begins_.back());
}

int SurveyRows::columnCount(const QModelIndex& parent) const {
  if (parent.isValid() || !view_) return 0;
  return view_->answer.against >= 0 ? AgainstColumn + 1 : ValueColumn + 1;
}

QString SurveyRows::text(const SurveyPoint& point, int column) const {
  const SurveyAnswer& answer = view_->answer;
  const SurveySeries& series = answer.series[point.series];
  const SurveyIndex::Picture& picture =
      answer.index->pictures[static_cast<std::size_t>(series.values.pictures[point.index])];
  const auto number = [](double value) {
    return std::isnan(value) ? QString() : valueText(value, 5);
  };
  switch (column) {
    case PictureColumn:
      return QString::fromStdString(picture.path);
    case ClassColumn:
      return QString::fromStdString(answer.index->className(picture));
    case ModelColumn:
      return QString::fromStdString(
          answer.index->models[static_cast<std::size_t>(series.unit.model)].name);
    case LayerColumn:
      return QString::fromStdString(answer.index->layerName(series.unit));
    case HeadColumn: {
      const int head = answer.index->headNumber(series.unit);
      return head < 0 ? QString() : QString::number(head);
    }
    case ValueColumn:
      return number(series.values.values[point.index]);
    default:
      return number(series.against[point.index]);
  }
}

QVariant SurveyRows::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !view_) return {};
  if (role == Qt::TextAlignmentRole && index.column() >= HeadColumn) {
    return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
  }
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  const SurveyPoint at = point(index.row());
  const int layer = view_->answer.series[at.series].unit.layer;
  if (role == Qt::DisplayRole && index.column() == LayerColumn && layer >= 0) {
    return layers_[static_cast<std::size_t>(layer)];
  }
  return text(at, index.column());
}

QVariant SurveyRows::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || !view_) return {};
  if (role == Qt::TextAlignmentRole) {
    return QVariant::fromValue((section >= HeadColumn ? Qt::AlignRight : Qt::AlignLeft) |
                               Qt::AlignVCenter);
  }
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  return title(section);
}

QString SurveyRows::title(int column) const {
  switch (column) {
    case PictureColumn:
      return tr("Picture");
    case ClassColumn:
      return tr("Class");
    case ModelColumn:
      return tr("Model");
    case LayerColumn:
      return tr("Layer");
    case HeadColumn:
      return tr("Head");
    case ValueColumn:
      return QString::fromStdString(view_->answer.firstMeasure().title);
    default:
      return QString::fromStdString(view_->answer.secondMeasure().title);
  }
}

}  // namespace softscope
