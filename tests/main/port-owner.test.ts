import { createServer } from 'node:net';
import { isAbsolute, win32 } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findListener, type System } from '../../src/main/port-owner.ts';

/** `netstat -ano`, in the words that Windows has for its columns and states in a language. */
const netstat = (words: { title: string; columns: string; listening: string; established: string }) =>
  [
    '',
    words.title,
    '',
    words.columns,
    '  TCP    0.0.0.0:135            0.0.0.0:0              LISTENING       1144',
    '  TCP    127.0.0.1:49801        127.0.0.1:8000         ESTABLISHED     3002',
    '  TCP    127.0.0.1:8000         127.0.0.1:49801        ESTABLISHED     3003',
    '  TCP    127.0.0.1:18000        0.0.0.0:0              LISTENING       3004',
    '  TCP    127.0.0.1:8000         0.0.0.0:0              LISTENING       9920',
    '  TCP    [::]:445               [::]:0                 LISTENING       4',
    '  TCP    [::1]:8001             [::]:0                 LISTENING       3005',
    '  UDP    0.0.0.0:8002           *:*                                    3006',
    '',
  ]
    .join('\r\n')
    .replaceAll('LISTENING', words.listening.padEnd(9))
    .replaceAll('ESTABLISHED', words.established.padEnd(11));

const ENGLISH = netstat({
  title: 'Active Connections',
  columns: '  Proto  Local Address          Foreign Address        State           PID',
  listening: 'LISTENING',
  established: 'ESTABLISHED',
});

/** Printed in code page 850 and read as UTF-8, so the umlaut is lost. */
const GERMAN = netstat({
  title: 'Aktive Verbindungen',
  columns: '  Proto  Lokale Adresse         Remoteadresse          Status           PID',
  listening: 'ABH\uFFFDREN',
  established: 'HERGESTELLT',
});

/** A Windows of a language; what runs there is written down. */
const windows = (connections: string, noTask: string) => {
  const asked: { file: string; args: readonly string[] }[] = [];
  const system: System = {
    platform: 'win32',
    systemRoot: 'C:\\Windows',
    async run(file, args) {
      asked.push({ file, args });
      if (file.endsWith('netstat.exe')) return connections;
      const pid = /^PID eq (\d+)$/.exec(args[1] ?? '')?.[1];
      const names: Record<string, string> = { 9920: 'node.exe', 3005: 'python.exe' };
      const name = names[pid ?? ''];
      return name ? `"${name}","${pid}","Console","1","45.120 K"\r\n` : `${noTask}\r\n`;
    },
  };
  return { system, asked };
};

const LANGUAGES = {
  English: [ENGLISH, 'INFO: No tasks are running which match the specified criteria.'],
  German: [GERMAN, 'INFORMATION: Es werden keine Aufgaben mit den angegebenen Kriterien ausgef\uFFFDhrt.'],
} as const;

test.each(Object.entries(LANGUAGES))(
  'on a Windows in %s the owner is the program that listens, not one that is connected to the port or from it',
  async (_language, [connections, noTask]) => {
    const { system } = windows(connections, noTask);
    expect(await findListener(8000, system)).toBe('node.exe (process 9920)');
    expect(await findListener(8001, system)).toBe('python.exe (process 3005)');
    // Nobody; only by UDP; and somebody who is gone, or another person's.
    for (const port of [49_801, 8002, 135]) expect(await findListener(port, system)).toBeUndefined();
  },
);

test('Windows’ own programs are used, whatever PATH and the current folder contain', async () => {
  const { system, asked } = windows(...LANGUAGES.English);
  await findListener(8000, { ...system, systemRoot: 'D:\\WINNT' });
  expect(asked.map(({ file }) => file)).toEqual([
    'D:\\WINNT\\System32\\netstat.exe',
    'D:\\WINNT\\System32\\tasklist.exe',
  ]);
  for (const { file } of asked) expect(win32.isAbsolute(file)).toBe(true);
});

test('on macOS the system’s own lsof says which program listens', async () => {
  const files: string[] = [];
  const system = (fields: string): System => ({
    platform: 'darwin',
    systemRoot: '',
    async run(file) {
      files.push(file);
      return fields;
    },
  });
  expect(await findListener(8000, system('p4711\ncControlCenter\nf10\nf11\n'))).toBe(
    'ControlCenter (process 4711)',
  );
  expect(await findListener(8000, system(''))).toBeUndefined();
  for (const file of files) expect(isAbsolute(file)).toBe(true);
});

test('on Linux no program runs, because the kernel knows', async ({ skip }) => {
  skip(process.platform !== 'linux', 'only Linux has such a kernel');
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void listener.close());
  const address = listener.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const system: System = {
    platform: 'linux',
    systemRoot: '',
    run: async (file) => {
      throw new Error(`asked ${file}`);
    },
  };
  expect(await findListener(port, system)).toMatch(new RegExp(`^.+ \\(process ${process.pid}\\)$`));
});
