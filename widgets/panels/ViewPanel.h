#pragma once

#include "widgets/controls/SettingControls.h"
#include "widgets/settings/MapSettings.h"
#include "widgets/settings/ViewSettings.h"

#include <QtWidgets/QWidget>

#include <functional>
#include <optional>

class QComboBox;
class QFormLayout;
class QLabel;
class QSlider;
class QStackedLayout;

namespace softscope {

class FlowLayout;

/// The controls for how heat maps are drawn.
class ViewPanel : public QWidget {
  Q_OBJECT

 public:
  explicit ViewPanel(QWidget* parent = nullptr);

  void setView(const ViewSettings& view, const OverHeads& overHeads);
  /// Offers `channels` channels to choose from; none if it is 0.
  void setChannels(const ChannelSettings& channel, int channels);
  /// Enables the controls of what the page in front follows; words stand in place of them all where
  /// it draws no maps, which an empty `followed` means.
  void setFollowed(const std::optional<FollowedView>& followed);

 Q_SIGNALS:
  void viewChosen(const softscope::ViewSettings& view);
  void overHeadsChosen(const softscope::OverHeads& overHeads);
  void channelChosen(const softscope::ChannelSettings& channel);

 private:
  /// Adds the words that stand in place of the controls.
  void addWords();
  void addChannel();
  void addViewSettings();
  QLayout* makeOpacity();
  void addOverHeads();
  template <typename Setting, typename Controls>
  void addControl(const Setting& setting, Controls& controls, const std::function<void()>& changed);
  void choose();

  ViewSettings view_;
  QComboBox* colors_;
  QComboBox* signedColors_;
  QSlider* opacity_;
  QLabel* opacityText_;
  SettingControls<ViewSettings> others_;
  SettingControls<OverHeads> overHeads_;
  SettingControls<ChannelSettings> channel_;
  QWidget* controls_;
  QFormLayout* form_;
  /// Switches stand side by side, so that the panel leaves room for others in its column.
  FlowLayout* switches_;
  QStackedLayout* stack_;
};

}  // namespace softscope
