import { agentMdModel } from '../agent-md.ts';
import type { TextRange } from '../checked-text.ts';
import type { AgentContext } from '../context.ts';
import { memberOf, nodeAt, rangeOf } from '../json-document.ts';
import { flagUses, rangeOfArg } from '../pi-args-rules.ts';
import { agentRule } from '../rule.ts';

const BEFORE = 'azure-openai-responses';
const NOW = 'azure';

interface Place extends TextRange {
  readonly file: 'pi-args' | 'AGENT.md' | 'settings.json' | 'models.json';
}

/** Where the old name begins a value such as `azure-openai-responses/gpt-5.4`. */
const begins = (text: string): boolean => text === BEFORE || text.startsWith(`${BEFORE}/`);

const nameAt = (file: Place['file'], start: number): Place => ({ file, start, end: start + BEFORE.length });

function* oldNames(context: AgentContext): Generator<Place> {
  for (const flag of ['--provider', '--model', '--models']) {
    for (const { value } of flagUses(context, flag)) {
      if (value && begins(value.text)) yield nameAt('pi-args', rangeOfArg(value).start);
    }
  }
  const model = agentMdModel(context);
  const agentMd = context.text('AGENT.md')?.text;
  if (model && agentMd && begins(model.value))
    yield nameAt('AGENT.md', agentMd.indexOf(BEFORE, model.place.start));
  const settings = context.json('settings.json');
  const names = [
    memberOf(settings?.root, 'defaultProvider')?.value,
    ...elementsOf(nodeAt(settings?.root, ['enabledModels'])),
    ...keysOf(nodeAt(settings?.root, ['modelThinkingLevels'])),
  ];
  for (const node of names) {
    // The quotes come first.
    if (node?.type === 'String' && begins(node.value)) yield nameAt('settings.json', rangeOf(node).start + 1);
  }
  for (const node of keysOf(nodeAt(context.json('models.json')?.root, ['providers']))) {
    if (node.type === 'String' && node.value === BEFORE) yield nameAt('models.json', rangeOf(node).start + 1);
  }
}

type Node = NonNullable<ReturnType<typeof nodeAt>>;

const elementsOf = (node: Node | undefined): Node[] =>
  node?.type === 'Array' ? node.elements.map(({ value }) => value) : [];

const keysOf = (node: Node | undefined): Node[] =>
  node?.type === 'Object' ? node.members.map(({ name }) => name) : [];

export const providerRenamed = agentRule({
  id: 'provider-renamed',
  severity: 'warning',
  topic: 'files',
  title: 'A provider that pi has renamed',
  why: 'Since version 1.0.3, pi calls the provider "azure-openai-responses" "azure". It ignores the old name, and starts with another model. Older versions do not know the new name, so change it when you update pi. Log in to the provider again, or rename its key in auth.json.',
  *check(context) {
    for (const place of oldNames(context)) {
      yield {
        ...place,
        message: `pi 1.0.3 and later call this provider "${NOW}". Change the name, and log in to it again.`,
        fix: { title: `Change it to "${NOW}"`, safe: false, edits: [{ ...place, text: NOW }] },
      };
    }
  },
});
