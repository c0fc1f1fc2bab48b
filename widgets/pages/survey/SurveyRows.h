#pragma once

#include "core/Progress.h"
#include "core/survey/reading/SurveyComparison.h"
#include "widgets/pages/survey/SurveyView.h"

#include <QtCore/QAbstractTableModel>

#include <cstdint>
#include <memory>
#include <vector>

namespace softscope {

/// The values of an answer as rows of a table; it handles a million and more, because cells are
/// made only when they are shown.
class SurveyRows : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column {
    PictureColumn,
    ClassColumn,
    ModelColumn,
    LayerColumn,
    HeadColumn,
    ValueColumn,
    AgainstColumn
  };
  using Order = std::vector<std::uint32_t>;

  explicit SurveyRows(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

  /// Sets the answer, with its rows in the file's order.
  void setView(std::shared_ptr<const SurveyView> view);
  /// Sets an order that sortedRows() made for the same answer.
  void setOrder(std::shared_ptr<const Order> order);
  SurveyPoint point(int row) const;
  const SurveyView* view() const { return view_.get(); }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  /// Only requests the order, because so many rows are sorted on the worker.
  void sort(int column, Qt::SortOrder order) override { Q_EMIT sortWanted(column, order); }

 Q_SIGNALS:
  void sortWanted(int column, Qt::SortOrder order);

 private:
  QString text(const SurveyPoint& point, int column) const;
  QString title(int column) const;

  std::shared_ptr<const SurveyView> view_;
  /// The first row of each series.
  std::vector<std::uint32_t> begins_;
  /// The short name of each layer of the survey; tool tips have the whole ones.
  std::vector<QString> layers_;
  std::shared_ptr<const Order> order_;
};

/// Returns the rows of an answer sorted by a column of SurveyRows, with undefined values last. Runs
/// on the worker, and may throw Cancelled.
SurveyRows::Order sortedRows(const SurveyAnswer& answer, int column, Qt::SortOrder order,
                             const Progress& progress);

}  // namespace softscope
