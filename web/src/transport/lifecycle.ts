/** Arriving, signing in and leaving: what has to start and stop around a person. */

import { speak, spoken } from "../lib/i18n";
import { forgetAll, recall, remember } from "../lib/storage";
import { applyTheme } from "../lib/theme";
import { useAccount } from "./account";
import { api } from "./api";
import type { Me, Settings } from "./api-types";
import { EMPTY_INBOX, followInbox, useInbox } from "./approvals";
import { forgetChannels } from "./channel";
import { forgetCompanies, loadCompanies } from "./companies";
import { loadDirectory } from "./directory";
import { EMPTY_LIST } from "./listed-sessions";
import { ProblemError } from "./problem";
import { changeOutbox, startSending } from "./sending";
import { followSessions, searchSessions, useSessionList } from "./session-list";
import { connect, disconnect } from "./socket";
import { forgetTransfers, restoreTransfers } from "./transfers";

export const DRAFTS = "batuta.draft.";

let stops: readonly (() => void)[] = [];

/** Ask the server what it is and who we are. */
export const arrive = async (): Promise<void> => {
  try {
    const [meta, me] = await Promise.all([api.meta(), whoAmI()]);
    useAccount.getState().welcome(meta, me);
    if (me !== null) begin(me);
  } catch {
    useAccount.getState().fail();
  }
};

const whoAmI = async (): Promise<Me | null> => {
  try {
    return await api.me();
  } catch (error) {
    if (error instanceof ProblemError && error.problem.status === 401) return null;
    throw error;
  }
};

/** A user signed in. Another person than before starts with nothing of theirs. */
export const enter = (me: Me): void => {
  const before = useAccount.getState().me?.user.user_id;
  if (before !== undefined && before !== me.user.user_id) forgetPerson();
  useAccount.getState().enter(me);
  const adopting = adopt(me);
  begin(useAccount.getState().me ?? me);
  void adopting;
};

const begin = ({ settings }: Me): void => {
  for (const stop of stops) stop();
  disconnect();
  applySettings(settings);
  connect();
  stops = [startSending(), followSessions(), followInbox()];
  restoreTransfers();
  void loadDirectory();
  void loadCompanies();
  void searchSessions("", false);
};

const ADOPTED = "batuta.adopted.";

/** An account that still has the settings it was made with takes language and time zone from the browser, once. */
export const adoptions = (
  settings: Settings,
  browser: Pick<Settings, "language" | "timezone">,
): Partial<Settings> => ({
  ...(settings.language === "en" && browser.language !== "en" ? { language: browser.language } : {}),
  ...(settings.timezone === "UTC" && browser.timezone !== "UTC" ? { timezone: browser.timezone } : {}),
});

const adopt = async ({ user, settings }: Me): Promise<void> => {
  const key = `${ADOPTED}${user.user_id}`;
  if (recall(key, false)) return;
  remember(key, true);
  const browser = { language: spoken(), timezone: Intl.DateTimeFormat().resolvedOptions().timeZone };
  const wish = adoptions(settings, browser);
  if (Object.keys(wish).length > 0) await changeSettings(wish).catch(() => undefined);
};

/** Sign out and leave nothing behind on this machine. */
export const leave = async (): Promise<void> => {
  await api.logout();
  for (const stop of stops) stop();
  stops = [];
  disconnect();
  forgetPerson();
  useAccount.getState().leave();
};

const forgetPerson = (): void => {
  changeOutbox(() => []);
  forgetChannels();
  forgetAll(DRAFTS);
  forgetTransfers();
  forgetCompanies();
  useSessionList.setState(EMPTY_LIST, true);
  useInbox.setState(EMPTY_INBOX, true);
};

const applySettings = (settings: Settings): void => {
  applyTheme(settings.theme);
  speak(settings.language, settings.timezone);
};

/** Change settings at once; a server that refuses gets the old ones back. */
export const changeSettings = async (wish: Partial<Settings>): Promise<void> => {
  const { me, setSettings } = useAccount.getState();
  if (me === null) return;
  const show = (settings: Settings): void => {
    setSettings(settings);
    applySettings(settings);
  };
  show({ ...me.settings, ...wish });
  try {
    show({ ...me.settings, ...wish, ...(await api.saveSettings(wish)) });
  } catch (error) {
    show(me.settings);
    throw error;
  }
};
