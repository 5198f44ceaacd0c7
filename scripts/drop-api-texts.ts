import type { Plugin } from 'vite';

const LITERAL = String.raw`(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\`(?:[^\`\\$]|\\.)*\`)`;
const TEXTS = new RegExp(
  String.raw`(\.describe\(|\b(?:summary|description|task):)\s*${LITERAL}(?:\s*\+\s*${LITERAL})*(?=\s*[,)}])`,
  'g',
);

/** Empties the texts of an API file that only the OpenAPI document uses. */
export const dropApiTexts = (code: string): string => code.replace(TEXTS, "$1 ''");

/** Keeps the texts of the OpenAPI document out of the page, whose first view has a budget. The server has them. */
export const withoutApiTexts: Plugin = {
  name: 'without-api-texts',
  enforce: 'pre',
  transform: (code, id) =>
    /[\\/]src[\\/]shared[\\/]api[\\/].+\.ts$/.test(id) ? { code: dropApiTexts(code), map: null } : null,
};
