import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };

interface Entry {
  optional?: boolean;
  optionalDependencies?: Record<string, string>;
}

const text = readFileSync(fileURLToPath(new URL('../../package-lock.json', import.meta.url)), 'utf8');
const packages: Record<string, Entry> = JSON.parse(text).packages;

test('the lock has the package of every system, which npm 11 would add to it', () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`],
    ),
  );
  expect(missing).toEqual([]);
});

test('the lock has no field that npm 10 would remove, and names no registry', () => {
  expect(text).not.toMatch(/"(libc|resolved)":/);
});

test('npm install works on a system that the package node has no binary for', () => {
  expect(packageJson.devDependencies).not.toHaveProperty('node');
  expect(packages['node_modules/node']?.optional).toBe(true);
});
