#pragma once

#include "widgets/settings/MapSettings.h"
#include "widgets/settings/OverHeads.h"
#include "widgets/settings/ViewSettings.h"

#include <QtCore/QObject>
#include <QtCore/QPointF>
#include <QtCore/QRectF>

#include <optional>

namespace softscope {

class OpenModels;

/// How heads are shown: their colours, which of them and of their maps, and which part of the
/// picture.
class ViewChoice : public QObject {
  Q_OBJECT

 public:
  /// The heads are those of the current model's chosen layer.
  explicit ViewChoice(const OpenModels& models);

  const ViewSettings& settings() const { return settings_; }
  void set(const ViewSettings& settings);

  /// What multiplies V, for pages that show any of it; offeredMap() says what layers have of it.
  ShownMap map() const { return map_; }
  void setMap(ShownMap map);

  const OverHeads& overHeads() const { return overHeads_; }
  void setOverHeads(const OverHeads& overHeads);

  /// The head that is shown alone, the last one of layers that have fewer; nothing for all heads.
  std::optional<int> onlyHead() const;
  /// The head that was asked for, whether or not the layer shown has as many.
  std::optional<int> chosenHead() const { return onlyHead_; }
  void setOnlyHead(std::optional<int> head);
  /// To the next head alone, or the one before; beyond the last and the first one are all heads.
  void stepHead(int by);

  /// The part that all panels show, in fractions of what the network saw.
  const QRectF& visible() const { return visible_; }
  /// Moved into [0, 1], and never smaller than a hundredth of it.
  void setVisible(const QRectF& visible);
  /// Zooms by `factor` (above 1: closer) about a point that stays where it is.
  void zoom(double factor, const QPointF& about);
  void pan(const QPointF& by);

 Q_SIGNALS:
  void changed();

 private:
  template <typename Value>
  void change(Value& value, const Value& next);

  const OpenModels& models_;
  ViewSettings settings_;
  ShownMap map_ = MapSettings().map;
  OverHeads overHeads_;
  std::optional<int> onlyHead_;
  QRectF visible_{0, 0, 1, 1};
};

}  // namespace softscope
