/**
 * Reads a bash command far enough to know which programs it calls with which words, so that
 * `echo "rm -rf /"` is text and `sudo rm -r -f "/"` is not. Nothing is expanded or run.
 *
 * Why not a parser from npm: an extension is copied into a root and loaded from there without an
 * `npm install`. The one well-kept parser, sh-syntax, is a WebAssembly build of a Go program, and would
 * lie in every root as a large binary. Simple commands are all the rules need.
 */

/** A shell or subshell: what `cd` and variables change stays in it. */
export interface Scope {
  readonly parent: Scope | undefined;
}

/** One call of a program. */
export interface SimpleCommand {
  /** Its words, quotes and backslashes removed; variables and globs as written. */
  words: string[];
  /** Files it writes to through `>` and its relatives. */
  writesTo: string[];
  /** Text it reads from a here-document or here-string. */
  input: string;
  /** The program before it in the pipe. */
  pipedFrom: SimpleCommand | undefined;
  /** Programs inside the `$(…)` and `<(…)` of its words; in `words` each of these reads `$()`. */
  substitutes: string[];
  /** The operator after it; a new line counts as `;`. */
  end: End;
  scope: Scope;
}

type End = ';' | '&&' | '||' | '|';

export interface Script {
  commands: SimpleCommand[];
  /** Why the rest was not read. */
  unread: 'too deep' | 'too long' | undefined;
}

/** More than any honest command has. They also keep reading off the end of the stack, and short. */
const MAX_DEPTH = 50;
const MAX_COMMANDS = 5000;

/** All calls in `text`, those inside `$(…)`, backticks, subshells and groups too. */
export function readCommands(text: string, scope: Scope): Script {
  const script: Script = { commands: [], unread: undefined };
  new Reader(text, script, 0).readList('', scope);
  return script;
}

type Role = 'words' | 'writesTo' | 'input' | 'readsFrom' | 'heredoc' | 'tabbedHeredoc';

interface Heredoc {
  command: SimpleCommand;
  delimiter: string;
  stripsTabs: boolean;
  /** A quoted delimiter keeps the shell from running the `$(…)` in the text. */
  isLiteral: boolean;
}

/** What the list being read has got so far. */
interface List {
  scope: Scope;
  command: SimpleCommand;
  /** The word being read. An empty string is a word too (`""`). */
  word: string | undefined;
  /** Whether any of the word was quoted. */
  isQuoted: boolean;
  /** What the next word is to its command. */
  role: Role;
  heredocs: Heredoc[];
}

const newCommand = (scope: Scope, pipedFrom?: SimpleCommand): SimpleCommand => ({
  words: [],
  writesTo: [],
  input: '',
  pipedFrom,
  substitutes: [],
  end: ';',
  scope,
});

const newList = (scope: Scope): List => ({
  scope,
  command: newCommand(scope),
  word: undefined,
  isQuoted: false,
  role: 'words',
  heredocs: [],
});

class Reader {
  readonly #script: Script;
  readonly #text: string;
  #at = 0;
  #depth: number;

  constructor(text: string, script: Script, depth: number) {
    this.#text = text;
    this.#script = script;
    this.#depth = depth;
  }

