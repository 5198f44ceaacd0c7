import type { Plugin } from 'vite';

const LITERAL = String.raw`(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\`(?:[^\`\\$]|\\.|\$\{[^{}\`]*\})*\`)`;
const TEXT = String.raw`\s*${LITERAL}(?:\s*\+\s*${LITERAL})*`;
const CONSTANT = String.raw`\s*[A-Z][A-Z_]*(?:\.\w+)?`;
const DESCRIBED = new RegExp(String.raw`\s*\.describe\((?:${TEXT}|${CONSTANT}),?\s*\)`, 'g');
const PROPERTIES = new RegExp(String.raw`(\b(?:summary|description|task):)${TEXT}(?=\s*[,)}])`, 'g');

/** Drops the texts of an API file that only the OpenAPI document uses. */
export const dropApiTexts = (code: string): string =>
  code.replace(DESCRIBED, '').replace(PROPERTIES, "$1 ''");

/** Keeps the texts of the OpenAPI document out of the page, whose first view has a budget. The server has them. */
export const withoutApiTexts: Plugin = {
  name: 'without-api-texts',
  enforce: 'pre',
  transform: (code, id) =>
    /[\\/]src[\\/]shared[\\/]api[\\/].+\.ts$/.test(id) ? { code: dropApiTexts(code), map: null } : null,
};
