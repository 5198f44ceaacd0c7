// Preloaded into a server on Linux: it takes the way of systems where an open directory has no path.
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const { existsSync } = fs;
fs.existsSync = (path) => path !== '/proc/self/fd' && existsSync(path);
syncBuiltinESMExports();
