/** What a service of one agent needs, as dot-mi writes it into a private file for its process. */
export interface SellConfig {
  readonly agent: string;
  /** A sentence for customers. */
  readonly description: string | null;
  /** The address of dot-mi. */
  readonly apiUrl: string;
  /** An agent key with the scopes `charge` and `read-agents`. */
  readonly key: string;
  /** The port on 127.0.0.1. */
  readonly port: number;
  /** A flat price, or null for the cost of the model and the margin. */
  readonly priceSats: number | null;
  readonly marginPercent: number;
  readonly maxOutputTokens: number;
  readonly parallel: number;
  readonly timeoutSeconds: number;
  readonly acceptTools: boolean;
  /** A private directory for the workspaces of this service alone. */
  readonly temporaryDirectory: string;
}

/** What the process of a service writes to its standard output, as a line of JSON. */
export type SellReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'problem'; readonly message: string }
  | { readonly kind: 'sale'; readonly sale: SaleReport };

/** A paid request of a customer, as the process of a service reports it. */
export interface SaleReport {
  readonly outcome: 'sold' | 'refunded';
  readonly chargeId: string;
  /** What it cost the customer, in sat. Null if dot-mi could not be asked. */
  readonly charged: number | null;
  /** Cached tokens included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly durationMs: number;
  readonly status: number;
  readonly message: string | null;
  readonly detail: string | null;
}

/** The longest prompt of a customer, in UTF-8 bytes. */
export const MOST_PROMPT_BYTES = 20_000;

/** No tokenizer makes more tokens of a text than one for two bytes, but for rare characters. */
const BYTES_PER_TOKEN = 2;

/** What a provider adds to a message. */
const MESSAGE_TOKENS = 100;

/** How many calls of the model an agent with tools makes for a request, at most. The change covers the rest. */
const CALLS_WITH_TOOLS = 8;

/** The most model tokens that a request may use, which its price is made from. */
export const mostTokens = (
  agent: { readonly promptTokens: number; readonly tools: readonly string[] },
  promptBytes: number,
  maxOutputTokens: number,
): { maxInputTokens: number; maxOutputTokens: number } => {
  const calls = agent.tools.length > 0 ? CALLS_WITH_TOOLS : 1;
  const once = agent.promptTokens + MESSAGE_TOKENS + Math.ceil(promptBytes / BYTES_PER_TOKEN);
  // Each later call of the model reads what it wrote before.
  return { maxInputTokens: once * calls + maxOutputTokens * (calls - 1), maxOutputTokens };
};

/** An agent as a stranger would use it. */
export interface SoldFacts {
  readonly model: string | null;
  readonly promptTokens: number;
  /** The tools that a stranger could use. `extensions` and `mcp` stand for all that those add. */
  readonly tools: readonly string[];
}

const ADDED_TOOLS: Readonly<Record<string, string>> = {
  extensions: 'extensions',
  mcp_tools: 'mcp',
  mcp_unknown: 'mcp',
  unknown_tools: 'unknown',
};

/** Reads what matters for a sale from a predicted prompt and the arguments of a run. */
export const soldFacts = (
  prompt: {
    readonly totalTokens: number;
    readonly model: { readonly name: string } | null;
    readonly tools: readonly string[];
    readonly notes: readonly { readonly code: string }[];
  },
  argv: readonly string[],
): SoldFacts => {
  // With no tools at all, extensions and MCP servers bring none either.
  const hasNone = argv.some((arg) => arg === '--no-tools' || arg === '-nt') && prompt.tools.length === 0;
  const added = prompt.notes.flatMap(({ code }) => ADDED_TOOLS[code] ?? []);
  return {
    model: prompt.model?.name ?? null,
    promptTokens: prompt.totalTokens,
    tools: hasNone ? [] : [...new Set([...prompt.tools, ...added])],
  };
};
