/** Notifications: the person wants them, and this browser has to allow them. */

import { Switch } from "../../components/switch";
import { toast } from "../../components/toaster";
import { useText } from "../../lib/i18n";
import { areAllowed, askForNotifications } from "../../lib/notifications";

export interface NotificationSwitchProps {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export const NotificationSwitch = ({ isOn, onChange }: NotificationSwitchProps) => {
  const t = useText();
  const turn = async (isWanted: boolean): Promise<void> => {
    if (!isWanted || (await askForNotifications())) onChange(isWanted);
    else toast(t.notifications.denied, "danger");
  };
  return (
    <Switch
      label={t.notifications.label}
      hint={t.notifications.hint}
      // Wanted elsewhere but not allowed by this browser, they are off here: turning them on asks it.
      isOn={isOn && areAllowed()}
      onChange={(isWanted) => void turn(isWanted)}
    />
  );
};
