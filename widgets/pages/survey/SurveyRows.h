#pragma once

#include "core/Progress.h"
#include "core/survey/reading/SurveyComparison.h"
#include "widgets/pages/survey/SurveyLook.h"

#include <QtCore/QAbstractTableModel>

#include <cstdint>
#include <memory>
#include <vector>

namespace softscope {

/// The values of an answer as rows of a table, a million of them or more: what is shown is made
/// when it is asked for.
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

  /// In the file's order.
  void setLook(std::shared_ptr<const SurveyLook> look);
  /// One that sortedRows() made of the same answer.
  void setOrder(std::shared_ptr<const Order> order);
  SurveyPoint point(int row) const;
  const SurveyLook* look() const { return look_.get(); }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  /// Only asks for it: that many rows are sorted on the worker.
  void sort(int column, Qt::SortOrder order) override { Q_EMIT sortWanted(column, order); }

 Q_SIGNALS:
  void sortWanted(int column, Qt::SortOrder order);

 private:
  QString text(const SurveyPoint& point, int column) const;

  std::shared_ptr<const SurveyLook> look_;
  /// Where each series begins.
  std::vector<std::uint32_t> begins_;
  std::shared_ptr<const Order> order_;
};

/// The rows of an answer, by a column of SurveyRows; what is not defined comes last. For the
/// worker.
SurveyRows::Order sortedRows(const SurveyAnswer& answer, int column, Qt::SortOrder order,
                             const Progress& progress);

}  // namespace softscope
