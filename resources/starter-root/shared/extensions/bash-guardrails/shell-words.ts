/**
 * Reads a bash command far enough to know which programs it calls with which words, so that
 * `echo "rm -rf /"` is text and `sudo rm -r -f "/"` is not. Nothing is expanded or run.
 */

/** One call of a program. */
export interface SimpleCommand {
  /** Its words, quotes and backslashes removed; variables and globs as written. */
  words: string[];
  /** Files it writes to through `>` and its relatives. */
  writesTo: string[];
  /** Text it reads from a here-document or here-string. */
  input: string;
  /** Programs before it in the pipe. */
  pipedFrom: string[];
  /** Programs inside the `$(…)` and `<(…)` of its words; in `words` each of these reads `$()`. */
  substitutes: string[];
}

/** All calls in `script`, those inside `$(…)`, backticks, subshells and groups too. */
export function readCommands(script: string): SimpleCommand[] {
  const reader = new Reader(script);
  reader.readList('');
  return reader.commands.filter((command) => command.words.length > 0 || command.writesTo.length > 0);
}

type Role = 'words' | 'writesTo' | 'input' | 'readsFrom' | 'heredoc' | 'tabbedHeredoc';

/** What the list being read has got so far. */
interface List {
  command: SimpleCommand;
  /** The word being read. An empty string is a word too (`""`). */
  word: string | undefined;
  /** What the next word is to its command. */
  role: Role;
  heredocs: { command: SimpleCommand; delimiter: string; stripsTabs: boolean }[];
}

const newCommand = (pipedFrom: string[] = []): SimpleCommand => ({
  words: [],
  writesTo: [],
  input: '',
  pipedFrom,
  substitutes: [],
});

class Reader {
  readonly commands: SimpleCommand[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads commands up to `closer`, which it steps over, or to the end of the text. */
  readList(closer: string): void {
    const list: List = { command: newCommand(), word: undefined, role: 'words', heredocs: [] };
    while (this.#at < this.#text.length) {
      if (closer !== '' && this.#take(closer)) break;
      this.#readOne(list);
    }
    this.#endCommand(list);
  }

  #readOne(list: List): void {
    if (this.#take('\\\n')) return; // joins two lines
    if (this.#take('\\')) list.word = (list.word ?? '') + this.#next();
    else if (this.#take("'")) list.word = (list.word ?? '') + this.#upTo("'");
    else if (this.#take('"')) this.#readDoubleQuotes(list);
    else if (this.#take('$(') || this.#take('<(') || this.#take('>(')) this.#substitute(list, ')');
    else if (this.#take('`')) this.#substitute(list, '`');
    else if (list.word === undefined && this.#sees('#')) this.#at = this.#find('\n');
    else if (this.#take(' ') || this.#take('\t')) this.#endWord(list);
    else if (this.#take('\n')) this.#endLine(list);
    else if (this.#readRedirection(list)) return;
    else if (this.#readOperator(list)) return;
    else list.word = (list.word ?? '') + this.#next();
  }

  #readDoubleQuotes(list: List): void {
    list.word ??= '';
    while (this.#at < this.#text.length && !this.#take('"')) {
      if (this.#take('\\\n')) continue;
      if (this.#take('$(')) this.#substitute(list, ')');
      else if (this.#take('`')) this.#substitute(list, '`');
      // Between quotes a backslash is a plain character unless it protects one of these.
      else if (/^\\[$`"\\]/.test(this.#ahead(2)) && this.#take('\\')) list.word += this.#next();
      else list.word += this.#next();
    }
  }

  #substitute(list: List, closer: string): void {
    const first = this.commands.length;
    this.readList(closer);
    for (const inner of this.commands.slice(first)) list.command.substitutes.push(...inner.words.slice(0, 1));
    list.word = `${list.word ?? ''}$()`;
  }

  #readRedirection(list: List): boolean {
    const operator = /^(<<<|<<-|<<|<&|<>|<|&>>|&>|>>|>\||>&|>)/.exec(this.#ahead(3))?.[0];
    if (operator === undefined) return false;
    // "2>" names a file descriptor; the 2 is no word.
    if (/^\d+$/.test(list.word ?? '')) list.word = undefined;
    this.#endWord(list);
    this.#at += operator.length;
    if (operator === '<<<') list.role = 'input';
    else if (operator === '<<-') list.role = 'tabbedHeredoc';
    else if (operator === '<<') list.role = 'heredoc';
    else list.role = operator.startsWith('<') ? 'readsFrom' : 'writesTo';
    return true;
  }

  #readOperator(list: List): boolean {
    if (this.#take('||') || this.#take('&&') || this.#take(';') || this.#take('&') || this.#take(')')) {
      this.#endCommand(list);
    } else if (this.#take('|&') || this.#take('|')) {
      this.#endCommand(list, { pipes: true });
    } else if (this.#take('(')) {
      this.#endCommand(list);
      this.readList(')');
    } else if (list.word === undefined && /^([{]\s|[}])/.test(this.#ahead(2))) {
      // Elsewhere, as in ${HOME} or {a,b}, a brace is part of a word.
      this.#at += 1;
      this.#endCommand(list);
    } else return false;
    return true;
  }

  #endWord(list: List): void {
    const { command, word, role } = list;
    if (word === undefined) return;
    if (role === 'words' || role === 'writesTo') command[role].push(word);
    else if (role === 'input') command.input += `${word}\n`;
    else if (role !== 'readsFrom') {
      list.heredocs.push({ command, delimiter: word, stripsTabs: role === 'tabbedHeredoc' });
    }
    list.word = undefined;
    list.role = 'words';
  }

  #endCommand(list: List, { pipes = false } = {}): void {
    this.#endWord(list);
    const { words, pipedFrom } = list.command;
    this.commands.push(list.command);
    list.command = newCommand(pipes ? [...pipedFrom, ...words.slice(0, 1)] : []);
  }

  /** Ends the command and reads the here-documents that were announced on its line. */
  #endLine(list: List): void {
    this.#endCommand(list);
    for (const { command, delimiter, stripsTabs } of list.heredocs.splice(0)) {
      while (this.#at < this.#text.length) {
        const line = this.#upTo('\n');
        const content = stripsTabs ? line.replace(/^\t+/, '') : line;
        if (content === delimiter) break;
        command.input += `${content}\n`;
      }
    }
  }

  #ahead(length: number): string {
    return this.#text.slice(this.#at, this.#at + length);
  }

  #sees(token: string): boolean {
    return this.#text.startsWith(token, this.#at);
  }

  #take(token: string): boolean {
    if (!this.#sees(token)) return false;
    this.#at += token.length;
    return true;
  }

  #next(): string {
    return this.#text.charAt(this.#at++);
  }

  #find(token: string): number {
    const index = this.#text.indexOf(token, this.#at);
    return index === -1 ? this.#text.length : index;
  }

  /** The text before `token`, which it steps over. */
  #upTo(token: string): string {
    const start = this.#at;
    const end = this.#find(token);
    this.#at = end + token.length;
    return this.#text.slice(start, end);
  }
}
