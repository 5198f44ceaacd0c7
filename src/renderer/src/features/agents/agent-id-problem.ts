import { isAgentId } from '../../../../shared/api/names.ts';
import { newAgent as words } from '../../strings/agents.ts';

const MOST_CHARACTERS = 64;

/** Returns the id that was probably meant, or undefined. */
const suggestedId = (text: string): string | undefined => {
  const id = text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._]+/g, '-')
    .replaceAll(/\.{2,}/g, '.')
    .replaceAll(/^[^a-z0-9]+/g, '')
    .slice(0, MOST_CHARACTERS)
    .replaceAll(/[-.]+$/g, '');
  return isAgentId(id) ? id : undefined;
};

const faultOf = (text: string): string => {
  const wrong = /[^A-Za-z0-9._-]/u.exec(text)?.[0];
  if (wrong !== undefined) return /\s/.test(wrong) ? words.noSpaces : words.notInIds(wrong);
  if (text.includes('..')) return words.notInIds('..');
  if (!/^[A-Za-z0-9]/.test(text)) return words.idStart;
  if (text.length > MOST_CHARACTERS) return words.idLength(MOST_CHARACTERS);
  return text.endsWith('.') ? words.idEnd : words.windowsName;
};

/** Says why `text` isn't a valid agent id, and suggests one. Undefined if it's valid or empty. */
export const agentIdProblem = (text: string): string | undefined => {
  if (text === '' || isAgentId(text)) return undefined;
  const id = suggestedId(text);
  return id === undefined ? faultOf(text) : `${faultOf(text)} ${words.tryId(id)}`;
};
