/** The settings of a service, which dot-mi writes into a private file for its process. */
export interface SellConfig {
  readonly agent: string;
  /** A sentence for customers. */
  readonly description: string | null;
  /** dot-mi's address. */
  readonly apiUrl: string;
  /** An agent key with the scopes `charge` and `read-agents`. */
  readonly key: string;
  /** The service's port on 127.0.0.1. */
  readonly port: number;
  /** A flat price in sats, or null for the model's cost plus the margin. */
  readonly priceSats: number | null;
  readonly marginPercent: number;
  readonly maxOutputTokens: number;
  readonly parallel: number;
  readonly timeoutSeconds: number;
  /** The agent's facts, as its private copy has them. */
  readonly facts: SoldFacts;
  /** The agent's arguments for pi. */
  readonly args: readonly string[];
  /** The agent's directory in its private copy. */
  readonly directory: string;
  /** The agent's directory in the root, for its sign-ins. */
  readonly liveDirectory: string;
  /** A private directory for the sessions of runs. */
  readonly sessionsDirectory: string;
  /** The directories that a run creates in its workspace. */
  readonly workspaceDirectories: readonly string[];
  /** The program that starts pi and its first arguments, all by their absolute paths. */
  readonly pi: readonly [string, ...string[]];
  /** The names of the environment variables that the agent gets in addition to those that pi needs. */
  readonly variables: readonly string[];
  /** A private directory for this service's workspaces. */
  readonly temporaryDirectory: string;
  /** A private directory for the responses that customers may fetch again for a day. */
  readonly responseDirectory: string;
}

/** A line of JSON that a service's process writes to standard output. */
export type SellReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'problem'; readonly message: string }
  | { readonly kind: 'sale'; readonly sale: SaleReport };

/** A customer's paid request, as the service's process reports it. */
export interface SaleReport {
  readonly outcome: 'sold' | 'refunded';
  readonly chargeId: string;
  /** The price that the customer paid, in sats. Null if the process couldn't reach dot-mi. */
  readonly charged: number | null;
  /** Includes cached tokens. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** True if the provider didn't report all of the usage. */
  readonly isEstimated: boolean;
  readonly durationMs: number;
  readonly status: number;
  readonly message: string | null;
  readonly detail: string | null;
}

/** The longest prompt that a customer can send, in UTF-8 bytes. */
export const MOST_PROMPT_BYTES = 20_000;

/** No tokenizer needs more than one token for two bytes, except for rare characters. */
const BYTES_PER_TOKEN = 2;

/** The model tokens that a provider adds to each message. */
const MESSAGE_TOKENS = 100;

/** An agent with tools makes at most this many calls for a request, and is stopped after them. */
const CALLS_WITH_TOOLS = 8;

/** Returns how many calls to the model a request can make. */
export const mostCalls = ({ tools }: { readonly tools: readonly string[] }): number =>
  tools.length > 0 ? CALLS_WITH_TOOLS : 1;

/** Returns the most model tokens that a request can use, which determine its price. */
export const mostTokens = (
  agent: { readonly promptTokens: number; readonly tools: readonly string[] },
  promptBytes: number,
  maxOutputTokens: number,
): { maxInputTokens: number; maxOutputTokens: number; maxRequests: number } => {
  const calls = mostCalls(agent);
  const once = agent.promptTokens + MESSAGE_TOKENS + Math.ceil(promptBytes / BYTES_PER_TOKEN);
  // Each later call also reads what the model wrote in earlier ones.
  return {
    maxInputTokens: once * calls + maxOutputTokens * (calls - 1),
    maxOutputTokens,
    maxRequests: calls,
  };
};

/** The facts about an agent that matter when customers use it. */
export interface SoldFacts {
  readonly model: string | null;
  readonly promptTokens: number;
  /** The tools that customers could use. `extensions` and `mcp` mean all tools that those add. */
  readonly tools: readonly string[];
}

const ADDED_TOOLS: Readonly<Record<string, string>> = {
  extensions: 'extensions',
  packages_unread: 'extensions',
  mcp_tools: 'mcp',
  mcp_unknown: 'mcp',
  unknown_tools: 'unknown',
};

/** Extracts the facts that matter for a sale from a predicted prompt and a run's arguments. */
export const soldFacts = (
  prompt: {
    readonly totalTokens: number;
    readonly model: { readonly name: string } | null;
    readonly tools: readonly string[];
    readonly notes: readonly { readonly code: string }[];
  },
  argv: readonly string[],
): SoldFacts => {
  // If all tools are off, extensions and MCP servers add none either.
  const hasNone = argv.some((arg) => arg === '--no-tools' || arg === '-nt') && prompt.tools.length === 0;
  const added = prompt.notes.flatMap(({ code }) => ADDED_TOOLS[code] ?? []);
  return {
    model: prompt.model?.name ?? null,
    promptTokens: prompt.totalTokens,
    tools: hasNone ? [] : [...new Set([...prompt.tools, ...added])],
  };
};
