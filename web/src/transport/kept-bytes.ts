/** The bytes of files on their way, kept by the browser so that an upload survives a reload. */

const NAME = "batuta";
const STORE = "uploads";
/** Above this a copy costs more than choosing the file again. */
const MOST_BYTES = 256 * 1024 * 1024;

const opened = (): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const within = async <T>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> => {
  const database = await opened();
  try {
    return await new Promise((resolve, reject) => {
      const request = act(database.transaction(STORE, mode).objectStore(STORE));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  } finally {
    database.close();
  }
};

/** Keep a file; a browser that refuses forgets it, and it has to be chosen again. */
export const keepBytes = async (id: string, file: File): Promise<void> => {
  if (file.size <= MOST_BYTES)
    await within("readwrite", (store) => store.put(file, id)).catch(() => undefined);
};

export const keptBytes = async (id: string): Promise<File | null> =>
  (await within<File | undefined>("readonly", (store) => store.get(id)).catch(() => undefined)) ?? null;

export const forgetBytes = async (id: string): Promise<void> => {
  await within("readwrite", (store) => store.delete(id)).catch(() => undefined);
};
