import { quoted } from '../../platform/words.ts';
import { agentRule } from '../rule.ts';

export const linkBroken = agentRule({
  id: 'link-broken',
  severity: 'error',
  topic: 'links',
  title: 'A link without its target',
  why: 'pi skips a link whose target does not exist, so the agent lacks this skill or extension. Put the shared entry back, repair the link, or remove it.',
  *check({ agent }) {
    for (const { path, link } of [...agent.skills, ...agent.extensions]) {
      if (link?.state !== 'broken') continue;
      yield {
        file: path,
        message: `Nothing is at ${quoted(link.text)}, so pi skips this link. ${
          link.isRepairable
            ? '"shared" has an entry of this name: repair the link, which links that instead.'
            : 'Put the target back, or remove the link.'
        }`,
      };
    }
  },
});
