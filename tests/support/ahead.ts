// Preloaded into each thread of a wallet process. Its time is ahead of the machine's by TEST_AHEAD_MS. A
// thread gets the environment of the moment it starts.
const machineNow = Date.now;
Date.now = () => machineNow() + Number(process.env.TEST_AHEAD_MS ?? 0);
