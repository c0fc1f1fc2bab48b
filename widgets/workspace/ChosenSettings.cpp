#include "widgets/workspace/ChosenSettings.h"

#include "core/model/SettingOption.h"
#include "widgets/workspace/OpenedModel.h"

namespace softscope {

void chooseHeads(ModelRequest& request, const HeadCounts& heads, const OpenedModel& opened) {
  const NetworkSetting* shown = opened.summary().setting("heads");
  const bool isShown = shown && shown->value == heads.text();
  request.heads = isShown ? opened.request.heads : heads;
}

void chooseSetting(ModelRequest& request, const std::string& option, const std::string& value,
                   const OpenedModel& opened) {
  // How many were trained, where the file does not tell.
  if (option == "landmarks") return setOption(request, option, value);
  const SettingOption* chosen = findSettingOption(option);
  if (!chosen) return;
  const NetworkSetting* shown = opened.summary().setting(option);
  const bool isShown = shown && shown->value == value;
  request.*chosen->value = isShown ? opened.request.*chosen->value : value;
}

}  // namespace softscope
