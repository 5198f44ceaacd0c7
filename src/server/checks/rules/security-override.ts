import { skillRule } from '../rule.ts';

const OVERRIDE = [
  /\b(?:ignore|disregard|forget|override)\s+(?:(?:all|any|the|your|of|these|those|every)\s+){0,3}(?:previous|prior|above|earlier|preceding|system|original)\s+(?:\w+\s+)?(?:instructions?|prompts?|rules|messages?|guidelines|directions)\b/i,
  /\b(?:do not|don['’]t|never|without)\s+(?:tell|telling|inform|informing|notify|notifying|alert|alerting)\s+(?:the\s+)?(?:user|human|operator|person)\b(?!\s+(?:to|that|how|which|they|you|when|if|unless|until|before|after)\b)/i,
  /\b(?:hide|conceal)\s+(?:this|these|it|that)\s+from\s+(?:the\s+)?(?:user|human|operator)\b/i,
];
/** A text about such attacks quotes them. */
const ABOUT = /\b(?:injection|jailbreak|malicious|attackers?|suspicious|untrusted|attempts?)\b/i;

export const securityOverride = skillRule({
  id: 'security-override',
  severity: 'warning',
  topic: 'security',
  title: 'Instructions against your own',
  why: 'A skill works against you if it asks the model to ignore earlier instructions, or to keep something from you. Read the text around it before you use the skill.',
  *check({ texts }) {
    for (const [file, content] of texts()) {
      for (const { text, start } of content.lines) {
        const match = ABOUT.test(text) ? undefined : OVERRIDE.map((one) => one.exec(text)).find(Boolean);
        if (!match) continue;
        yield {
          file,
          start: start + match.index,
          end: start + match.index + match[0].length,
          message:
            'This asks the model to work against its instructions, or against you. Read the text around it.',
        };
      }
    }
  },
});