  /** Reads commands up to `closer`, which it steps over, or to the end of the text. */
  readList(closer: string, scope: Scope): void {
    if (this.#depth >= MAX_DEPTH) {
      this.#giveUp('too deep');
      return;
    }
    this.#depth += 1;
    const list = newList(scope);
    while (this.#at < this.#text.length) {
      if (closer !== '' && this.#take(closer)) break;
      this.#readOne(list);
    }
    this.#endCommand(list, ';');
    this.#depth -= 1;
  }

  /** Reads the text of a here-document, in which only substitutions are special. */
  readHeredoc(scope: Scope): void {
    this.#readQuoted(newList(scope), '');
  }

  /** The text of `$'…'`, in which a backslash hides the next character. */
  #escaped(): string {
    let text = '';
    while (this.#at < this.#text.length && !this.#take("'")) {
      if (this.#take('\\x')) {
        const [digits = ''] = /^[0-9a-fA-F]{0,2}/.exec(this.#text.slice(this.#at, this.#at + 2)) ?? [];
        this.#at += digits.length;
        text += String.fromCharCode(Number.parseInt(digits, 16) || 0);
      } else if (this.#take('\\')) {
        const [digits = ''] = /^[0-7]{0,3}/.exec(this.#text.slice(this.#at, this.#at + 3)) ?? [];
        this.#at += digits.length;
        text += digits === '' ? this.#next() : String.fromCharCode(Number.parseInt(digits, 8));
      } else text += this.#next();
    }
    return text;
  }

  #readOne(list: List): void {
    if (this.#take('\\\n')) return; // joins two lines
    if (this.#take('\\')) this.#quote(list, this.#next());
    else if (this.#take("$'")) this.#quote(list, this.#escaped());
    else if (this.#take("'")) this.#quote(list, this.#upTo("'"));
    else if (this.#take('"')) this.#readQuoted(list, '"');
    else if (this.#take('$(') || this.#take('<(') || this.#take('>(')) this.#substitute(list, ')');
    else if (this.#take('`')) this.#substitute(list, '`');
    else if (list.word === undefined && this.#sees('#')) this.#at = this.#find('\n');
    else if (this.#take(' ') || this.#take('\t')) this.#endWord(list);
    else if (this.#take('\n')) this.#endLine(list);
    else if (this.#readRedirection(list)) return;
    else if (this.#readOperator(list)) return;
    else list.word = (list.word ?? '') + this.#next();
  }

  #quote(list: List, text: string): void {
    list.word = (list.word ?? '') + text;
    list.isQuoted = true;
  }

  /** Reads up to `closer`, or to the end of the text where that is empty. */
  #readQuoted(list: List, closer: string): void {
    this.#quote(list, '');
    while (this.#at < this.#text.length) {
      if (closer !== '' && this.#take(closer)) break;
      if (this.#take('\\\n')) continue;
      if (this.#take('$(')) this.#substitute(list, ')');
      else if (this.#take('`')) this.#substitute(list, '`');
      // Between quotes a backslash is a plain character unless it protects one of these.
      else if (/^\\[$`"\\]/.test(this.#ahead(2)) && this.#take('\\')) list.word += this.#next();
      else list.word += this.#next();
    }
  }

  #substitute(list: List, closer: string): void {
    const first = this.#script.commands.length;
    this.readList(closer, { parent: list.scope });
    for (const inner of this.#script.commands.slice(first)) {
      list.command.substitutes.push(...inner.words.slice(0, 1));
    }
    list.word = `${list.word ?? ''}$()`;
  }

  #readRedirection(list: List): boolean {
    const operator = /^(<<<|<<-|<<|<&|<>|<|&>>|&>|>>|>\||>&|>)/.exec(this.#ahead(3))?.[0];
    if (operator === undefined) return false;
    // "2>" names a file descriptor; the 2 is not a word.
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
    if (this.#take('&&')) this.#endCommand(list, '&&');
    else if (this.#take('||')) this.#endCommand(list, '||');
    else if (this.#take('|&') || this.#take('|')) this.#endCommand(list, '|');
    else if (this.#take(';') || this.#take('&') || this.#take(')')) this.#endCommand(list, ';');
    else if (this.#take('(')) {
      // An array, "x=(a b)": its value is not followed.
      if (list.word?.endsWith('=')) list.word += '$()';
      this.#endCommand(list, ';');
      this.readList(')', { parent: list.scope });
      // In "(curl x) | sh" the shell reads what the last command of the group prints.
      list.command.pipedFrom = this.#script.commands.at(-1);
    } else if (list.word === undefined && /^([{]\s|[}])/.test(this.#ahead(2))) {
      // Elsewhere, as in ${HOME} or {a,b}, a brace is part of a word.
      this.#at += 1;
      this.#endCommand(list, ';');
    } else return false;
    return true;
  }

  #endWord(list: List): void {
    const { command, word, role, isQuoted } = list;
    if (word === undefined) return;
    if (role === 'words' || role === 'writesTo') command[role].push(word);
    else if (role === 'input') command.input += `${word}\n`;
    else if (role !== 'readsFrom') {
      const stripsTabs = role === 'tabbedHeredoc';
      list.heredocs.push({ command, delimiter: word, stripsTabs, isLiteral: isQuoted });
    }
    list.word = undefined;
    list.isQuoted = false;
    list.role = 'words';
  }

  #endCommand(list: List, end: End): void {
    this.#endWord(list);
    const { command } = list;
    command.end = end;
    if (command.words.length > 0 || command.writesTo.length > 0) this.#script.commands.push(command);
    if (this.#script.commands.length > MAX_COMMANDS) this.#giveUp('too long');
    list.command = newCommand(list.scope, end === '|' ? command : undefined);
  }

  /** Ends the command and reads the here-documents that were announced on its line. */
  #endLine(list: List): void {
    this.#endCommand(list, ';');
    for (const heredoc of list.heredocs.splice(0)) this.#readHeredocText(heredoc, list.scope);
  }

  #readHeredocText({ command, delimiter, stripsTabs, isLiteral }: Heredoc, scope: Scope): void {
    const lines: string[] = [];
    while (this.#at < this.#text.length) {
      const line = this.#upTo('\n');
      const content = stripsTabs ? line.replace(/^\t+/, '') : line;
      if (content === delimiter) break;
      lines.push(`${content}\n`);
    }
    const text = lines.join('');
    command.input += text;
    if (!isLiteral) new Reader(text, this.#script, this.#depth).readHeredoc(scope);
    if (this.#script.unread) this.#giveUp(this.#script.unread);
  }

  #giveUp(reason: NonNullable<Script['unread']>): void {
    this.#script.unread ??= reason;
    this.#at = this.#text.length;
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
