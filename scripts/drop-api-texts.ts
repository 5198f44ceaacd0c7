import type { Plugin } from 'vite';

const LITERAL = String.raw`(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\`(?:[^\`\\$]|\\.|\$\{[^{}\`]*\})*\`)`;
const TEXT = String.raw`\s*${LITERAL}(?:\s*\+\s*${LITERAL})*`;
const CONSTANT = String.raw`\s*[A-Z][A-Z_]*(?:\.\w+)?`;
const DESCRIBED = new RegExp(String.raw`\s*\.describe\((?:${TEXT}|${CONSTANT}),?\s*\)`, 'g');
const PROPERTIES = new RegExp(String.raw`(\b(?:summary|description|task):)${TEXT}(?=\s*[,)}])`, 'g');

/** The error codes of an endpoint. */
const CODES = /^( {2}errors:) \[[^\]]*\],$/gm;

/** Drops the texts and error codes of an API file that only the OpenAPI document uses. */
export const dropApiTexts = (code: string): string =>
  code.replace(DESCRIBED, '').replace(PROPERTIES, "$1 ''").replace(CODES, '$1 [],');

const OF_SERVER = new RegExp(
  String.raw`\b(?:message:${TEXT}|status:\s*\d+|retryable:\s*(?:true|false)|next:\s*'\w+')\s*,`,
  'g',
);

/** Drops what only the server needs of the rows of error codes. The page gets the rest with each error. */
export const dropErrorRows = (code: string): string => code.replace(OF_SERVER, '');

/** Keeps the texts of the OpenAPI document out of the page, whose first view has a budget. The server has them. */
export const withoutApiTexts: Plugin = {
  name: 'without-api-texts',
  enforce: 'pre',
  transform(code, id) {
    if (!/[\\/]src[\\/]shared[\\/]api[\\/].+\.ts$/.test(id)) return null;
    const isOfErrors = /[\\/]errors\.ts$/.test(id);
    return { code: dropApiTexts(isOfErrors ? dropErrorRows(code) : code), map: null };
  },
};
