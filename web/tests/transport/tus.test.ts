/** Uploads that resume: what is asked in which order, whatever the network does (P-34). */

import { describe, expect, test } from "vitest";

import {
  type Answer,
  type Exchange,
  metadataOf,
  sendFile,
  UploadRefusedError,
} from "../../src/transport/tus";

const MEBIBYTE = 1024 * 1024;

const answer = (status: number, offset: number | null = null, body: unknown = null): Answer => ({
  status,
  header: (name) => (name === "Upload-Offset" && offset !== null ? String(offset) : null),
  body,
});

const announced = answer(201, 0, { file_id: "F1" });

/** Sends a file through a network that answers as it is told. */
const sent = async (size: number, fileId: string | null, answers: readonly Answer[]) => {
  const asked: string[] = [];
  const waits: number[] = [];
  let next = 0;
  const exchange = async ({ method, headers, body }: Exchange): Promise<Answer> => {
    const at = headers["Upload-Offset"];
    asked.push(method === "PATCH" ? `PATCH ${at}+${body?.size}` : method);
    return answers[next++] ?? answer(0);
  };
  const id = await sendFile(new File([new Uint8Array(size)], "a.bin"), "", fileId, {
    exchange,
    wait: async (milliseconds) => void waits.push(milliseconds),
    isStopped: () => next > answers.length,
    onAnnounced: () => undefined,
    onSent: () => undefined,
  });
  return { id, asked, waits };
};

describe("an upload", () => {
  test("is announced and sent in parts", async () => {
    const { id, asked } = await sent(5 * MEBIBYTE, null, [
      announced,
      answer(204, 4 * MEBIBYTE),
      answer(204, 5 * MEBIBYTE),
    ]);
    expect(id).toBe("F1");
    expect(asked).toEqual(["POST", `PATCH 0+${4 * MEBIBYTE}`, `PATCH ${4 * MEBIBYTE}+${MEBIBYTE}`]);
  });

  test("asks where the server stands after a loss, and goes on from there", async () => {
    const { id, asked, waits } = await sent(100, null, [
      announced,
      answer(0),
      answer(200, 60),
      answer(204, 100),
    ]);
    expect(id).toBe("F1");
    expect(asked).toEqual(["POST", "PATCH 0+100", "HEAD", "PATCH 60+40"]);
    expect(waits).toHaveLength(1);
  });

  test("waits longer the longer nobody answers", async () => {
    const silence = Array.from({ length: 6 }, () => answer(0));
    const { waits } = await sent(10, null, [...silence, announced, answer(204, 10)]);
    expect(waits).toHaveLength(6);
    expect(waits[5] ?? 0).toBeGreaterThan((waits[0] ?? 0) * 4);
  });

  test("goes on after a reload with what the server has", async () => {
    const { id, asked } = await sent(100, "F1", [answer(200, 30), answer(204, 100)]);
    expect(id).toBe("F1");
    expect(asked).toEqual(["HEAD", "PATCH 30+70"]);
  });

  test("that is whole already is not sent again", async () => {
    expect((await sent(100, "F1", [answer(200, 100)])).asked).toEqual(["HEAD"]);
  });

  test("that stands elsewhere than thought asks again", async () => {
    const { asked } = await sent(100, null, [announced, answer(409), answer(200, 50), answer(204, 100)]);
    expect(asked).toEqual(["POST", "PATCH 0+100", "HEAD", "PATCH 50+50"]);
  });

  test.each([400, 404, 413, 422])("that is refused with %i is not tried again", async (status) => {
    await expect(sent(10, null, [answer(status)])).rejects.toBeInstanceOf(UploadRefusedError);
  });

  test("of a file that was deleted meanwhile is refused", async () => {
    await expect(sent(10, "F1", [answer(404)])).rejects.toBeInstanceOf(UploadRefusedError);
  });

  test("ends quietly when it is stopped", async () => {
    expect((await sent(10, null, [])).id).toBeNull();
  });
});

test("names of any language are sent as base64, empty ones not at all", () => {
  expect(metadataOf({ filename: "año €.pdf", folder: "" })).toBe("filename YcOxbyDigqwucGRm");
});
