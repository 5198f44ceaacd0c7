import { agentRule } from '../rule.ts';

export const linkOutside = agentRule({
  id: 'link-outside',
  severity: 'warning',
  topic: 'links',
  title: 'A link out of the root',
  why: 'pi follows the link, but dot-mi reads nothing outside the root and can\'t check it. On another computer, or after a copy of the root, its target is missing. Move the entry to "shared" in the root and link it there.',
  *check({ agent }) {
    for (const { path, link } of [...agent.skills, ...agent.extensions]) {
      if (link?.state !== 'outside') continue;
      yield {
        file: path,
        message:
          "This link points outside the root, so dot-mi can't check its target. Move the target into the root.",
      };
    }
  },
});
