/** How a person likes it: looks, language, time zone, defaults, and keys for programs. */

import { ChevronDown, Monitor, Moon, Sun } from "lucide-react";
import type { ReactNode } from "react";

import { Dialog } from "../../components/dialog";
import { INPUT } from "../../components/field";
import { Segmented } from "../../components/segmented";
import { Switch } from "../../components/switch";
import { toast } from "../../components/toaster";
import { useText } from "../../lib/i18n";
import { useAccount } from "../../transport/account";
import type { Settings } from "../../transport/api-types";
import { chosenModel, useDirectory } from "../../transport/directory";
import { changeSettings } from "../../transport/lifecycle";
import { asProblem } from "../../transport/problem";
import { ApiKeys } from "./api-keys";
import { NotificationSwitch } from "./notification-switch";

const ZONES: readonly string[] = [
  "UTC",
  ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC"),
];

const change = (wish: Partial<Settings>): void => {
  changeSettings(wish).catch((error: unknown) => toast(asProblem(error).detail, "danger"));
};

const SettingsDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const t = useText();
  const settings = useAccount((state) => state.me?.settings);
  const { agents, models } = useDirectory();
  if (settings === undefined) return null;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t.settings.title}
      closeLabel={t.common.close}
      className="max-w-xl!"
    >
      <div className="divide-line flex flex-col divide-y [&>*]:py-4 [&>*:first-child]:pt-1 [&>*:last-child]:pb-0">
        <Line label={t.settings.theme}>
          <Segmented
            label={t.settings.theme}
            value={settings.theme}
            onChange={(theme) => change({ theme })}
            options={[
              { value: "light", label: t.settings.themes.light, icon: <Sun className="size-3.5" /> },
              { value: "dark", label: t.settings.themes.dark, icon: <Moon className="size-3.5" /> },
              { value: "system", label: t.settings.themes.system, icon: <Monitor className="size-3.5" /> },
            ]}
          />
        </Line>
        <Line label={t.settings.language}>
          <Segmented
            label={t.settings.language}
            value={settings.language}
            onChange={(language) => change({ language })}
            options={[
              { value: "en", label: "English" },
              { value: "es", label: "Español" },
            ]}
          />
        </Line>
        <Line label={t.settings.timezone}>
          <Choice
            label={t.settings.timezone}
            value={settings.timezone}
            onChange={(timezone) => change({ timezone })}
          >
            {(ZONES.includes(settings.timezone) ? ZONES : [settings.timezone, ...ZONES]).map((zone) => (
              <option key={zone}>{zone}</option>
            ))}
          </Choice>
        </Line>
        <Line label={t.settings.defaultAgent}>
          <Choice
            label={t.settings.defaultAgent}
            value={settings.default_agent_id ?? ""}
            onChange={(id) => change({ default_agent_id: id === "" ? null : id })}
          >
            <option value="">{t.composer.team}</option>
            {agents.map((agent) => (
              <option key={agent.agent_id} value={agent.agent_id}>
                {agent.name}
              </option>
            ))}
          </Choice>
        </Line>
        {models.length > 1 && (
          <Line label={t.settings.model}>
            <Choice
              label={t.settings.model}
              value={chosenModel(models, settings.model)}
              onChange={(name) => change({ model: name === models[0] ? null : name })}
            >
              {models.map((name) => (
                <option key={name} value={name}>
                  {name.slice(name.indexOf(":") + 1)}
                </option>
              ))}
            </Choice>
          </Line>
        )}
        <Switch
          label={t.settings.thinking}
          hint={t.settings.thinkingHint}
          isOn={settings.enable_thinking}
          onChange={(enable_thinking) => change({ enable_thinking })}
        />
        <NotificationSwitch
          isOn={settings.notifications}
          onChange={(notifications) => change({ notifications })}
        />
        <ApiKeys />
      </div>
    </Dialog>
  );
};

export default SettingsDialog;

const Line = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
    <span className="text-sm font-medium">{label}</span>
    {children}
  </div>
);

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly children: ReactNode;
}

const Choice = ({ label, value, onChange, children }: ChoiceProps) => (
  <span className="relative">
    <select
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className={`${INPUT} h-9 w-60! appearance-none pr-9 font-medium`}
    >
      {children}
    </select>
    <ChevronDown
      aria-hidden="true"
      className="text-faint pointer-events-none absolute top-2.5 right-3 size-4"
    />
  </span>
);
