// Preloaded into each thread of a wallet process: its time is ahead of the machine's by TEST_AHEAD_MS. Threads get the
// environment of the moment they start.
const machineNow = Date.now;
Date.now = () => machineNow() + Number(process.env.TEST_AHEAD_MS ?? 0);
