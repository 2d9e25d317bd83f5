/** The browser's notifications: whether they are allowed here, and showing one. */

/** Whether this browser shows notifications of this page. */
export const areAllowed = (): boolean => "Notification" in window && Notification.permission === "granted";

/** Ask the person; whether they are allowed from now on. A browser without notifications allows none. */
export const askForNotifications = async (): Promise<boolean> =>
  "Notification" in window && (await Notification.requestPermission()) === "granted";

export interface Note {
  readonly title: string;
  readonly body: string;
  /** Of several with the same subject only the last is shown, also by several tabs. */
  readonly subject: string;
  readonly onClick: () => void;
}

/** Show a notification if the page is hidden and may show one. A click brings the page back. */
export const notify = ({ title, body, subject, onClick }: Note): void => {
  if (document.visibilityState !== "hidden" || !areAllowed()) return;
  try {
    const shown = new Notification(title, { body, tag: subject, icon: "/icon.svg" });
    shown.onclick = () => {
      window.focus();
      onClick();
      shown.close();
    };
  } catch {
    // Browsers of some phones allow notifications to installed applications alone.
  }
};
