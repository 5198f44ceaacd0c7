import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

/** Modules of the bench that run in processes of their own. */
export type ChildModule = 'bare-cashu' | 'bare-express' | 'bare-http' | 'health-sampler' | 'loop-probe';

/** The temp directory of one run, and what stands in it. */
export interface Workspace {
  /** An absolute path in it. */
  path(...names: string[]): string;
  /** The built headless server, as a copy: a build by somebody else must not pull it from under a measurement. */
  builtServer(): string;
  /**
   * A child module as plain JavaScript. Type stripping costs Node 0.1 s at each start, which would be counted against
   * the bare servers and not against ours, which is built.
   */
  plainModule(name: ChildModule): string;
  /** The built shell beside the built server, and a module to load before it: the double of Electron. */
  builtDesktop(): { module: string; double: string };
  remove(): void;
}

/** Makes the temp directory. The caller removes it. */
export const makeWorkspace = (): Workspace => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'dot-mi-bench-')));
  const path = (...names: string[]) => join(directory, ...names);

  // Without it Node guesses the module type of each file, which takes time too.
  writeFileSync(path('package.json'), '{ "type": "module" }\n');
  // Resolved to its real place, so the bare servers load Express from node_modules as any app does.
  symlinkSync(join(PROJECT, 'node_modules'), path('node_modules'), 'dir');

  return {
    path,

    builtServer() {
      cpSync(join(PROJECT, 'out', 'main'), path('out', 'main'), { recursive: true });
      cpSync(join(PROJECT, 'out', 'renderer'), path('out', 'renderer'), { recursive: true });
      cpSync(join(PROJECT, 'resources'), path('resources'), { recursive: true });
      return path('out', 'main', 'headless.cjs');
    },

    plainModule(name) {
      const source = readFileSync(new URL(`./${name}.ts`, import.meta.url), 'utf8');
      const { outputText } = ts.transpileModule(source, {
        compilerOptions: {
          target: ts.ScriptTarget.ES2024,
          module: ts.ModuleKind.ESNext,
          verbatimModuleSyntax: true,
        },
      });
      mkdirSync(path('bench'), { recursive: true });
      writeFileSync(path('bench', `${name}.js`), outputText);
      return path('bench', `${name}.js`);
    },

    builtDesktop() {
      cpSync(join(PROJECT, 'out', 'preload'), path('out', 'preload'), { recursive: true });
      mkdirSync(path('electron'), { recursive: true });
      const sources = new URL('../support/electron/', import.meta.url);
      for (const name of readdirSync(sources).filter((each) => each.endsWith('.ts'))) {
        const { outputText } = ts.transpileModule(readFileSync(new URL(name, sources), 'utf8'), {
          compilerOptions: {
            target: ts.ScriptTarget.ES2024,
            module: ts.ModuleKind.ESNext,
            verbatimModuleSyntax: true,
            rewriteRelativeImportExtensions: true,
          },
        });
        writeFileSync(path('electron', name.replace(/\.ts$/, '.js')), outputText);
      }
      return { module: path('out', 'main', 'index.cjs'), double: path('electron', 'register.js') };
    },

    remove: () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }),
  };
};
