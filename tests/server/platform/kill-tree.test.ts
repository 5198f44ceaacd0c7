import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { killTree, type ProcessSystem } from '../../../src/server/platform/run-process.ts';

test('on Windows the system’s own taskkill ends a process and its children, whatever PATH and the current folder contain', () => {
  const started: unknown[] = [];
  const system: ProcessSystem = {
    platform: 'win32',
    systemRoot: 'D:\\WINNT',
    start: (file, args) => started.push([file, args]),
  };
  killTree(4711, system);
  expect(started).toEqual([['D:\\WINNT\\System32\\taskkill.exe', ['/pid', '4711', '/t', '/f']]]);
});

test('elsewhere no program is started: the process group gets a signal, and a missing group is fine', async (context) => {
  if (process.platform === 'win32') context.skip('Windows has no process groups');
  const system: ProcessSystem = {
    platform: process.platform,
    systemRoot: '',
    start: (file) => {
      throw new Error(`${file} was started`);
    },
  };
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    detached: true,
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  await once(child, 'spawn');
  killTree(Number(child.pid), system);
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(() => killTree(Number(child.pid), system)).not.toThrow();
});
