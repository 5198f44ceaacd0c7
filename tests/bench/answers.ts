import { writeFileSync } from 'node:fs';

/** The bodies our routes answered, by path and query. The bare servers answer the same bytes. */
export type Answers = Readonly<Record<string, string>>;

const readBody = async (url: string) => {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  const body = await response.text();
  // Bare Express serialises the parsed value again; the bytes must come out the same.
  if (JSON.stringify(JSON.parse(body)) !== body) throw new Error(`${url}: the body is not compact JSON`);
  return body;
};

/** Reads the bodies of our routes and keeps them in a file for the bare servers; returns its path. */
export const saveAnswers = async (url: string, paths: readonly string[], file: string): Promise<string> => {
  const answers: Record<string, string> = {};
  for (const path of paths) answers[path] = await readBody(`${url}${path}`);
  writeFileSync(file, JSON.stringify(answers satisfies Answers));
  return file;
};
