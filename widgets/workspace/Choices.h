#pragma once

#include "core/analysis/registry/AnalysisSettings.h"
#include "widgets/settings/Comparison.h"
#include "widgets/settings/MapSettings.h"
#include "widgets/settings/ViewSettings.h"

#include <QtCore/QObject>
#include <QtCore/QPointF>
#include <QtCore/QRectF>
#include <QtCore/QStringList>

#include <optional>

namespace softscope {

/// Holds the settings of each analysis: what it examines and how it is shown.
class AnalysisChoice : public QObject {
  Q_OBJECT

 public:
  const AnalysisSettings& settings() const { return settings_; }
  void set(const AnalysisSettings& settings);
  /// Has similarity of tokens compare patches with the vectors of .npy files, or with the query's
  /// token again if there are no `paths`.
  void compareVectors(const QStringList& paths);

 Q_SIGNALS:
  void changed();

 private:
  AnalysisSettings settings_;
};

/// Holds how the open models are compared.
class ComparisonChoice : public QObject {
  Q_OBJECT

 public:
  const Comparison& settings() const { return settings_; }
  void set(const Comparison& settings);

 Q_SIGNALS:
  void changed();
  /// Layers have been linked: from now on all follow the current model's.
  void layersLinked();

 private:
  Comparison settings_;
};

class OpenModels;

/// Holds how heads are shown: their colours, which heads and maps, and which part of the picture.
class ViewChoice : public QObject {
  Q_OBJECT

 public:
  /// The heads are those of the current model's chosen layer.
  explicit ViewChoice(const OpenModels& models);

  const ViewSettings& settings() const { return settings_; }
  void set(const ViewSettings& settings);

  /// The map that multiplies V, for pages that show any; mapOptions() tells which maps layers have.
  ShownMap map() const { return map_; }
  void setMap(ShownMap map);

  /// The channel that is shown of layers whose channels have matrices of their own.
  const ChannelSettings& channel() const { return channel_; }
  void setChannel(const ChannelSettings& channel);

  const OverHeads& overHeads() const { return overHeads_; }
  void setOverHeads(const OverHeads& overHeads);

  /// Returns the head that is shown alone, or the last head if the layer has fewer; empty for all
  /// heads.
  std::optional<int> onlyHead() const;
  /// Returns the head that was requested, whether or not the shown layer has as many.
  std::optional<int> chosenHead() const { return onlyHead_; }
  void setOnlyHead(std::optional<int> head);
  /// Moves to the next head or the previous one; beyond the last and the first, all heads are
  /// shown.
  void stepHead(int by);

  /// Returns the part that all panels show, in fractions of what the network saw.
  const QRectF& visible() const { return visible_; }
  /// Sets the part to show, moved into [0, 1] and no smaller than a hundredth of it.
  void setVisible(const QRectF& visible);
  /// Zooms by `factor` (above 1: closer) about a point that stays in place.
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
  ChannelSettings channel_;
  OverHeads overHeads_;
  std::optional<int> onlyHead_;
  QRectF visible_{0, 0, 1, 1};
};

}  // namespace softscope
