/** One request that tells how much of its body has left: `fetch` cannot. */

import type { Answer, Exchange } from "./tus";

/** Ask, with the headers of the session; a network that fails is an answer with the status 0. */
export const exchangeOver =
  (session: () => Readonly<Record<string, string>>, started: (request: XMLHttpRequest) => void) =>
  ({ method, path, headers, body, onSent }: Exchange): Promise<Answer> =>
    new Promise((resolve) => {
      const request = new XMLHttpRequest();
      request.open(method, path);
      for (const [name, value] of Object.entries({ ...session(), ...headers }))
        request.setRequestHeader(name, value);
      request.upload.onprogress = (event) => onSent?.(event.loaded);
      request.onloadend = () =>
        resolve({
          status: request.status,
          header: (name) => request.getResponseHeader(name),
          body: parsed(request.responseText),
        });
      started(request);
      request.send(body ?? null);
    });

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
