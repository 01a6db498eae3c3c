// Keeps one folder of the program in the browser's storage. Only one tab at a time does: two would delete each other's.
const NAME = "kraft-workbench storage", REST_MS = 5000, REST_MAX_MS = 15_000, SHARE = 20;

function locked() {
  if (!navigator.locks) return Promise.resolve(true);
  return new Promise((resolve) => navigator.locks.request(NAME, { ifAvailable: true }, (lock) => {
    resolve(lock !== null);
    return lock && new Promise(() => {}); // held until the worker ends
  }));
}

const synced = (FS, fromBrowser) =>
  new Promise((resolve, reject) => FS.syncfs(fromBrowser, (error) => (error ? reject(error) : resolve())));

// What keeps the folder now: a function. say: tells the learner, in one sentence, why nothing can be kept.
export async function begin(FS, folder, say) {
  const memory = async () => {};
  if (!(await locked())) {
    say("Another tab keeps runs and progress: what is played in this one is gone when it is closed. Export keeps it.");
    return memory;
  }
  try {
    FS.mount(FS.filesystems.IDBFS, {}, folder);
    await synced(FS, true);
  } catch {
    say("This browser keeps nothing for this page: what is played is gone when the tab is closed. Export keeps it.");
    return memory;
  }
  let running = null, refused = false;
  async function write() {
    const began = performance.now();
    try {
      await synced(FS, false);
      if (refused) say("");
      refused = false;
    } catch {
      if (!refused) say("The browser's storage is full: the run goes on, but is not kept. Export it, or delete old runs.");
      refused = true;
    }
    return performance.now() - began;
  }
  const keep = () => (running ??= write().finally(() => { running = null; }));
  const again = async () => setTimeout(again, Math.min(REST_MAX_MS, Math.max(REST_MS, SHARE * (await keep()))));
  setTimeout(again, REST_MS);
  return async () => { await running; await keep(); };
}
