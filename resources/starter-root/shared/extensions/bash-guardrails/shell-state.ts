/** Follows `cd`, assignments and `for` loops through a script, as far as they can be read without running it. */
import { posix } from 'node:path';
import type { Scope, SimpleCommand } from './shell-words.ts';
import { operands } from './wrappers.ts';

/** Where the command would run; absolute paths. */
export interface Place {
  home: string;
  cwd: string;
}

/** A directory the script may be in; undefined where only running it would show. */
export type Directory = string | undefined;

interface Memory {
  /** The directory after every `cd` worked, and the one where those that nothing checks failed. */
  directories?: [Directory, Directory];
  /** The directory to be in when the first `cd` of an `a && b` list failed. */
  ifListFails?: { directory: Directory };
  variables: Map<string, string[]>;
  stopsOnErrors?: boolean;
}

/** A word that stands for more than so many is taken as it is written. */
const MAX_WORDS = 200;
const MAX_WORD = 1000;
const DECLARES = new Set(['export', 'local', 'declare', 'readonly', 'typeset']);
const READS = new Set(['read', 'mapfile', 'readarray', 'unset']);

export class ShellState {
  readonly place: Place;
  readonly #memories = new Map<Scope, Memory>();

  constructor(place: Place) {
    this.place = place;
  }

  /** Where commands of `scope` run: one directory, or two where a `cd` may have failed. */
  directories(scope: Scope): Directory[] {
    return [...new Set(this.#directories(scope))];
  }

  /** Every word that `word` becomes by braces and known variables; none where those are empty. */
  expand(word: string, scope: Scope): string[] {
    return this.#expand(word, scope).filter((each) => each !== '');
  }

  /** Notes what `command` changes for those after it. `words` is its call without wrappers. */
  follow(command: SimpleCommand, words: string[]): void {
    const { scope, end } = command;
    const memory = this.#memory(scope);
    const [name = '', ...args] = words;
    if (name === 'for' && args[1] === 'in') this.#assign(scope, args[0] ?? '', args.slice(2));
    else if (name === '') this.#assignAll(scope, command.words);
    else if (DECLARES.has(name)) this.#assignAll(scope, args);
    else if (READS.has(name)) for (const each of operands(args)) this.#assign(scope, each, []);
    else if (name === 'set' && /^-[a-z]*e/.test(args[0] ?? '')) memory.stopsOnErrors = true;
    else if (name === 'cd' || name === 'pushd' || name === 'popd') {
      this.#changeDirectory(memory, this.#targetOf(name, args, scope), command);
    }
    if (end === ';' && memory.ifListFails) {
      memory.directories = [this.#directories(scope)[0], memory.ifListFails.directory];
      delete memory.ifListFails;
    }
  }

  #expand(word: string, scope: Scope): string[] {
    return expandBraces(word).flatMap((each) => this.#expandVariables(each, scope));
  }

  #memory(scope: Scope): Memory {
    const memory = this.#memories.get(scope) ?? { variables: new Map() };
    this.#memories.set(scope, memory);
    return memory;
  }

  #directories(scope: Scope | undefined): [Directory, Directory] {
    if (!scope) return [this.place.cwd, this.place.cwd];
    return this.#memories.get(scope)?.directories ?? this.#directories(scope.parent);
  }

  #variable(name: string, scope: Scope | undefined): string[] | undefined {
    if (!scope) return undefined;
    return this.#memories.get(scope)?.variables.get(name) ?? this.#variable(name, scope.parent);
  }

  /** The word that `cd` was given, or undefined where it cannot be known. */
  #targetOf(name: string, args: string[], scope: Scope): string | undefined {
    const [target = name === 'cd' ? '~' : undefined] = operands(args);
    if (name === 'popd' || target === undefined || args.includes('-')) return undefined;
    const [word, ...more] = this.expand(target, scope);
    return word === undefined || more.length > 0 || /\$(?!HOME\b|PWD\b|\{HOME|\{PWD\})/.test(word)
      ? undefined
      : word;
  }

  #changeDirectory(memory: Memory, target: string | undefined, { end, scope }: SimpleCommand): void {
    const before = this.#directories(scope);
    const go = (from: Directory): Directory =>
      target === undefined ? undefined : resolveWord(target, from, this.place);
    if (end === '&&' && !memory.stopsOnErrors) memory.ifListFails ??= { directory: before[1] };
    // "cd x || exit" and "set -e" leave no way to go on in the old directory.
    const isChecked = end === '&&' || end === '||' || memory.stopsOnErrors;
    memory.directories = [go(before[0]), isChecked ? go(before[1]) : before[1]];
  }

  #assignAll(scope: Scope, words: string[]): void {
    for (const word of words) {
      const [, name, value] = /^(\w+)=(.*)$/s.exec(word) ?? [];
      if (name !== undefined) this.#assign(scope, name, [value ?? '']);
    }
  }

  #assign(scope: Scope, name: string, words: string[]): void {
    const values = words.length > MAX_WORDS ? [] : words.flatMap((word) => this.#expand(word, scope));
    const isKnown =
      values.length <= MAX_WORDS &&
      values.every((value) => value.length <= MAX_WORD && !value.includes('$('));
    // An unknown value stays as it is written: "$NAME".
    this.#memory(scope).variables.set(name, isKnown && values.length > 0 ? values : [`$${name}`]);
  }

  #expandVariables(word: string, scope: Scope): string[] {
    if (word.length > MAX_WORD || !word.includes('$')) return [word];
    let words = [''];
    for (const part of word.split(/(\$\w+|\$\{\w+\})/)) {
      const name = /^\$\{?(\w+)\}?$/.exec(part)?.[1];
      const values = (name === undefined ? undefined : this.#variable(name, scope)) ?? [part];
      if (words.length * values.length > MAX_WORDS) return [word];
      words = words.flatMap((start) => values.map((value) => start + value));
    }
    return words;
  }
}

const ALTERNATIVES = /(?<!\$)\{([^{}]*,[^{}]*)\}/;

function expandBraces(word: string): string[] {
  if (word.length > MAX_WORD || !word.includes('{')) return [word];
  let words = [word];
  for (;;) {
    let hasMore = false;
    const next = words.flatMap((each) => {
      const match = ALTERNATIVES.exec(each);
      if (!match) return [each];
      hasMore = true;
      const [start, end] = [each.slice(0, match.index), each.slice(match.index + match[0].length)];
      return (match[1] ?? '').split(',').map((alternative) => start + alternative + end);
    });
    if (!hasMore) return words;
    if (next.length > MAX_WORDS) return [word];
    words = next;
  }
}

/** The absolute path that `word` means in `directory`; undefined where that is needed and not known. */
export function resolveWord(word: string, directory: Directory, { home }: Place): Directory {
  const path = word
    .replace(/^(~|\$HOME|\$\{HOME(:?[-?=][^}]*)?\})(?=\/|$)/, () => home)
    .replace(/^~(?=\w)/, () => `${posix.dirname(home)}/`)
    .replace(/^(\$PWD|\$\{PWD\})(?=\/|$)/, '.');
  if (path.startsWith('/')) return posix.resolve(path);
  return directory === undefined ? undefined : posix.resolve(directory, path);
}
