/** A flag that an extension registers. */
interface ExtensionFlag {
  /** The flag's name, without dashes. */
  readonly name: string;
  readonly type: 'boolean' | 'string' | 'unknown';
}

/** The flags, tools and providers that an extension registers with pi, according to its source. */
export interface ExtensionCalls {
  readonly flags: readonly ExtensionFlag[];
  readonly tools: readonly string[];
  readonly providers: readonly string[];
  /**
   * False if this may be incomplete, because a name isn't a literal, or because the source imports other files of its
   * own, which may register more.
   */
  readonly isComplete: boolean;
}

/** How far into a call to search for its name and type, in characters. */
const MAX_CALL = 1_000;

const CALL = /\.register(Flag|Tool|Provider)\b/g;
const NAME_FIRST = /^\s*(?:<[^()]*>\s*)?\(\s*(?:"([^"\\\n]+)"|'([^'\\\n]+)'|`([^`\\$\n]+)`)/;
const NAME_INSIDE = /\bname\s*:\s*(?:"([^"\\\n]+)"|'([^'\\\n]+)'|`([^`\\$\n]+)`)/;
const OBJECT_FIRST = /^\s*(?:<[^()]*>\s*)?\(\s*\{/;
const FLAG_TYPE = /\btype\s*:\s*["'`](boolean|string)["'`]/;
const OWN_IMPORT = /\b(?:from|import|require)\s*(?:\(\s*)?["'`]\.{1,2}\//;

const nameIn = (match: RegExpMatchArray | null): string | undefined => match?.[1] ?? match?.[2] ?? match?.[3];

/** Finds the flags, tools and providers that a source registers, without running it. */
export const extensionCalls = (source: string): ExtensionCalls => {
  const flags: ExtensionFlag[] = [];
  const tools: string[] = [];
  const providers: string[] = [];
  let isComplete = !OWN_IMPORT.test(source);
  for (const { 0: text, 1: what, index } of source.matchAll(CALL)) {
    const start = index + text.length;
    const following = source.slice(start, start + MAX_CALL);
    // Stop where the next call starts, because it has its own object.
    const end = following.search(/\.register[FTP]/);
    const call = end < 0 ? following : following.slice(0, end);
    const name =
      what === 'Tool'
        ? OBJECT_FIRST.test(call)
          ? nameIn(NAME_INSIDE.exec(call))
          : undefined
        : nameIn(NAME_FIRST.exec(call));
    if (name === undefined) isComplete = false;
    else if (what === 'Tool') tools.push(name);
    else if (what === 'Provider') providers.push(name);
    else {
      const type = FLAG_TYPE.exec(call)?.[1];
      flags.push({ name, type: type === 'boolean' || type === 'string' ? type : 'unknown' });
    }
  }
  return { flags, tools, providers, isComplete };
};
